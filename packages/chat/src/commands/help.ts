/** `/help`: every command there is, and of one that cannot be used here why. */
import { messageOf } from "../errors.ts";
import type { Command } from "./command.ts";

/** `/help`. `data` is a list of `{name, summary, unavailable}`. */
export function helpCommand(): Command<unknown> {
  return {
    name: "help",
    summary: "lists the commands",
    async run({ client, set }) {
      const list = [...set].map((command) => ({
        name: command.name,
        summary: command.summary,
        unavailable: whyNot(command, client),
      }));
      const width = Math.max(...list.map((one) => one.name.length));
      const lines = list.map(({ name, summary, unavailable }) => {
        const line = `/${name.padEnd(width)}  ${summary}`;
        return unavailable === null ? line : `${line} (not here: ${unavailable})`;
      });
      return { text: lines.join("\n"), data: list };
    },
  };
}

/** A command that cannot even say is listed all the same. */
function whyNot(command: Command<unknown>, client: unknown): string | null {
  try {
    return command.unavailable?.(client) ?? null;
  } catch (thrown) {
    return messageOf(thrown);
  }
}
