/**
 * A saved session for people to read: what it is, then what was said in order, with what its runs did and how they ended.
 * Everything is cleaned, and wrapped where there is a width.
 */
import type { ShownMessage, ShownRun, ShownSession, ShownToolCall } from "../../assistant.ts";
import { cleanLine, cleanText } from "../../clean.ts";
import { cutWidth } from "../graphemes.ts";
import type { Span } from "./pen.ts";
import { inRole, plain, prose, type Sheet } from "./prose.ts";
import { localTime } from "./time.ts";

export interface Page extends Sheet {
  /** An answer as it is drawn; null where it is drawn as it is written. */
  readonly answer: ((text: string) => string) | null;
}

export function transcriptText(shown: ShownSession, page: Page): string {
  const blocks = turnsOf(shown).flatMap(({ run, messages }) => {
    const asked = messages.filter((message) => message.role === "user");
    const answers = messages.filter((message) => message.role === "assistant");
    return [
      ...asked.map((message) => saidBlock(message, "You", page)),
      ...(run === null ? [] : toolBlock(run, page)),
      ...answers.map((message) => saidBlock(message, answererOf(run, shown), page)),
      ...(run === null ? [] : endBlock(run, page)),
    ];
  });
  return `${[header(shown, page), ...blocks].join("\n\n")}\n`;
}

interface Turn {
  readonly run: ShownRun | null;
  readonly messages: ShownMessage[];
}

/** What each run is about, in order; a message of no run stands by itself. */
function turnsOf({ messages, runs }: ShownSession): readonly Turn[] {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const turns: Turn[] = [];
  for (const message of messages) {
    const run = byId.get(message.runId ?? "") ?? null;
    const last = turns.at(-1);
    if (run !== null && last?.run === run) last.messages.push(message);
    else turns.push({ run, messages: [message] });
  }
  return turns;
}

function header({ session, runs }: ShownSession, page: Page): string {
  const rows: (readonly [string, string | null])[] = [
    ["session", session.id],
    ["model", session.model === null ? null : `${session.provider}/${session.model}`],
    ["started", localTime(session.createdAt)],
    ["used", localTime(session.updatedAt)],
    ["workload", session.workload === "general" ? null : session.workload],
    ["skill", session.skill?.name ?? null],
    ["project", session.project?.name ?? null],
    ["forked", session.parent?.sessionId ?? null],
    ["archived", session.archived ? "yes" : null],
    ["tokens", usageWords(runs.flatMap((run) => run.usage ?? []))],
  ];
  const fields = rows.flatMap(([name, value]) =>
    value === null ? [] : [prose([inRole(name.padEnd(8), "dim", page), plain(` ${cleanLine(value)}`)], page)],
  );
  const title = cleanLine(session.title ?? "") || "(unnamed)";
  return [prose([inRole(title, "title", page)], page), ...fields].join("\n");
}

function saidBlock(message: ShownMessage, who: string, page: Page): string {
  const marks = [
    message.inherited && "from the session that this one was forked from",
    message.superseded && "a later retry took its place",
  ].filter((mark) => mark !== undefined);
  const note = marks.length === 0 ? "" : ` (${marks.join("; ")})`;
  const lines: Span[] = [
    inRole(`${who}, ${localTime(message.createdAt)}${note}`, "strong", page),
    ...message.attachments.map(({ label }) => plain(`\n[attached: ${cleanLine(label)}]`)),
  ];
  const text = message.text.trimEnd();
  const drawn = message.role === "assistant" && page.answer !== null ? page.answer(text) : null;
  return `${prose(lines, page)}\n${drawn ?? prose([plain(cleanText(text))], page)}`;
}

/** The model is named where it is not the session's. */
function answererOf(run: ShownRun | null, { session }: ShownSession): string {
  if (run === null || run.model === null) return "Poppet";
  const same = run.provider === session.provider && run.model === session.model;
  return same ? "Poppet" : `Poppet (${cleanLine(`${run.provider}/${run.model}`)})`;
}

function toolBlock(run: ShownRun, page: Page): readonly string[] {
  if (run.toolCalls.length === 0) return [];
  return [prose([inRole(run.toolCalls.map((call) => oneRow(toolWords(call), page)).join("\n"), "dim", page)], page)];
}

function oneRow(text: string, { columns }: Page): string {
  return columns === null ? text : cutWidth(text, columns);
}

function toolWords({ name, state, error, result }: ShownToolCall): string {
  const detail = error?.message ?? result;
  return cleanLine(`${name} ${state}${detail === null ? "" : `: ${detail}`}`);
}

/** How a run ended that has no answer, where it stands now, and what it used. */
function endBlock(run: ShownRun, page: Page): readonly string[] {
  const lines: string[] = [];
  if (run.error !== null) {
    const how = run.state === "interrupted" ? "Interrupted" : "Failed";
    const why = cleanLine(`${how}: ${run.error.message} (${run.error.code})`);
    lines.push(prose([inRole(why, "error", page)], page));
  }
  const usage = run.usage === null ? null : usageWords([run.usage]);
  const asides = [
    run.state === "running" && "Being answered.",
    run.state === "queued" && "Waits for its turn.",
    usage !== null && `tokens: ${usage}`,
  ].filter((aside) => aside !== false);
  for (const aside of asides) lines.push(prose([inRole(aside, "dim", page)], page));
  return lines.length === 0 ? [] : [lines.join("\n")];
}

type Usage = NonNullable<ShownRun["usage"]>;

/** Null where nothing is known. */
function usageWords(usages: readonly Usage[]): string | null {
  const parts = [
    [sum(usages, "inputTokens"), "in"],
    [sum(usages, "outputTokens"), "out"],
  ] as const;
  const known = parts.flatMap(([count, way]) => (count === null ? [] : [`${count} ${way}`]));
  return known.length === 0 ? null : known.join(", ");
}

function sum(usages: readonly Usage[], key: keyof Usage): number | null {
  const known = usages.map((usage) => usage[key]).filter((count) => count !== null);
  return known.length === 0 ? null : known.reduce((total, count) => total + count, 0);
}
