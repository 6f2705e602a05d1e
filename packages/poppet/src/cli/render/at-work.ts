/** The tools at work, as the words of the indicator: what was started last and has not ended; without any, the model thinks. */
import { cutCodePoints, type TurnEvent } from "@poppet/chat";
import { cleanLine } from "../../clean.ts";

type Call = Extract<TurnEvent, { type: "tool-start" }>["call"];

/** Follows the tools of a run. */
export interface AtWork {
  start(call: Call): void;
  end(call: Call): void;
  words(): string;
}

const mostShown = 300;
const deeds: readonly (readonly [verb: RegExp, words: string, of: readonly string[]])[] = [
  [/^(?:fetch|read)/, "Reading", ["url", "path", "name"]],
  [/^search/, "Searching", ["query"]],
];

export function openAtWork(): AtWork {
  const running = new Map<string, Call>();
  return {
    start: (call) => void running.set(call.toolCallId, call),
    end: (call) => void running.delete(call.toolCallId),
    words() {
      const last = [...running.values()].at(-1);
      return last === undefined ? "Thinking" : wordsOf(last);
    },
  };
}

/** By the tool's verb: of `poppet_web.fetch_page` it is `fetch_page`. */
export function wordsOf({ toolName, input }: Call): string {
  const verb = toolName.split(/\.|__/).at(-1) ?? "";
  const deed = deeds.find(([begins]) => begins.test(verb));
  const using = line(`Using ${toolName}`);
  if (deed === undefined) return using;
  const [, words, names] = deed;
  const fields: { readonly [name: string]: unknown } =
    typeof input === "object" && input !== null && !Array.isArray(input) ? { ...input } : {};
  const what = names.map((name) => fields[name]).find((value) => typeof value === "string" && value !== "");
  return what === undefined ? using : line(`${words} ${what}`);
}

/** The indicator measures it at every step, so it is not long, whatever a model sent. */
function line(text: string): string {
  return cleanLine(cutCodePoints(text, mostShown));
}
