/** One message submitted, its run drawn, and the exit code: what `chat new` and `chat send` share. */
import { messageOf, systemClock } from "@poppet/chat";
import type { Assistant, RunOutcome, Submission } from "../../assistant.ts";
import type { Program } from "../program.ts";
import { openRunRenderer, type RunRenderer } from "../render/run.ts";
import { type Interruption, watchSignals } from "../signals.ts";
import { nameAfterAnswer } from "./naming.ts";

export async function runMessage(program: Program, submission: Submission): Promise<void> {
  const [terminal, config] = await Promise.all([program.terminal(), program.config()]);
  const { stdout, stderr } = program;
  const interruption = watchSignals(() => {
    stdout.release();
    stderr.release();
  });
  const readerGone = () => interruption.outputGone();
  stdout.onClosed(readerGone);
  const unwatch = terminal.stdout ? () => {} : terminal.watchReader(1, readerGone);
  const renderer = openRunRenderer(
    {
      stdout,
      stderr,
      stdoutIsTerminal: terminal.stdout,
      stderrIsTerminal: terminal.stderr,
      dumb: terminal.dumb,
      colors: terminal.colors,
      links: terminal.links,
      columns: terminal.columns,
    },
    { ...config.settings.chat, clock: systemClock },
  );
  try {
    const outcome = await runToEnd(await program.openAssistant(), submission, renderer, interruption);
    program.process.exitCode = interruption.exitCode() ?? (outcome.state === "completed" ? 0 : 1);
  } catch (thrown) {
    renderer.clear();
    const code = interruption.exitCode();
    if (code !== null) program.process.exitCode = code;
    throw thrown;
  } finally {
    unwatch();
    interruption.stop();
  }
}

/** Submits the message and draws its run; then its session is named, and the assistant closed in every case. */
async function runToEnd(
  assistant: Assistant,
  submission: Submission,
  renderer: RunRenderer,
  interruption: Interruption,
): Promise<RunOutcome> {
  try {
    const { outcome, sessionId } = await drawRun(assistant, submission, renderer, interruption);
    const named = outcome.state === "completed" ? sessionId : null;
    if (named !== null) await nameAfterAnswer(assistant, named, renderer, interruption);
    return outcome;
  } finally {
    await assistant.close();
  }
}

export async function drawRun(
  assistant: Assistant,
  submission: Submission,
  renderer: RunRenderer,
  interruption: Interruption,
): Promise<{ readonly outcome: RunOutcome; readonly sessionId: string | null }> {
  let sessionId: string | null = null;
  const events = assistant.submit(submission, interruption.signal);
  for (;;) {
    const next = await events.next();
    if (next.done) {
      await renderer.end(next.value);
      return { outcome: next.value, sessionId };
    }
    if (next.value.type === "accepted") sessionId = next.value.sessionId;
    try {
      const slow = renderer.event(next.value);
      if (slow !== undefined) await slow;
    } catch (thrown) {
      // What cannot be written interrupts the run, which then ends and is saved as every other.
      interruption.outputGone(messageOf(thrown));
    }
  }
}
