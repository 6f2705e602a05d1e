/** `/undo`: takes back the last exchange. One whose turn failed was never added, so there is nothing of it to take back. */
import { abortError } from "../errors.ts";
import { cutCodePoints } from "../text.ts";
import type { Command } from "./command.ts";
import { type Editable, orTryAgain, whyNotEditable } from "./editing.ts";

/** `/undo`. Says what it took back; a conversation that moved on is said. */
export function undoCommand(): Command<Editable> {
  return {
    name: "undo",
    summary: "takes back the last message and its answer",
    unavailable: whyNotEditable,
    run: ({ client: { editor }, signal }) =>
      orTryAgain(async () => {
        const view = await editor?.read({ newest: 1 });
        if (signal.aborted) throw abortError(signal.reason, "/undo");
        const [dropped] = (view && (await editor?.dropLast(view.revision, 1))) ?? [];
        if (!dropped) return { text: "There is nothing to take back." };
        const said = dropped.messages.find((message) => message.role === "user")?.text ?? "";
        return { text: `Took back: ${excerpt(said)}`, changed: true };
      }),
  };
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const cut = cutCodePoints(line, 60);
  return cut.length < line.length ? `${cut}…` : cut;
}
