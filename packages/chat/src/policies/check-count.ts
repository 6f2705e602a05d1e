/** The sizes that policies take. */
import { ChatError } from "../errors.ts";

/** Refuses an option that is not a whole number of at least `least`; Infinity passes. */
export function checkCount(name: string, value: number, least: number): void {
  if (value === Infinity || (Number.isInteger(value) && value >= least)) return;
  throw new ChatError("option_invalid", `${name} is ${value}: give a whole number of at least ${least}, or Infinity.`);
}
