/** What the interactive prompt says when it starts: which session this is, and the latest exchange of one that is saved. */
import type { LatestRun, Selection, Workload } from "../../assistant.ts";
import { cleanLine, cleanText } from "../../clean.ts";
import type { Program } from "../program.ts";
import { label } from "../prompt/layout.ts";

export type Start = { readonly sessionId: string } | NewSession;

/** Made by the first message. */
export type NewSession = Selection & { readonly workload: Workload };

export interface Greeting {
  readonly line: string;
  /** The latest exchange, where there is one. */
  readonly last: string | null;
  readonly lastMessage: string | null;
  readonly sessionId: string | null;
}

/** A longer answer is shown by its end. */
const mostRows = 12;

export function greeting(program: Program, start: Start): Promise<Greeting> {
  return "sessionId" in start ? savedSession(program, start.sessionId) : newSession(program, start);
}

/** Reads the skill and the project, so a name that is none, or a broken file, fails here and not at the first message. */
async function newSession(program: Program, { workload, skill, project }: NewSession): Promise<Greeting> {
  const config = await program.config();
  const { provider, model } = config.settings;
  if (skill !== null || project !== null) {
    const library = await program.parts.library(config);
    if (project !== null) await library.showProject(project);
    if (skill !== null) await library.showSkill(skill, project);
  }
  const named = (name: string | null) => (name === null ? null : { name });
  return {
    line: `New session${described({ provider, model, workload, skill: named(skill), project: named(project) })}. /help says what can be done here.`,
    last: null,
    lastMessage: null,
    sessionId: null,
  };
}

/** Reads the session, so an ID that is not one fails here. */
async function savedSession(program: Program, sessionId: string): Promise<Greeting> {
  const assistant = await program.openAssistant();
  try {
    const { session, run } = await assistant.latest(sessionId);
    const title = session.title === null ? "" : ` (${cleanLine(session.title)})`;
    return {
      line: `Session ${session.id}${title}${described(session)}.`,
      last: run === null ? null : await exchange(run, (await program.terminal()).columns()),
      lastMessage: run?.questions.at(-1) ?? null,
      sessionId: session.id,
    };
  } finally {
    await assistant.close();
  }
}

function described(session: {
  readonly provider: string | null;
  readonly model: string | null;
  readonly workload: Workload;
  readonly skill: { readonly name: string } | null;
  readonly project: { readonly name: string } | null;
}): string {
  const model =
    session.model === null ? ", no model yet: see poppet setup" : ` with ${session.provider}/${session.model}`;
  const skill = session.skill === null ? "" : `, skill ${session.skill.name}`;
  const project = session.project === null ? "" : `, project ${session.project.name}`;
  return cleanLine(`.${model}${session.workload === "coding" ? ", coding" : ""}${skill}${project}`).slice(1);
}

async function exchange({ questions, answer, error }: NonNullable<LatestRun["run"]>, columns: number): Promise<string> {
  const { plain, prose } = await import("../render/prose.ts");
  const rowsOf = (text: string) => prose([plain(text)], { columns, theme: null }).split("\n");
  const asked = rowsOf(`${label}${questions.map(cleanLine).join("\n")}`).join("\n");
  if (answer === null)
    return error === null ? asked : `${asked}\n${rowsOf(`(no answer: ${cleanLine(error.message)})`).join("\n")}`;
  const rows = rowsOf(cleanText(answer).trim()).flatMap((row) => screenRows(row, columns));
  return `${asked}\n${rows.length <= mostRows ? rows.join("\n") : `…\n${rows.slice(-mostRows).join("\n")}`}`;
}

/** A word that is longer than the screen is wide takes several. */
function screenRows(row: string, columns: number): readonly string[] {
  if (Bun.stringWidth(row) <= columns) return [row];
  return Bun.wrapAnsi(row, columns, { hard: true, wordWrap: false, trim: false }).split("\n");
}
