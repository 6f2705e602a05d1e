/** A message or a key from stdin, read whole within a bound, checked to be text. */
import { PoppetError, systemReason } from "../error.ts";
import { checkMessage } from "../message.ts";
import type { Program } from "./program.ts";

/** Above what any context takes, so that a message that is merely too large is saved and its run says by how much. */
const mostMessageBytes = 8_388_608;

/** The message: the argument, or stdin's text where it is `-` or absent. */
export async function readMessage(program: Program, argument: string | undefined, example: string): Promise<string> {
  const text = await givenText(program, argument, example);
  checkMessage(text);
  return text;
}

async function givenText(program: Program, argument: string | undefined, example: string): Promise<string> {
  if (argument !== undefined && argument !== "-") return argument;
  if (argument === undefined && (await program.terminal()).stdin) {
    throw new PoppetError("usage", `No message. Give one in quotes, as in: ${example} — or pipe it in.`);
  }
  const text = await readStdin(mostMessageBytes, "The message");
  return text.replace(/\r?\n$/, "");
}

export async function readStdin(limit: number, what: string): Promise<string> {
  const bytes = await readBytes(limit, what);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new PoppetError(
      "message_invalid",
      `${what} on stdin is not UTF-8 text; convert it first, for example with iconv.`,
    );
  }
}

async function readBytes(limit: number, what: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of Bun.stdin.stream()) {
      size += chunk.byteLength;
      if (size > limit) break;
      chunks.push(chunk);
    }
  } catch (thrown) {
    throw new PoppetError(
      "message_invalid",
      `${what} cannot be read from stdin: ${systemReason(thrown)}. Give it a file or a pipe.`,
    );
  }
  if (size <= limit) return Buffer.concat(chunks);
  throw new PoppetError("message_invalid", `${what} on stdin is larger than ${limit} bytes; send a part of it.`);
}
