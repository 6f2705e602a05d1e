/** Suites need no test runner: they are given its functions. */

/** The functions of `bun test`, node:test, Vitest, or Deno, whose own has no `describe`. */
export interface Runner {
  /** Default: the suite's name stands before each test's. */
  readonly describe?: (name: string, body: () => void) => unknown;
  readonly test: (name: string, run: () => Promise<void>) => unknown;
}

export interface SuiteCase {
  readonly name: string;
  run(): Promise<void>;
}

export function runSuite({ describe, test }: Runner, suite: string, cases: readonly SuiteCase[]): void {
  if (!describe) {
    for (const { name, run } of cases) test(`${suite}: ${name}`, run);
    return;
  }
  describe(suite, () => {
    for (const { name, run } of cases) test(name, run);
  });
}
