/** `chat continue`: the session used last. */

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { answeredSession, openHome, say, sessionOf } from "./home.ts";

test("C1 chat continue goes on with the session used last, not the one made or named last", async () => {
  await using home = await openHome({ replies: [], afterLast: "repeat" });
  const older = await answeredSession(home, "older");
  const newer = await answeredSession(home, "newer");
  home.server.push(say("Yes."));
  expect((await home.poppet("chat", "send", older, "again")).code).toBe(0);
  await home.poppet("chat", "rename", newer, "A name is no use");
  home.server.push(say("Going on."));
  const next = await home.poppet("chat", "continue", "and then?");
  expect(next).toMatchObject({ code: 0, stdout: "Going on.\n" });
  expect(sessionOf(next.stderr)).toBe(older);
});

test("C1 its message may come from stdin", async () => {
  await using home = await openHome({ replies: [], afterLast: "repeat" });
  const id = await answeredSession(home, "first");
  await using piped = home.start(["chat", "continue", "-"], { stdin: "from stdin\n" });
  expect(sessionOf((await piped.ended()).stderr)).toBe(id);
  await using absent = home.start(["chat", "continue"], { stdin: "from stdin too" });
  expect(sessionOf((await absent.ended()).stderr)).toBe(id);
  const said = (await home.show(id)).messages.filter((one) => one.role === "user").map((one) => one.text);
  expect(said).toEqual(["first", "from stdin", "from stdin too"]);
});

test("C1 an archived session is not gone on with", async () => {
  await using home = await openHome({ replies: [], afterLast: "repeat" });
  const kept = await answeredSession(home, "kept");
  const archived = await answeredSession(home, "archived");
  using db = new Database(`${home.data}/poppet.db`);
  db.run("update session set archived = 1 where id = ?", [archived]);
  expect(sessionOf((await home.poppet("chat", "continue", "hi")).stderr)).toBe(kept);
});

test("C1 C3 with no message on a terminal it goes on at the prompt, in the session used last", async () => {
  await using home = await openHome();
  const session = await answeredSession(home);
  home.server.push(say("Again."));
  await using pty = home.terminal(["chat", "continue"]);
  await pty.shows(/Session [\s\S]*You> Hi\nHello\.\n\nYou>$/);
  pty.type("once more\r");
  await pty.shows(/Again\.\n\nYou>$/);
  pty.type("\x04");
  expect(await pty.exited()).toBe(0);
  expect((await home.show(session)).messages.map(({ text }) => text)).toEqual(["Hi", "Hello.", "once more", "Again."]);
});

test("C1 with no session one line says what to do", async () => {
  await using home = await openHome();
  const said = 'poppet: There is no session to go on with; start one with: poppet chat new "…"\n';
  expect(await home.poppet("chat", "continue", "hi")).toEqual({ code: 1, stdout: "", stderr: said });
  await using pty = home.terminal(["chat", "continue"]);
  expect(await pty.exited()).toBe(1);
  expect(pty.raw()).toBe(said.replace("\n", "\r\n"));
});
