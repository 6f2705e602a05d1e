/** The cases of the suite for providers, and which of them a provider fails. */
import { describeProvider, type ProviderFactory } from "../src/testing/index.ts";

export function casesOf(factory: ProviderFactory, patienceMs = 10_000) {
  const cases: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  describeProvider(factory, { test: (name, run) => cases.push({ name, run }), patienceMs });
  return cases;
}

export async function failing(factory: ProviderFactory, patienceMs?: number): Promise<readonly string[]> {
  const outcomes = casesOf(factory, patienceMs).map(({ name, run }) =>
    run().then(
      () => [],
      () => [name.replace("the provider: ", "")],
    ),
  );
  return (await Promise.all(outcomes)).flat();
}
