import { expect, test } from "bun:test";
import type { ShownMessage, ShownRun, ShownSession } from "../../assistant.ts";
import { themeOf } from "./theme.ts";
import { localTime } from "./time.ts";
import { transcriptText } from "./transcript.ts";

const usage = { inputTokens: 12, outputTokens: 3, totalTokens: 15, reasoningTokens: null, cachedInputTokens: null };
const at = (minute: number) => Date.UTC(2026, 10, 30, 18, minute);

function run(id: string, more: Partial<ShownRun> = {}): ShownRun {
  return {
    ...{ id, state: "completed", error: null, output: null, usage: null, provider: "openai", model: "gpt-5" },
    ...{ startedAt: at(0), finishedAt: at(1), toolCalls: [] },
    ...more,
  };
}

function message(role: "user" | "assistant", text: string, runId: string | null, more: Partial<ShownMessage> = {}) {
  return { id: `${role}-${runId}`, role, text, createdAt: at(0), runId, attachments: [], ...more };
}

function shown(messages: readonly ShownMessage[], runs: readonly ShownRun[], more = {}): ShownSession {
  return {
    session: {
      ...{ id: "01890a5d-ac96-774b-bcce-b302099a8057", title: "A plan", titleSource: "prompt", namingAttempted: false },
      ...{ titleUsage: null, provider: "openai", model: "gpt-5", workload: "general", agent: "main", skill: null },
      ...{ project: null, channel: "cli", parent: null, archived: false, createdAt: at(0), updatedAt: at(5) },
      ...{ contextStart: null, compactions: 0 },
      ...more,
    },
    messages,
    runs,
  };
}

const plain = { columns: null, theme: null, answer: null };

test("C2 who said what and when, what each run did and used, in order; no style in a pipe", () => {
  const calls: ShownRun["toolCalls"] = [
    { name: "poppet_web.fetch_page", state: "completed", error: null, result: '{"url":\n"https://a"}' },
    { name: "no_such", state: "rejected", error: { code: "tool_unknown", message: "No tool." }, result: null },
  ];
  const text = transcriptText(
    shown(
      [message("user", "Read it.\nPlease.", "r1"), message("assistant", "Done.\n", "r1", { createdAt: at(1) })],
      [run("r1", { usage, toolCalls: calls })],
    ),
    plain,
  );
  expect(text).toBe(`A plan
session  01890a5d-ac96-774b-bcce-b302099a8057
model    openai/gpt-5
started  ${localTime(at(0))}
used     ${localTime(at(5))}
tokens   12 in, 3 out

You, ${localTime(at(0))}
Read it.
Please.

poppet_web.fetch_page completed: {"url": "https://a"}
no_such rejected: No tool.

Poppet, ${localTime(at(1))}
Done.

tokens: 12 in, 3 out
`);
});

test("C2 C11 a run without an answer says why at its place, one that is not over where it stands", () => {
  const text = transcriptText(
    shown(
      [
        ...["r1", "r2", "r3"].map((id) => message("user", `ask ${id}`, id)),
        message("assistant", "answer r3", "r3"),
        ...["r4", "r5"].map((id) => message("user", `ask ${id}`, id)),
      ],
      [
        run("r1", { state: "failed", error: { code: "provider_auth", message: "No key.\nGet one." }, usage }),
        run("r2", { state: "interrupted", error: { code: "aborted", message: "Stopped by Ctrl-C." } }),
        run("r3", { model: "gpt-6" }),
        run("r4", { state: "running" }),
        run("r5", { state: "queued", model: null, provider: null }),
      ],
    ),
    plain,
  );
  const when = localTime(at(0));
  const said = text.slice(text.indexOf("You,")).trimEnd().split("\n\n");
  expect(said).toEqual([
    `You, ${when}\nask r1`,
    "Failed: No key. Get one. (provider_auth)\ntokens: 12 in, 3 out",
    `You, ${when}\nask r2`,
    "Interrupted: Stopped by Ctrl-C. (aborted)",
    `You, ${when}\nask r3`,
    `Poppet (openai/gpt-6), ${when}\nanswer r3`,
    `You, ${when}\nask r4`,
    "Being answered.",
    `You, ${when}\nask r5`,
    "Waits for its turn.",
  ]);
});

test("C2 C6 C7 skill, project, fork, attachments and marks are named", () => {
  const text = transcriptText(
    shown(
      [
        message("user", "old", null, { inherited: true, attachments: [{ label: "a.pdf\x07" }] }),
        message("assistant", "gone", "r1", { superseded: true }),
      ],
      [run("r1")],
      {
        ...{ title: null, provider: null, model: null, workload: "coding", archived: true },
        ...{
          skill: { name: "weekly", text: "secret recipe" },
          project: { name: "acorn", instructions: "i", notes: [] },
        },
        parent: { sessionId: "parent-id", messageId: null },
      },
    ),
    plain,
  );
  expect(
    text
      .slice(0, text.indexOf("\n\n"))
      .split("\n")
      .map((line) => line.replace(/ +/, " ")),
  ).toEqual([
    "(unnamed)",
    "session 01890a5d-ac96-774b-bcce-b302099a8057",
    ...[`started ${localTime(at(0))}`, `used ${localTime(at(5))}`],
    ...["workload coding", "skill weekly", "project acorn", "forked parent-id", "archived yes"],
  ]);
  expect(text).not.toContain("secret recipe");
  expect(text).toContain("(from the session that this one was forked from)\n[attached: a.pdf]\nold");
  expect(text).toContain("(a later retry took its place)\ngone");
});

const hostile = "a\x1b[31mred\x1b]0;owned\x07 \x9b2J\u202eevil\rz";

test("§7 nothing that was said or named steers the terminal", () => {
  const text = transcriptText(
    shown(
      [message("user", hostile, "r1"), message("assistant", hostile, "r1", { attachments: [{ label: hostile }] })],
      [
        run("r1", {
          error: { code: "x", message: hostile },
          provider: hostile,
          toolCalls: [{ name: hostile, state: "failed", error: null, result: hostile }],
        }),
      ],
      { title: hostile, skill: { name: hostile, text: "" }, id: hostile },
    ),
    { columns: 80, theme: null, answer: null },
  );
  expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
  expect(text).not.toContain("owned");
});

test("C2 at every width no row is wider than the screen, wide characters too, with colours and without", () => {
  const family = "👩‍👩‍👧‍👦";
  const said = `漢字かな交じり文、${family.repeat(9)} and words of the usual kind\n\n\tindented ${"x".repeat(90)}`;
  const conversation = shown(
    [message("user", said, "r1"), message("assistant", said, "r1")],
    [run("r1", { usage, toolCalls: [{ name: "tool", state: "completed", error: null, result: said }] })],
    { title: said.slice(0, 80) },
  );
  for (const columns of [7, 40, 80, 200]) {
    const text = transcriptText(conversation, { columns, theme: null, answer: null });
    // A word that is longer than a row, or than most, is the terminal's to wrap, so that it is copied whole.
    for (const line of text.split("\n")) {
      const tooLong = line.split(" ").some((word) => Bun.stringWidth(word) > Math.min(columns, 24));
      if (!tooLong) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
    }
    expect(text).toContain("x".repeat(90));
    for (const colors of [16, 256]) {
      const styled = transcriptText(conversation, { columns, theme: themeOf(colors), answer: null });
      expect(Bun.stripANSI(styled)).toBe(text);
      expect(styled).not.toBe(text);
    }
  }
});
