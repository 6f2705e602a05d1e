/** What a rejected promise was rejected with, as people see it: a code and one line. */
import { expect } from "bun:test";

export async function failure(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  const thrown: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(Error);
  const { code, message } = thrown as { code: string; message: string };
  expect(message).not.toContain("\n");
  return { code, message };
}
