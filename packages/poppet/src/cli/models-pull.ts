/** `models pull`: fetches a model, showing how far it is. What Ctrl-C leaves of a download, the next try goes on from. */
import { systemClock } from "@poppet/chat";
import { cleanLine } from "../clean.ts";
import type { Program } from "./program.ts";
import { openProgress } from "./render/progress.ts";
import { byteSize } from "./render/time.ts";
import { watchSignals } from "./signals.ts";

export async function pullModel(this: Program, _flags: object, reference: string): Promise<void> {
  const [terminal, config] = await Promise.all([this.terminal(), this.config()]);
  const interruption = watchSignals(() => this.stderr.release());
  const write = (text: string): void => {
    this.stderr.write(text);
    this.stderr.flush()?.catch(() => undefined);
  };
  const progress = openProgress({
    write,
    columns: terminal.columns,
    moving: terminal.stderr && !terminal.dumb,
    clock: systemClock,
  });
  try {
    const model = await this.parts.pullModel(reference, {
      home: config.home,
      signal: interruption.signal,
      onProgress: progress.update,
      onSourceFailed: (source, reason) => progress.note(cleanLine(`not from ${source}: ${reason}`)),
    });
    progress.end();
    const what = model.source === null ? "already there" : `fetched from ${cleanLine(model.source)}`;
    write(`${what}: ${cleanLine(model.name)} (${byteSize(model.bytes)}) in ${cleanLine(model.path)}\n`);
    if (config.settings.provider === null) {
      write(`to use it: poppet setup --provider local --model ${cleanLine(model.name)}\n`);
    }
  } catch (thrown) {
    progress.end();
    const code = interruption.exitCode();
    if (code !== null) this.process.exitCode = code;
    throw thrown;
  } finally {
    interruption.stop();
  }
}
