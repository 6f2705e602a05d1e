/** `models pull`: fetches a model, showing how far it is. What Ctrl-C leaves of a download, the next try goes on from. */
import { systemClock } from "@poppet/chat";
import { cleanLine } from "../clean.ts";
import type { PulledModel } from "../models/local/pull.ts";
import type { Program } from "./program.ts";
import { openProgress } from "./render/progress.ts";
import { byteSize } from "./render/time.ts";
import { watchSignals } from "./signals.ts";

export async function pullModel(this: Program, _flags: object, reference: string): Promise<void> {
  const config = await this.config();
  const interruption = watchSignals(() => this.stderr.release());
  try {
    const model = await pullShowing(this, reference, interruption.signal);
    if (config.settings.provider === null) {
      this.stderr.write(`to use it: poppet setup --provider local --model ${cleanLine(model.name)}\n`);
    }
  } catch (thrown) {
    const code = interruption.exitCode();
    if (code !== null) this.process.exitCode = code;
    throw thrown;
  } finally {
    interruption.stop();
  }
}

/** With its progress on stderr, and at the end a line that says where the model is. */
export async function pullShowing(program: Program, reference: string, signal: AbortSignal): Promise<PulledModel> {
  const [terminal, config] = await Promise.all([program.terminal(), program.config()]);
  const write = (text: string): void => {
    program.stderr.write(text);
    program.stderr.flush()?.catch(() => undefined);
  };
  const progress = openProgress({
    write,
    columns: terminal.columns,
    moving: terminal.stderr && !terminal.dumb,
    clock: systemClock,
  });
  try {
    const model = await program.parts.pullModel(reference, {
      home: config.home,
      signal,
      onProgress: progress.update,
      onSourceFailed: (source, reason) => progress.note(cleanLine(`not from ${source}: ${reason}`)),
    });
    progress.end();
    const what = model.source === null ? "already there" : `fetched from ${cleanLine(model.source)}`;
    write(`${what}: ${cleanLine(model.name)} (${byteSize(model.bytes)}) in ${cleanLine(model.path)}\n`);
    return model;
  } catch (thrown) {
    progress.end();
    throw thrown;
  }
}
