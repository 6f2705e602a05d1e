/**
 * `setup` for people: who answers, with what key and model, one question to try it, and only then the settings file is
 * written. Who leaves before (Ctrl-C 130, Ctrl-D 0) has changed nothing.
 */
import type { Workload } from "../../assistant.ts";
import { cleanLine } from "../../clean.ts";
import { type Config, loadConfig } from "../../config/load.ts";
import type { Choice } from "../../config/write.ts";
import { stylesOf, tell } from "../ask/block.ts";
import { select } from "../ask/select.ts";
import { type Asking, leftWith, openAsking } from "../ask/terminal.ts";
import { askYes } from "../ask/text.ts";
import type { Program } from "../program.ts";
import { askKey, draftOf, type Guide } from "./draft.ts";
import { isModelName } from "./models.ts";
import { type Place, placesOf } from "./places.ts";
import { savedNotes } from "./saved.ts";
import { tryOut } from "./trial.ts";

/** What came of it; `left` has its exit code. */
export type Outcome =
  | { readonly type: "saved"; readonly config: Config }
  | { readonly type: "declined" }
  | { readonly type: "left"; readonly exitCode: number };

export async function guidedSetup(program: Program): Promise<void> {
  const outcome = await asked(program, async (guide) => {
    const config = await guided(guide, null);
    guide.asking.write('next: poppet chat new "Hello"\n');
    return { type: "saved", config };
  });
  if (outcome.type !== "left") return;
  program.stderr.write("Setup was left; no setting is changed.\n");
  program.process.exitCode = outcome.exitCode;
}

/** For a command that needs a model and has none: offered first. */
export function offeredSetup(program: Program, workload: Workload): Promise<Outcome> {
  return asked(program, async (guide) => {
    guide.asking.write("Nothing is set up yet that could answer.\n");
    if (!(await askYes(guide.asking, "Set up now?"))) return { type: "declined" };
    return { type: "saved", config: await guided(guide, workload) };
  });
}

async function asked(program: Program, ask: (guide: Guide) => Promise<Outcome>): Promise<Outcome> {
  const [terminal, config] = await Promise.all([program.terminal(), program.config()]);
  using asking = openAsking(program, terminal);
  try {
    return await ask({ program, config, asking, keys: new Map() });
  } catch (thrown) {
    const exitCode = leftWith(thrown);
    if (exitCode === null) throw thrown;
    return { type: "left", exitCode };
  }
}

/** The settings as they were written. */
async function guided(guide: Guide, workload: Workload | null): Promise<Config> {
  const { program, config, asking } = guide;
  const { parts, env } = program;
  tellPresent(asking, config);
  const [found, local] = await Promise.all([parts.findServers(), parts.listModels("local", config, env)]);
  const servers = found.map((server) => ({ ...server, models: server.models.filter(isModelName) }));
  const places = placesOf({ servers, local, settings: config.settings, env, workload });
  // An Enter too many is no choice of what nobody saw yet.
  asking.dropKeys();
  for (;;) {
    const place = await select<Place>(asking, { title: "Who should answer?", options: places, back: false });
    const choice = place === null ? null : await draftOf(guide, place);
    const tried = choice === null ? null : await triedChoice(guide, choice);
    if (tried !== null) return save(guide, tried);
  }
}

/** Null: choose something else. */
async function triedChoice(guide: Guide, first: Choice): Promise<Choice | null> {
  let choice = first;
  for (;;) {
    const verdict = await tryOut(guide, choice);
    if (verdict === "save") return choice;
    if (verdict === "again") return null;
    if (verdict === "retry") continue;
    const apiKey = await askKey(guide, choice.provider);
    if (apiKey !== null) choice = { ...choice, apiKey };
  }
}

async function save({ program, config, asking }: Guide, choice: Choice): Promise<Config> {
  const { saveChoice } = await import("../../config/write.ts");
  await saveChoice(config, choice);
  const notes = savedNotes(program, { ...choice, file: config.file });
  asking.write(notes.map((note) => `${note}\n`).join(""));
  return loadConfig(program.env);
}

function tellPresent(asking: Asking, { settings: { provider, model } }: Config): void {
  if (provider === null || model === null) return;
  const words = `Now ${provider} ${cleanLine(model)} answers. What you choose is for new sessions.`;
  tell(asking, words, stylesOf(asking).dim);
}
