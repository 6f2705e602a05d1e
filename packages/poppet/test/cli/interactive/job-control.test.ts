/** Ctrl-Z and fg, under a shell with job control. */
import { expect, test } from "bun:test";
import { say as answer, openHome } from "../../program/home.ts";
import { openShellTalk, prompting, say } from "./talk.ts";

test("C3 Ctrl-Z at the prompt gives the terminal back, and fg brings the line back whole", async () => {
  await using home = await openHome([answer("Yes.")]);
  await using pty = await openShellTalk(home);
  pty.type("half 漢字 a li\x1b[D");
  await pty.shows("You> half 漢字 a li");
  pty.type("\x1a");
  await pty.shows(/Stopped .*\n\$$/);
  pty.type("stty -a | grep -oE -- ' -?icanon'\r");
  await pty.shows(/\n icanon\n\$$/);
  pty.type("fg\r");
  await pty.shows(/fg\n[^\n]*\nYou> half 漢字 a li$/);
  pty.type("X\r");
  await pty.shows("You> half 漢字 a lXi\nYes.");
  await pty.shows(prompting);
  pty.type("\x1a");
  await pty.shows(/Stopped .*\n\$$/);
  pty.type("fg\r");
  await pty.shows(/fg\n[^\n]*\nYou>$/);
  pty.type("\x04");
  await pty.shows(/Go on with: [^\n]+\n\$$/);
});

test("C3 Ctrl-Z in an answer: fg shows where it was, and it goes on", async () => {
  await using home = await openHome([
    {
      parts: [
        { type: "text", text: ["A line.\n", "Half"] },
        { type: "gate", name: "go" },
        { type: "text", text: " and the rest." },
      ],
    },
    answer("Two."),
  ]);
  await using pty = await openShellTalk(home);
  pty.type("first\r");
  await pty.shows("Half");
  pty.type("\x1a");
  await pty.shows(/Half\n\n\[1\]\+ {2}Stopped .*\n\$$/);
  home.server.open("go");
  pty.type("fg\r");
  await pty.shows(/fg\n[^\n]*\nA line\.\nHalf and the rest\.\n\nYou>$/);
  await say(pty, "second");
  expect(await pty.screen()).toEndWith("You> second\nTwo.\n\nYou>");
});

test("C3 Ctrl-Z stops also a parent that started it, and fg brings both back", async () => {
  await using home = await openHome([answer("Yes.")]);
  await using pty = await openShellTalk(home, [], ["bash", "-c", '"$@"; echo "exit $?"', "bash"]);
  pty.type("half");
  await pty.shows("You> half");
  pty.type("\x1a");
  await pty.shows(/Stopped .*\n\$$/);
  pty.type("fg\r");
  await pty.shows(/fg\n[^\n]*\nYou> half$/);
  pty.type(" a line\r");
  await pty.shows(/You> half a line\nYes\.\n\nYou>$/);
  pty.type("\x04");
  await pty.shows(/exit 0\n\$$/);
});

test("C3 Ctrl-Z while a line is open below an answer: both come back", async () => {
  await using home = await openHome([
    {
      parts: [
        { type: "text", text: "Half" },
        { type: "gate", name: "go" },
        { type: "text", text: " and the rest." },
      ],
    },
    answer("Two."),
  ]);
  await using pty = await openShellTalk(home);
  pty.type("first\r");
  await pty.shows("Half");
  pty.type("wai");
  await pty.shows("Half\nYou> wai");
  pty.type("\x1a");
  await pty.shows(/Stopped .*\n\$$/);
  pty.type("fg\r");
  await pty.shows(/fg\n[^\n]*\nHalf\nYou> wai$/);
  pty.type("ts\r");
  await pty.shows(/Half\nnext: waits$/);
  home.server.open("go");
  await pty.shows(/Half and the rest\.\n\nYou> waits\nTwo\.\n\nYou>$/);
});
