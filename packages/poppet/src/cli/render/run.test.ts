import { expect, test } from "bun:test";
import type { Clock } from "@poppet/chat";
import type { RunEvent, RunOutcome } from "../../assistant.ts";
import { openRunRenderer, type Screen } from "./run.ts";

const still: Clock = { now: () => 0, after: () => () => {} };

/** Both outputs, and both together in the order of writing. */
function surface(
  terminals: {
    readonly stdout?: boolean;
    readonly stderr?: boolean;
    readonly colors?: number;
    readonly dumb?: boolean;
  } = {},
) {
  const written = { stdout: "", stderr: "", both: "" };
  const sink = (name: "stdout" | "stderr") => ({
    write(text: string) {
      written[name] += text;
      written.both += text;
    },
    flush: () => undefined,
  });
  const made: Screen = {
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    stdoutIsTerminal: terminals.stdout ?? false,
    stderrIsTerminal: terminals.stderr ?? false,
    dumb: terminals.dumb ?? true,
    colors: terminals.colors ?? 0,
    links: false,
    columns: () => 80,
  };
  return { made, written };
}

async function play(made: Screen, events: readonly RunEvent[], logReasoning = true, outcome: RunOutcome = done) {
  const renderer = openRunRenderer(made, { logReasoning, markdown: true, clock: still });
  for (const event of events) await renderer.event(event);
  await renderer.end(outcome);
}

const done: RunOutcome = { state: "completed", text: "", usage: null };
const failed: RunOutcome = {
  state: "failed",
  error: { code: "provider_auth", message: "The key was\nrefused.\x1b[2J" },
};
const accepted: RunEvent = { type: "accepted", sessionId: "S", runId: "R", messageId: "M" };
const text = (delta: string, step = 1): RunEvent => ({ type: "text", step, delta });
const reasoning = (delta: string, section = 0, step = 1): RunEvent => ({ type: "reasoning", step, section, delta });

test("C1 the answer is all that stdout gets; IDs go to stderr", async () => {
  const { made, written } = surface();
  await play(made, [accepted, text("Hel"), text("lo")]);
  expect(written.stdout).toBe("Hello\n");
  expect(written.stderr).toBe("session S\nrun R\n");
});

test("C1 an answer that ends its line gets no second newline, and an empty one none", async () => {
  const ended = surface();
  await play(ended.made, [text("Hello\n")]);
  expect(ended.written.stdout).toBe("Hello\n");
  const empty = surface();
  await play(empty.made, [accepted]);
  expect(empty.written.stdout).toBe("");
});

test("C1 a pipe gets the model's bytes, a terminal gets them cleaned", async () => {
  const pipe = surface();
  await play(pipe.made, [text("a\x1b[31"), text("mb\r\n")]);
  expect(pipe.written.stdout).toBe("a\x1b[31mb\r\n");
  const terminal = surface({ stdout: true });
  await play(terminal.made, [text("a\x1b[31"), text("mb\r\n")]);
  expect(terminal.written.stdout).toBe("ab\n");
});

test("§8.10 one blank line stands between the texts of two steps", async () => {
  for (const first of ["One", "One\n", "One\n\n"]) {
    const { made, written } = surface();
    await play(made, [text(first), { type: "step-start", step: 2 }, { type: "step-start", step: 3 }, text("Two", 3)]);
    expect(written.stdout).toBe("One\n\nTwo\n");
  }
});

test("C5 reasoning streams under its heading, sections apart by a blank line, before the answer", async () => {
  const { made, written } = surface();
  await play(made, [reasoning("\n\nFirst "), reasoning("idea.\n"), reasoning("**Second**", 1), text("Answer")]);
  expect(written.stderr).toBe("Thinking:\nFirst idea.\n\n**Second**\n");
  expect(written.stdout).toBe("Answer\n");
});

test("C5 reasoning arrives chunk by chunk", async () => {
  const { made, written } = surface();
  const renderer = openRunRenderer(made, { logReasoning: true, markdown: true, clock: still });
  await renderer.event(reasoning("One"));
  expect(written.stderr).toBe("Thinking:\nOne");
});

