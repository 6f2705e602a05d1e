/** Expectations that throw, for cases that run under any test runner. */

/** Array.fromAsync is not in Node 20. */
export async function collect<Item>(iterable: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const entry of iterable) list.push(entry);
  return list;
}

/** Of what is not equal the error names the first place where it is not. */
export function equal(actual: unknown, expected: unknown): void {
  if (stable(actual) === stable(expected)) return;
  const [where, a, b] = difference(actual, expected);
  const place = where.length > 0 ? `at ${where.join(".")}: ` : "";
  throw new Error(`${place}expected ${stable(b)}\n     got ${stable(a)}`);
}

type Difference = readonly [where: readonly string[], actual: unknown, expected: unknown];

function difference(actual: unknown, expected: unknown, where: readonly string[] = []): Difference {
  if (isNode(actual) && isNode(expected) && Array.isArray(actual) === Array.isArray(expected)) {
    const other = [...new Set([...Object.keys(expected), ...Object.keys(actual)])].find(
      (key) => stable(actual[key]) !== stable(expected[key]),
    );
    if (other !== undefined) return difference(actual[other], expected[other], [...where, other]);
  }
  return [where, actual, expected];
}

function isNode(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null;
}

/** JSON with sorted keys and without undefined members: equality of data, whatever made it. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_, one) =>
    one && typeof one === "object" && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

/** By its mark, as what is proved may have a copy of the package of its own. */
export async function throws(
  kind: { readonly name: string; isInstance(value: unknown): boolean },
  run: () => Promise<unknown>,
): Promise<void> {
  try {
    await run();
  } catch (thrown) {
    if (kind.isInstance(thrown)) return;
    throw new Error(`expected ${kind.name}, this was thrown: ${thrown}`, { cause: thrown });
  }
  throw new Error(`expected ${kind.name}, nothing was thrown`);
}

export function isTrue(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise);
}

/** What the promise comes to; an error where it comes to nothing for so long. The timer goes with it. */
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
