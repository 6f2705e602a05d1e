/** What a person enters at the prompt, and what of it waits. */

export type Entry = { readonly type: "line"; readonly text: string } | { readonly type: "end" };

/** Takes the lines out. An end stays, for nobody says it twice: a terminal that has gone cannot. */
export function takeLines(queue: Entry[]): readonly string[] {
  const taken = queue.splice(0);
  queue.push(...taken.filter((entry) => entry.type === "end"));
  return taken.flatMap((entry) => (entry.type === "line" ? [entry.text] : []));
}
