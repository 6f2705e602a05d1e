/**
 * Finds the argument whose bytes are no UTF-8. Bun puts U+FFFD in their place, so what would be saved is not what was
 * given. Linux tells the bytes; elsewhere nobody can say, and the text is taken as it is.
 */
import { cutCodePoints } from "@poppet/chat";
import { PoppetError } from "../error.ts";

const mostShown = 40;

/** The refusal of the first that is broken; null where all are whole. */
export async function brokenArgument(given: readonly string[]): Promise<PoppetError | null> {
  const bytes = await Bun.file("/proc/self/cmdline")
    .bytes()
    .catch(() => null);
  if (bytes === null) return null;
  // Each argument ends with a NUL; Bun's own stand in front.
  const raw = Buffer.from(bytes).toString("latin1").split("\0").slice(0, -1).slice(-given.length);
  const broken = given.find((_, i) => !isUtf8(raw[i] ?? ""));
  if (broken === undefined) return null;
  const shown = JSON.stringify(cutCodePoints(broken, mostShown));
  return new PoppetError("usage", `The argument ${shown} is not UTF-8 text; convert it first, for example with iconv.`);
}

function isUtf8(latin1: string): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(latin1, "latin1"));
    return true;
  } catch {
    return false;
  }
}
