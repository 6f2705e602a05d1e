/**
 * The renderer of a run, for every surface that is a terminal: the answer to stdout, everything else to stderr, also
 * where both are the same screen. Work per delta does not grow with the answer. After each event the caller gets a
 * promise where a slow reader has to be waited for.
 */
import type { Clock } from "@poppet/chat";
import type { RunEvent, RunOutcome } from "../../assistant.ts";
import { cleanLine } from "../../clean.ts";
import { openAnswer } from "./answer.ts";
import { openReasoning } from "./reasoning.ts";
import { openThinking, type Thinking } from "./thinking.ts";

export interface Screen {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  readonly dumb: boolean;
  readonly colors: number;
  columns(): number;
}

export interface Sink {
  write(text: string): void;
  flush(): Promise<void> | undefined;
}

export interface RunRenderer {
  event(event: RunEvent): Promise<void> | undefined;
  /** A line for the person, on stderr. */
  note(line: string): void;
  /** Takes the indicator away and ends what is under way; then the failure's line. */
  end(outcome: RunOutcome): Promise<void>;
  /** The same, where the run did not come to an outcome. */
  clear(): void;
}

export function openRunRenderer(
  screen: Screen,
  options: { readonly logReasoning: boolean; readonly clock: Clock },
): RunRenderer {
  const { stdout, stderr } = screen;
  const shared = screen.stdoutIsTerminal && screen.stderrIsTerminal;
  const styles = reasoningStyles(screen);
  const answer = openAnswer((text) => stdout.write(text), screen.stdoutIsTerminal);
  const thinking = screen.stderrIsTerminal && !screen.dumb ? openIndicator() : plainAbove();
  const reasoning = openReasoning((text) => thinking.above(text, styles));
  let answering = false;

  function openIndicator(): Thinking {
    return openThinking({
      write: writeNow,
      columns: () => screen.columns(),
      highlight: screen.colors >= 256,
      clock: options.clock,
    });
  }

  function plainAbove(): Thinking {
    return {
      show() {},
      hide() {},
      above: (text, style) => writeNow(style === undefined ? text : style.before + text + style.after),
      atLineStart() {},
    };
  }

  function writeNow(text: string): void {
    stderr.write(text);
    // A stderr that nobody reads holds back nothing: the answer is what counts.
    stderr.flush()?.catch(() => undefined);
  }

  /** stderr may write from here: on a shared screen the answer's line is ended first. */
  function aside(): void {
    if (!shared || !answering) return;
    answer.breakLine();
    stdout.flush()?.catch(() => undefined);
    answering = false;
    thinking.atLineStart();
  }

  function think(): void {
    aside();
    answering = false;
    thinking.show();
  }

  function text(step: number, delta: string): void {
    if (delta === "") return;
    if (!answering) endReasoning();
    answering = true;
    answer.push(step, delta);
  }

  function endReasoning(): void {
    thinking.hide();
    if (reasoning.end() && shared) thinking.above("\n");
    thinking.atLineStart();
  }

  function note(line: string): void {
    aside();
    thinking.above(`${cleanLine(line)}\n`);
  }

  return {
    note,
    event(event) {
      switch (event.type) {
        case "accepted":
          note(`session ${event.sessionId}`);
          note(`run ${event.runId}`);
          think();
          break;
        case "waiting":
          note("waiting: this session is answering another message; this one is saved and comes next");
          thinking.hide();
          break;
        case "started":
        case "step-start":
        case "tool-start":
          think();
          break;
        case "reasoning":
          if (!options.logReasoning) break;
          aside();
          reasoning.push(`${event.step}.${event.section}`, event.delta);
          break;
        case "text":
          text(event.step, event.delta);
          break;
      }
      return stdout.flush();
    },
    async end(outcome) {
      if (!answering) endReasoning();
      if (outcome.state === "completed" || screen.stdoutIsTerminal) answer.end();
      await stdout.flush();
      if (outcome.state !== "completed") writeNow(`poppet: ${cleanLine(outcome.error.message)}\n`);
    },
    clear() {
      if (!answering) endReasoning();
      if (screen.stdoutIsTerminal) answer.end();
    },
  };
}

/** Muted cyan where colour is on. */
function reasoningStyles(screen: Screen): { readonly before: string; readonly after: string } | undefined {
  if (!screen.stderrIsTerminal || screen.colors === 0) return undefined;
  return { before: screen.colors >= 256 ? "\x1b[38;5;73m" : "\x1b[2;36m", after: "\x1b[0m" };
}
