/**
 * Changes settings in the file and leaves the rest of it, comments too, as the person wrote it. The file is replaced
 * whole or not at all, and is 0600 from its first byte, in a folder that is 0700 when it is made here.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, realpathSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { parse, patch } from "@decimalturn/toml-patch";
import { PoppetError, systemReason } from "../error.ts";
import type { ProviderName, ProviderSettings } from "../settings.ts";
import { parseSettings, readSettings, type WrittenSettings } from "./load.ts";
import { folderOf } from "./location.ts";

export interface Choice {
  readonly provider: ProviderName;
  readonly model: string;
  readonly baseUrl?: string;
  /** Null takes out the one that is there. */
  readonly apiKey?: string | null;
}

/**
 * Makes the choice the one that new sessions get. What it does not name stays, as the file has it now: much can have
 * changed in it since the person was asked.
 */
export async function saveChoice({ file }: { readonly file: string }, choice: Choice): Promise<void> {
  const { text: before, written } = await readSettings(file);
  const text = await changed(before ?? "# Poppet's settings: see docs/configuration.md\n", { file, written }, choice);
  try {
    replaceFile(file, text);
  } catch (thrown) {
    throw new PoppetError(
      "config_unwritable",
      `The settings file ${file} cannot be written: ${systemReason(thrown)}. Make its folder writable, or name another file in POPPET_CONFIG.`,
    );
  }
}

async function changed(
  before: string,
  { file, written }: { readonly file: string; readonly written: WrittenSettings },
  choice: Choice,
): Promise<string> {
  const added: ProviderSettings = {
    ...(choice.baseUrl === undefined ? {} : { baseUrl: choice.baseUrl }),
    ...(typeof choice.apiKey === "string" ? { apiKey: choice.apiKey } : {}),
  };
  const chosen = { ...parse(before), provider: choice.provider, model: choice.model } as WrittenSettings;
  const own = written.providers?.[choice.provider];
  const isNew = own === undefined;
  const removes = choice.apiKey === null && own?.apiKey !== undefined;
  const lines = Object.entries(added).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  if (!removes && (lines.length === 0 || isNew)) {
    const block = lines.length === 0 ? "" : `\n[providers.${choice.provider}]\n${lines.join("")}`;
    const simple = withNewline(patch(before, chosen)) + block;
    if (await holds(simple, file, choice)) return simple;
  }
  const { apiKey, ...rest } = chosen.providers?.[choice.provider] ?? {};
  const table = { ...rest, ...(removes || apiKey === undefined ? {} : { apiKey }), ...added };
  const text = withNewline(patch(before, { ...chosen, providers: { ...chosen.providers, [choice.provider]: table } }));
  if (await holds(text, file, choice)) return text;
  throw new PoppetError(
    "config_unwritable",
    `${file}: is laid out in a way that cannot be changed safely; set provider and model there by hand.`,
  );
}

/** What is about to be written is read back first. */
async function holds(text: string, file: string, choice: Choice): Promise<boolean> {
  try {
    const read = await parseSettings({ file, text });
    const table = read.providers?.[choice.provider];
    return (
      read.provider === choice.provider &&
      read.model === choice.model &&
      (choice.baseUrl === undefined || table?.baseUrl === choice.baseUrl) &&
      (choice.apiKey === undefined || table?.apiKey === (choice.apiKey ?? undefined))
    );
  } catch {
    return false;
  }
}

function withNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function replaceFile(named: string, text: string): void {
  const file = followed(named);
  mkdirSync(folderOf(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${crypto.randomUUID()}.tmp`;
  const handle = openSync(temporary, "wx", 0o600);
  try {
    try {
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (thrown) {
    unlinkSync(temporary);
    throw thrown;
  }
  syncFolder(folderOf(file));
}

/** A settings file kept elsewhere by a link stays a link. */
function followed(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
