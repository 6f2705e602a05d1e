/**
 * Every style that is drawn, by its role: one row a role, one column a depth of colour. A style is the parameters of an
 * SGR sequence; "" is the terminal's own look. The colours are of middle brightness, to be read on dark and on light.
 */

const roles = {
  //              256 colours       16
  reasoning: ["38;5;73", "2;36"],
  dim: ["2", "2"],
  error: ["38;5;167", "31"],
  found: ["1;38;5;130", "1;33"],
  heading: ["1;38;5;31", "1;36"],
  title: ["1;4;38;5;31", "1;4;36"],
  strong: ["1", "1"],
  emphasis: ["3", "3"],
  strike: ["9", "9"],
  code: ["38;5;132", "35"],
  link: ["4;38;5;32", "4;34"],
  address: ["38;5;244", "2"],
  quote: ["38;5;244", "2"],
  marker: ["38;5;31", "36"],
  rule: ["38;5;244", "2"],
  fence: ["38;5;244", "2"],
  keyword: ["38;5;133", "35"],
  string: ["38;5;65", "32"],
  number: ["38;5;130", "33"],
  comment: ["38;5;244", "2"],
  tag: ["38;5;31", "36"],
  inserted: ["38;5;65", "32"],
  deleted: ["38;5;167", "31"],
} as const satisfies { readonly [role: string]: readonly [string, string] };

export type Role = keyof typeof roles;
export type Theme = { readonly [name in Role]: string };

/** A theme of nothing is null: what is drawn without styles is another text, not the same one uncoloured. */
export function themeOf(colors: number): Theme | null {
  if (colors === 0) return null;
  const depth = colors >= 256 ? 0 : 1;
  return Object.fromEntries(Object.entries(roles).map(([role, depths]) => [role, depths[depth]])) as Theme;
}

export interface Around {
  readonly before: string;
  readonly after: string;
}

/** What goes before and after a text that is written in one style; nothing where there is none. */
export function around(sgr: string | undefined): Around | undefined {
  return sgr ? { before: `\x1b[${sgr}m`, after: "\x1b[0m" } : undefined;
}

/** C4: the soft highlight that moves over `Thinking...`, from its edge to its middle and back; 256 colours only. */
export const glow = [30, 37, 44, 51, 87, 51, 44, 37].map((color) => `\x1b[38;5;${color}m`);
