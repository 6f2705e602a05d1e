/** A suite with which anyone proves a provider, under any test runner. */
import { casesFor } from "./provider-cases.ts";
import type { ProviderFactory } from "./provider-factory.ts";
import { type KindCase, modelCases, sessionCases, toolCases } from "./provider-kind-cases.ts";
import { liveCases } from "./provider-live-cases.ts";
import { type Runner, runSuite, type SuiteCase } from "./runner.ts";

/** The runner, and how the suite uses it. */
export interface ProviderSuiteOptions extends Runner {
  /** Default: `the provider`. */
  readonly name?: string;
  /** How long a case waits for what must come; it fails then. Default: 10 seconds. */
  readonly patienceMs?: number;
}

/**
 * Registers a test for each thing that a provider must do, by the contract of `Model.stream`:
 *
 *     describeProvider({ kind: "model", tools: true, open: (answers) => … }, { describe, test });
 *     describeProvider({ kind: "live", tools: true, open: () => ({ provider }) }, { describe, test });
 */
export function describeProvider(factory: ProviderFactory, options: ProviderSuiteOptions): void {
  const { name = "the provider", patienceMs = 10_000 } = options;
  runSuite(options, name, casesOf(factory, patienceMs));
}

function casesOf(factory: ProviderFactory, patience: number): readonly SuiteCase[] {
  const of = <Kind>(kind: Kind, cases: readonly KindCase<Kind>[]) =>
    cases.map((one) => ({ name: one.name, run: () => one.run(kind, patience) }));
  switch (factory.kind) {
    case "live":
      return of(factory, liveCases(factory));
    case "session":
      return [...of(factory, casesFor(factory)), ...of(factory, sessionCases)];
    case "model":
      return of(factory, [...casesFor(factory), ...modelCases, ...(factory.tools ? toolCases : [])]);
  }
}
