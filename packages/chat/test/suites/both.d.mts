import type { Runner } from "../../src/testing/index.ts";
export function both(runner: Runner): void;
