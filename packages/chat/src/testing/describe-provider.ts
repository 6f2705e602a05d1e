/** A suite with which anyone proves a provider, under any test runner. */
import { casesFor } from "./provider-cases.ts";
import type { ProviderFactory } from "./provider-factory.ts";
import { sessionCases, toolCases } from "./provider-kind-cases.ts";
import { type Runner, runSuite } from "./runner.ts";

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
 */
export function describeProvider(factory: ProviderFactory, options: ProviderSuiteOptions): void {
  const { name = "the provider", patienceMs = 10_000 } = options;
  const common = casesFor(factory).map((one) => ({ name: one.name, run: () => one.run(factory, patienceMs) }));
  runSuite(options, name, [...common, ...ofKind(factory, patienceMs)]);
}

function ofKind(factory: ProviderFactory, patience: number) {
  if (factory.kind === "session")
    return sessionCases.map((one) => ({ name: one.name, run: () => one.run(factory, patience) }));
  const cases = factory.tools ? toolCases : [];
  return cases.map((one) => ({ name: one.name, run: () => one.run(factory, patience) }));
}
