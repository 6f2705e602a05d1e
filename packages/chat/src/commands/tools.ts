/** `/tools`: what the model may ask for. Tools cannot be read off a client, so give the same list as to `setTools`. */
import type { Tool } from "../tools.ts";
import type { Command } from "./command.ts";

/** `/tools`. `data` is a list of `{name, description}`. */
export function toolsCommand(tools: readonly Pick<Tool, "name" | "description">[]): Command<unknown> {
  return {
    name: "tools",
    summary: "lists what the model may use",
    async run() {
      const list = tools.map(({ name, description }) => ({ name, description }));
      const lines = list.map(({ name, description }) => `${name}: ${description}`);
      return { text: lines.length === 0 ? "The model has no tools." : lines.join("\n"), data: list };
    },
  };
}
