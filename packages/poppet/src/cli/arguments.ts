/**
 * Arguments before the parser sees them: a long option may have one dash (`-limit 3`). Nothing after `--` is touched,
 * nor text that only looks like an option (`-5 degrees`).
 */
export function normalizeArguments(given: readonly string[]): readonly string[] {
  const end = given.indexOf("--");
  const options = end < 0 ? given : given.slice(0, end);
  const rest = end < 0 ? [] : given.slice(end);
  return [
    ...options.map((argument) => (/^-[a-zA-Z][a-zA-Z-]+(=|$)/.test(argument) ? `-${argument}` : argument)),
    ...rest,
  ];
}

/** What `chat sessions` lists without `--limit`. */
export const defaultListLimit = 50;
