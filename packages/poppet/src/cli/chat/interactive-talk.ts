/** What the states of `chat interactive` share: the prompt with its screen, the renderer over it, and the signals. */
import { messageOf, systemClock } from "@poppet/chat";
import type { Environment } from "../../config/location.ts";
import { PoppetError } from "../../error.ts";
import { openModes } from "../keyboard/modes.ts";
import type { Program } from "../program.ts";
import { completer } from "../prompt/complete.ts";
import { reflows } from "../prompt/draw.ts";
import type { Prompt } from "../prompt/prompt.ts";
import { openRunRenderer, type RunRenderer, type Sink } from "../render/run.ts";
import { around, type Role, themeOf } from "../render/theme.ts";
import { type Interruption, watchSignals } from "../signals.ts";
import type { Terminal } from "../terminal.ts";
import { type Command, interactiveCommands } from "./interactive-commands.ts";
import type { NewSession, Start } from "./interactive-start.ts";
import type { Naming } from "./interactive-title.ts";

/** Which session it is changes with the first message, and by commands. */
export interface Talk {
  readonly program: Program;
  readonly prompt: Prompt;
  readonly interruption: Interruption;
  readonly commands: readonly Command[];
  session: Start;
  exitCode: number;
  /** The title that was asked for last. */
  naming: Naming | null;
  columns(): number;
  /** Lines for the person, dimmed or not. */
  say(text: string, style?: "dim"): void;
  /** One line, wrapped at words. */
  tell(line: string, style?: "dim"): void;
  renderer(): RunRenderer;
}

const plainSession: NewSession = { workload: "general", skill: null, project: null };

export async function openTalk(program: Program, start: Start): Promise<Talk> {
  const [terminal, config] = await Promise.all([program.terminal(), program.config()]);
  if (!terminal.stdin || !terminal.stdout) {
    throw new PoppetError(
      "usage",
      "chat interactive needs a terminal for stdin and stdout; elsewhere use: poppet chat new MESSAGE, poppet chat send ID MESSAGE",
    );
  }
  const { stdout, stderr } = program;
  const commands = interactiveCommands(program, "sessionId" in start ? plainSession : start);
  const out = unfailing(stdout, (why) => interruption.outputGone(why));
  const prompt = await openPrompt(out, terminal, commands, program.env);
  const interruption = watchSignals(() => {
    stdout.release();
    stderr.release();
    prompt.interrupt();
  });
  stdout.onClosed(() => interruption.outputGone());
  const screen = {
    stdout: prompt.stage.stdout,
    // The same screen, unless it goes elsewhere.
    stderr: terminal.stderr ? prompt.stage.stderr : stderr,
    stdoutIsTerminal: true,
    stderrIsTerminal: terminal.stderr,
    dumb: terminal.dumb,
    colors: terminal.colors,
    links: terminal.links,
    columns: terminal.columns,
  };
  const [before, after] = styled(terminal, "dim");

  function say(text: string, style?: "dim"): void {
    screen.stderr.write(style === "dim" ? text.replaceAll(/[^\n]+/g, (line) => before + line + after) : text);
    screen.stderr.flush()?.catch(() => undefined);
  }

  return {
    ...{ program, prompt, interruption, commands },
    session: start,
    exitCode: 0,
    naming: null,
    columns: terminal.columns,
    say,
    tell: (line, style) => say(`${Bun.wrapAnsi(line, terminal.columns())}\n`, style),
    renderer: () => openRunRenderer(screen, { ...config.settings.chat, clock: prompt.stage.clock }),
  };
}

/** A terminal that cannot be written to has gone: that ends the talk, and is no error of whoever writes. */
function unfailing(stdout: Sink, gone: (why: string) => void): Sink {
  return {
    write: (text) => stdout.write(text),
    flush() {
      try {
        return stdout.flush()?.catch((thrown) => gone(messageOf(thrown)));
      } catch (thrown) {
        gone(messageOf(thrown));
        return undefined;
      }
    },
  };
}

async function openPrompt(
  out: Sink,
  terminal: Terminal,
  commands: readonly Command[],
  env: Environment,
): Promise<Prompt> {
  const modes = terminal.dumb ? null : openModes({ pasteMarks: 1 });
  if (modes === null) {
    const { openPlainPrompt } = await import("../prompt/plain.ts");
    return openPlainPrompt(out, systemClock, terminal.columns);
  }
  const { openLinePrompt } = await import("../prompt/prompt.ts");
  return openLinePrompt({
    ...{ out, clock: systemClock, modes },
    reflows: reflows(env),
    area: () => ({ columns: terminal.columns(), rows: terminal.rows() }),
    style: { label: styled(terminal, "strong"), hint: styled(terminal, "dim") },
    complete: completer(commands, env.HOME ?? ""),
  });
}

function styled({ colors }: Terminal, role: Role): readonly [before: string, after: string] {
  const { before = "", after = "" } = around(themeOf(colors)?.[role]) ?? {};
  return [before, after];
}
