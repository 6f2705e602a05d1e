/** Asks the choice one question and shows how long that took. A failure is told and leaves the next step to the person. */
import { ChatError, messageOf } from "@poppet/chat";
import { cleanLine } from "../../clean.ts";
import type { Choice } from "../../config/write.ts";
import { keyOf, providerFacts } from "../../models/providers.ts";
import { stylesOf, tell } from "../ask/block.ts";
import type { Option } from "../ask/options.ts";
import { select } from "../ask/select.ts";
import { waiting } from "../ask/waiting.ts";
import { cutWidth } from "../graphemes.ts";
import { configWith, type Guide } from "./draft.ts";

export type Verdict = "save" | "retry" | "key" | "again";

const mostShown = 300;

export async function tryOut(guide: Guide, choice: Choice): Promise<Verdict> {
  const { asking } = guide;
  const styles = stylesOf(asking);
  const who = `${choice.provider} ${cleanLine(choice.model)}`;
  try {
    const asked = asking.during((signal) => answerOf(guide, choice, signal));
    const answer = await waiting(asking, `Asking ${who} to say hello (Esc: skip)`, asked);
    if (answer === null) {
      tell(asking, "The test was skipped.");
      return "save";
    }
    tell(asking, `It says: ${cutWidth(answer.text, mostShown)}`, styles.dim);
    tell(asking, answer.times, styles.dim);
    return "save";
  } catch (thrown) {
    if (asking.left()) throw thrown;
    const words = cleanLine(hidden(guide, choice, messageOf(thrown)));
    tell(asking, words, styles.wrong);
    return askNext(guide, choice, thrown);
  }
}

async function askNext(guide: Guide, choice: Choice, thrown: unknown): Promise<Verdict> {
  const again: Option<Verdict> = { label: "Choose something else", value: "again" };
  const key: Option<Verdict> = {
    label: keyFor(guide, choice) === null ? "Give a key" : "Give another key",
    value: "key",
  };
  const retry: Option<Verdict> = { label: "Try again", value: "retry" };
  const save: Option<Verdict> = { label: "Save it all the same", value: "save" };
  const badKey = ChatError.isInstance(thrown) && /^provider_(auth|permission|not_configured)$/.test(thrown.code);
  const keys = providerFacts[choice.provider].keyVariables.length > 0 ? [key] : [];
  const options = badKey ? [...keys, again, retry, save] : [again, retry, ...keys, save];
  return (await select(guide.asking, { title: "What now?", options, back: true })) ?? "again";
}

async function answerOf(
  guide: Guide,
  choice: Choice,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly times: string }> {
  const { program, config } = guide;
  const start = program.now();
  let begun = false;
  let first: number | null = null;
  let text = "";
  for await (const event of program.parts.tryModel(configWith(config, choice), program.env, signal)) {
    begun = true;
    if (event.type !== "text") continue;
    first ??= program.now();
    if (text.length < 65_536) text += event.delta;
  }
  if (!begun) throw new ChatError("answer_empty", "It answered with nothing.");
  const beginning = first === null ? "" : `${seconds(first - start)} to its first word, `;
  const times = `${beginning}${seconds(program.now() - start)} in all.`;
  return { text: cleanLine(hidden(guide, choice, text)) || "(nothing but its thinking)", times };
}

/** The key is shown to nobody, whatever a server sends back. */
function hidden(guide: Guide, choice: Choice, text: string): string {
  const key = keyFor(guide, choice);
  return key === null ? text : text.replaceAll(key, "[key]");
}

function keyFor({ program, config }: Guide, choice: Choice): string | null {
  return keyOf(choice.provider, configWith(config, choice).settings, program.env);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
