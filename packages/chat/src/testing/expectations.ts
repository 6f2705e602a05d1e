/** Expectations that throw, for cases that run under any test runner. */

/** Array.fromAsync is not in Node 20. */
export async function collect<Item>(iterable: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const entry of iterable) list.push(entry);
  return list;
}

export function equal(actual: unknown, expected: unknown): void {
  const [a, b] = [stable(actual), stable(expected)];
  if (a !== b) throw new Error(`expected ${b}\n     got ${a}`);
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
    throw thrown;
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
