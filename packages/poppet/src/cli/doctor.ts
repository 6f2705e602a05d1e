/** `doctor`: looks at each part in turn. A line says what was found and, where it is wrong, what to do; then exit 1. */
import type { Config } from "../config/load.ts";
import { folderOf } from "../config/location.ts";
import { PoppetError, systemReason } from "../error.ts";
import type { Finding } from "../finding.ts";
import { printFindings } from "./findings.ts";
import type { Program } from "./program.ts";

export async function doctor(this: Program): Promise<void> {
  await printFindings(this, findings(this));
}

async function* findings(program: Program): AsyncGenerator<Finding> {
  let config: Config;
  try {
    config = await program.config();
  } catch (thrown) {
    if (!PoppetError.isInstance(thrown)) throw thrown;
    yield { ok: false, subject: "settings", message: thrown.message };
    return;
  }
  const { file, fileExists, home, settings } = config;
  yield fileExists
    ? await fileFinding(config)
    : { ok: true, subject: "settings", message: `${file} is not there; the defaults are used` };
  yield await folderFinding(home);
  yield* await program.parts.checkStore(config);
  yield* await (await program.parts.library(config)).check();
  yield choiceFinding(settings.provider, settings.model);
  if (settings.provider !== null) yield* await program.parts.checkProvider(config, program.env);
}

function choiceFinding(provider: string | null, model: string | null): Finding {
  if (provider !== null && model !== null) return { ok: true, subject: "model", message: `${provider} ${model}` };
  const missing = provider === null ? "no provider is chosen" : "no model is chosen";
  return {
    ok: false,
    subject: "model",
    message: `${missing}; run: poppet setup (in a script: poppet setup --provider local --model smollm2-135m)`,
  };
}

/** A file with a key is for nobody else to read. */
async function fileFinding({ file, written }: Config): Promise<Finding> {
  const subject = "settings";
  const hasKey = Object.values(written.providers ?? {}).some((provider) => provider.apiKey !== undefined);
  const { statSync } = await import("node:fs");
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if (!hasKey || (mode & 0o077) === 0) return { ok: true, subject, message: file };
  const message = `${file} has an API key and can be read by others; run: chmod 600 '${file}'`;
  return { ok: false, subject, message };
}

/** Whether it can be made: in the nearest folder above that is there. */
async function missingFolderFinding(home: string): Promise<Finding> {
  const { accessSync, constants, existsSync, statSync } = await import("node:fs");
  const subject = "data folder";
  let above = folderOf(home);
  while (above !== "/" && !existsSync(above)) above = folderOf(above);
  try {
    if (!statSync(above).isDirectory()) throw new Error(`${above} is no folder`);
    accessSync(above, constants.W_OK | constants.X_OK);
    return { ok: true, subject, message: `${home} is not there yet; the first message makes it` };
  } catch (thrown) {
    const reason = `${above}: ${systemReason(thrown)}`;
    const message = `${home} is not there and cannot be made (${reason}); set POPPET_HOME to a folder of yours`;
    return { ok: false, subject, message };
  }
}

/** Looks only: the folder is made by the first command that saves something. */
async function folderFinding(home: string): Promise<Finding> {
  const { accessSync, constants, statSync } = await import("node:fs");
  const subject = "data folder";
  try {
    const status = statSync(home, { throwIfNoEntry: false });
    if (status === undefined) return await missingFolderFinding(home);
    if (!status.isDirectory())
      return { ok: false, subject, message: `${home} is no folder; move it away or set POPPET_HOME` };
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
    if ((status.mode & 0o077) !== 0) {
      return { ok: false, subject, message: `${home} can be read by others; run: chmod 700 '${home}'` };
    }
    return { ok: true, subject, message: home };
  } catch (thrown) {
    const message = `${home} cannot be used (${systemReason(thrown)}); put that right, or set POPPET_HOME`;
    return { ok: false, subject, message };
  }
}
