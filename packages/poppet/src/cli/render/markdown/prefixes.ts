/** What stands before the text of a line: bars of quotes, bullets and numbers of items, and the room below them. */
import { mix, noInk, type Span } from "../pen.ts";
import type { Theme } from "../theme.ts";
import type { Container, Opening } from "./blocks.ts";

export interface Prefix {
  readonly first: readonly Span[];
  /** For the lines that the line is wrapped to. */
  readonly hang: readonly Span[];
}

export interface Prefixes {
  /** `written` is the prefix as it was written: what is drawn where styles are off. */
  of(containers: readonly Container[], opening: Opening, written: string): Prefix;
  /** For an empty line. */
  blank(containers: readonly Container[]): readonly Span[];
}

type Item = Container & { readonly type: "item" };

const nothing: Prefix = { first: [], hang: [] };
const bullets = ["•", "◦", "▪"] as const;

export function openPrefixes(theme: Theme | null): Prefixes {
  const bar: Span = { text: theme === null ? "> " : "│ ", ink: mix(noInk, theme?.quote ?? "") };
  const markerInk = mix(noInk, theme?.marker ?? "");
  /** The marker of each open container, as it was drawn. */
  let markers: readonly string[] = [];
  /** By depth, the last number of the list that is under way there. */
  let numbers: ({ readonly value: number; readonly delimiter: string; readonly drawn: number } | null)[] = [];

  function markerOf(item: Item, depth: number, containers: readonly Container[]): string {
    const last = numbers[depth];
    numbers = numbers.slice(0, depth);
    if (item.number === null) {
      const level = containers.slice(0, depth).filter((outer) => outer.type === "item" && outer.number === null).length;
      numbers[depth] = null;
      return `${bullets[level % bullets.length] ?? ""} `;
    }
    const { value, delimiter } = item.number;
    // Who numbers every item alike leaves the counting to the reader.
    const counts = last && last.delimiter === delimiter && last.value === value;
    const drawn = counts ? last.drawn + 1 : value;
    numbers[depth] = { value, delimiter, drawn };
    return `${drawn}${delimiter} `;
  }

  function hangOf(container: Container, i: number): Span {
    if (container.type === "quote") return bar;
    const width = theme === null ? container.need : (markers[i]?.length ?? 0);
    return { text: " ".repeat(width), ink: noInk };
  }

  return {
    of(containers, { matched, opened, leaf }, written) {
      if (containers.length === 0) {
        markers = [];
        if (leaf.type !== "blank") numbers = [];
        return theme === null && written !== "" ? { first: [{ text: written, ink: noInk }], hang: [] } : nothing;
      }
      const drawn = markers.slice(0, Math.min(matched, containers.length - opened.length));
      for (const [i, container] of containers.entries()) {
        if (i < drawn.length) continue;
        drawn.push(container.type === "item" ? markerOf(container, i, containers) : bar.text);
      }
      markers = drawn;
      const under = containers.findLastIndex((container) => container.type === "item") + 1;
      if (leaf.type !== "blank" && opened.length === 0) numbers = numbers.slice(0, under);
      const hang = containers.map(hangOf);
      if (theme === null) return { first: written === "" ? [] : [{ text: written, ink: noInk }], hang };
      const from = containers.length - opened.length;
      const first = containers.flatMap((container, i): Span[] => {
        if (i < from || container.type === "quote") return [hang[i] ?? bar];
        const marker = { text: markers[i] ?? "", ink: markerInk };
        return container.task === null ? [marker] : [marker, { text: `${container.task} `, ink: markerInk }];
      });
      return { first, hang };
    },
    blank(containers) {
      const last = containers.findLastIndex((container) => container.type === "quote");
      const spans = containers.slice(0, last + 1).map(hangOf);
      return spans.map((span, i) => (i === last ? { ...span, text: span.text.trimEnd() } : span));
    },
  };
}