test("C5 no readable reasoning, no heading", async () => {
  const { made, written } = surface();
  await play(made, [reasoning(" \n"), reasoning("\x1b[2J", 1), text("Answer")]);
  expect(written.stderr).toBe("");
});

test("C5 with reasoning logging off nothing of it is shown", async () => {
  const { made, written } = surface();
  await play(made, [reasoning("secret"), text("Answer")], false);
  expect(written.both).toBe("Answer\n");
});

test("C5 reasoning is muted cyan where colour is on, the answer plain", async () => {
  const colored = surface({ stdout: true, stderr: true, colors: 256 });
  await play(colored.made, [reasoning("Idea"), text("Answer")]);
  expect(colored.written.both).toBe(
    "\x1b[38;5;73mThinking:\n\x1b[0m\x1b[38;5;73mIdea\x1b[0m\x1b[38;5;73m\n\x1b[0m\nAnswer\n",
  );
  const plain = surface({ stdout: true, stderr: true, colors: 0 });
  await play(plain.made, [reasoning("Idea"), text("Answer")]);
  expect(plain.written.both).toBe("Thinking:\nIdea\n\nAnswer\n");
});

test("C5 on one screen, reasoning after text begins on a line of its own", async () => {
  const { made, written } = surface({ stdout: true, stderr: true });
  await play(made, [text("Let me look."), { type: "step-start", step: 2 }, reasoning("Hm", 0, 2), text("Found.", 2)]);
  expect(written.both).toBe("Let me look.\n\nThinking:\nHm\n\nFound.\n");
});

test("C11 a failure is one clean line on stderr, below what was printed", async () => {
  const { made, written } = surface({ stdout: true, stderr: true });
  await play(made, [text("Half an ans")], false, failed);
  expect(written.both).toBe("Half an ans\npoppet: The key was refused.\n");
});

test("C11 a pipe keeps exactly what came before a failure", async () => {
  const { made, written } = surface();
  await play(made, [text("Half an ans")], false, failed);
  expect(written.stdout).toBe("Half an ans");
  expect(written.stderr).toBe("poppet: The key was refused.\n");
});

test("§8.5 a message that waits for its turn says so", async () => {
  const { made, written } = surface();
  await play(made, [accepted, { type: "waiting", sessionId: "S" }, text("Hi")]);
  expect(written.stderr).toContain("\nwaiting: ");
});

const color = { stdout: true, stderr: true, colors: 16 };

test("C1 on a terminal the answer is drawn, and no style is left on between two writes", async () => {
  const { made, written } = surface(color);
  const renderer = openRunRenderer({ ...made, dumb: false }, { logReasoning: true, markdown: true, clock: still });
  await renderer.event({ type: "step-start", step: 1 });
  await renderer.event(text(`a **${"b".repeat(40)}`));
  await renderer.event(text("c** `d`\n"));
  await renderer.end(done);
  expect(written.stdout).toBe(`a \x1b[1m${"b".repeat(40)}\x1b[0m\x1b[1mc\x1b[0m \x1b[35md\x1b[0m\n`);
});

test("C1 chat.markdown = false, a dumb terminal and a pipe get the text as it is, and do not load what draws", async () => {
  const cases = [
    { screen: { stdout: true, stderr: true, colors: 16 }, dumb: false, markdown: false },
    { screen: { stdout: true, stderr: true, colors: 16 }, dumb: true, markdown: true },
    { screen: { stdout: false, stderr: true, colors: 16 }, dumb: false, markdown: true },
  ];
  for (const { screen, dumb, markdown } of cases) {
    const { made, written } = surface(screen);
    const renderer = openRunRenderer({ ...made, dumb }, { logReasoning: true, markdown, clock: still });
    await renderer.event({ type: "step-start", step: 1 });
    // No promise: nothing has to be loaded first.
    expect(renderer.event(text("| **a** "))).toBeUndefined();
    expect(written.stdout).toBe("| **a** ");
    await renderer.end(done);
    expect(written.stdout).toBe("| **a** \n");
  }
});

