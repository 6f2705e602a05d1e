/**
 * The renderer of a run, for every surface that is a terminal: the answer to stdout, everything else to stderr, also
 * where both are the same screen. Work per delta does not grow with the answer. After each event the caller gets a
 * promise where a slow reader has to be waited for.
 */
import type { Clock } from "@poppet/chat";
import type { RunEvent, RunOutcome } from "../../assistant.ts";
import { cleanLine, openCleaner, openWhole } from "../../clean.ts";
import { type Answer, type Drawing, openAnswer } from "./answer.ts";
import { openAtWork } from "./at-work.ts";
import { showNaming } from "./naming.ts";
import { openReasoning } from "./reasoning.ts";
import { around, themeOf } from "./theme.ts";
import { openThinking, type Thinking } from "./thinking.ts";

export interface Screen {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  readonly dumb: boolean;
  readonly colors: number;
  /** The terminal knows OSC 8. */
  readonly links: boolean;
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
  /** After the end: says that a title is asked for, where it takes long. The returned function takes that away. */
  naming(stopped: AbortSignal): () => void;
  /** The same, where the run did not come to an outcome. */
  clear(): void;
}

export function openRunRenderer(
  screen: Screen,
  options: {
    readonly logReasoning: boolean;
    /** Draws the answer's Markdown where stdout is a terminal that can show it. */
    readonly markdown: boolean;
    readonly clock: Clock;
  },
): RunRenderer {
  const { stdout, stderr } = screen;
  const shared = screen.stdoutIsTerminal && screen.stderrIsTerminal;
  const styles = screen.stderrIsTerminal ? around(themeOf(screen.colors)?.reasoning) : undefined;
  const draws = options.markdown && screen.stdoutIsTerminal && !screen.dumb;
  let answer = draws ? undefined : openAnswer(writeAnswer, screen.stdoutIsTerminal ? openCleaner() : openWhole());
  let opening: Promise<Answer> | undefined;
  const thinking = screen.stderrIsTerminal && !screen.dumb ? openIndicator() : plainAbove();
  const atWork = openAtWork();
  const reasoning = openReasoning((text) => thinking.above(text, styles));
  /** The answer is what was written last. */
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

  /** What draws Markdown is loaded while the model is asked, and never for a pipe. */
  function openDrawn(): Promise<Answer> {
    opening ??= import("./markdown/render.ts").then(({ openMarkdown }) => {
      const drawing: Drawing = openMarkdown(screen);
      answer = openAnswer(writeAnswer, drawing);
      return answer;
    });
    return opening;
  }

  /** The indicator stays until there is something to see. */
  function writeAnswer(text: string): void {
    if (!answering) endReasoning();
    answering = true;
    stdout.write(text);
  }

  /** stderr may write from here: on a shared screen the answer's line is ended first. */
  function aside(): void {
    if (!shared) return;
    answer?.breakLine();
    if (!answering) return;
    stdout.flush()?.catch(() => undefined);
    answering = false;
    thinking.atLineStart();
  }

  function think(): void {
    aside();
    answering = false;
    thinking.show(atWork.words());
  }

  function endReasoning(): void {
    thinking.hide();
    if (reasoning.end() && shared) thinking.above("\n");
    thinking.atLineStart();
  }

  async function firstText(step: number, delta: string): Promise<void> {
    (await openDrawn()).push(step, delta);
    await stdout.flush();
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
        case "step-start":
          // A failure is met again, and told, where the text needs it.
          if (draws) openDrawn().catch(() => undefined);
          think();
          break;
        case "tool-start":
          atWork.start(event.call);
          think();
          break;
        case "tool-end":
          atWork.end(event.call);
          think();
          break;
        case "started":
          think();
          break;
        case "reasoning":
          if (!options.logReasoning) break;
          aside();
          reasoning.push(`${event.step}.${event.section}`, event.delta);
          break;
        case "text":
          if (answer === undefined) return firstText(event.step, event.delta);
          answer.push(event.step, event.delta);
          break;
      }
      return stdout.flush();
    },
    async end(outcome) {
      if (outcome.state === "completed" || screen.stdoutIsTerminal) answer?.end();
      if (!answering) endReasoning();
      await stdout.flush();
      if (outcome.state === "completed") return;
      const line = `poppet: ${cleanLine(outcome.error.message)}`;
      writeNow(`${screen.stderrIsTerminal ? Bun.wrapAnsi(line, screen.columns()) : line}\n`);
    },
    naming(stopped) {
      if (!screen.stderrIsTerminal || screen.dumb) return () => {};
      const columns = () => screen.columns();
      const style = around(themeOf(screen.colors)?.dim);
      return showNaming({ write: writeNow, columns, style, clock: options.clock }, stopped);
    },
    clear() {
      if (screen.stdoutIsTerminal) answer?.end();
      if (!answering) endReasoning();
    },
  };
}