test("C4 the indicator stays until there is something of the answer to see", async () => {
  const { made, written } = surface(color);
  const renderer = openRunRenderer({ ...made, dumb: false }, { logReasoning: true, markdown: true, clock: still });
  await renderer.event({ type: "step-start", step: 1 });
  await renderer.event(text("| a |\n|---|\n"));
  expect(written.both).toBe("Thinking.");
  await renderer.event(text("| b |\n\nafter"));
  expect(written.both).toStartWith("Thinking.\r\x1b[K\x1b[1ma\x1b[0m\n");
  await renderer.end(done);
  expect(written.both).toEndWith("\n\nafter\n");
});

test("C4 what was held back is written before anything else comes to the screen", async () => {
  const { made, written } = surface(color);
  const renderer = openRunRenderer({ ...made, dumb: false }, { logReasoning: true, markdown: true, clock: still });
  await renderer.event(text("Look: **he"));
  await renderer.event({ type: "step-start", step: 2 });
  expect(written.both).toBe("Look: **he\n\nThinking.");
  await renderer.event(text("Found.", 2));
  renderer.note("a note");
  await renderer.end(failed);
  expect(written.both).toBe("Look: **he\n\nThinking.\r\x1b[KFound.\n\na note\npoppet: The key was refused.\n");
});

test("C4 a note in the middle of code leaves the rest of it code", async () => {
  const { made, written } = surface(color);
  const renderer = openRunRenderer({ ...made, dumb: false }, { logReasoning: true, markdown: true, clock: still });
  await renderer.event(text("```py\na = 1 # b"));
  renderer.note("a note");
  await renderer.event(text("\n**c**\n```\n**d**"));
  await renderer.end(done);
  expect(written.both.replaceAll(/\x1b\[[\d;]*m/g, "")).toBe("```py\na = 1 # b\n\na note\n\n**c**\n```\nd\n");
});

test("C1 what a delta writes does not grow with the answer", async () => {
  const { made, written } = surface({ stdout: true, stderr: true, colors: 256 });
  const renderer = openRunRenderer({ ...made, dumb: false }, { logReasoning: true, markdown: true, clock: still });
  const round = async (count: number) => {
    const before = written.both.length;
    for (let i = 0; i < count; i++) await renderer.event(reasoning("word \n "));
    return (written.both.length - before) / count;
  };
  await round(10);
  const early = await round(100);
  await round(50_000);
  expect(await round(100)).toBe(early);
  await renderer.end(done);
});

test("C4 the indicator says which tool is at work, and that the model is again", async () => {
  const { made, written } = surface({ stderr: true, dumb: false });
  const call = { toolCallId: "1", toolName: "poppet_web.fetch_page", input: { url: "https://example.com/" } };
  const result = { toolCallId: "1", state: "completed", output: {} } as const;
  await play(made, [
    accepted,
    { type: "tool-start", step: 1, call },
    { type: "tool-end", step: 1, call, result: { ...result, toolName: call.toolName } },
  ]);
  const words = written.stderr.match(/(?:Thinking|Reading \S+?)(?=\.)/g);
  expect(words).toEqual(["Thinking", "Reading https://example", "Thinking"]);
});

test("§7 a failure is wrapped at words on a terminal, and one line elsewhere", async () => {
  const message = "The model server said that it has far too much to do at the moment, so: try again later.";
  const busy: RunOutcome = { state: "failed", error: { code: "provider_unavailable", message } };
  const terminal = surface({ stdout: true, stderr: true });
  await play(terminal.made, [], false, busy);
  expect(terminal.written.stderr).toBe(
    "poppet: The model server said that it has far too much to do at the moment, so:\ntry again later.\n",
  );
  const pipe = surface();
  await play(pipe.made, [], false, busy);
  expect(pipe.written.stderr).toBe(`poppet: ${message}\n`);
});
