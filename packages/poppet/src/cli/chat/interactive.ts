/**
 * `chat interactive`: a conversation at a prompt, as the states that it goes through. Each returns the next: `greet`,
 * `ask`, then `answer` or the `effect` of a command, and `ask` again, until `leave`. Storage is open only while a state
 * asks something of it.
 */
import { ChatError } from "@poppet/chat";
import type { Submission } from "../../assistant.ts";
import { cleanLine } from "../../clean.ts";
import { PoppetError } from "../../error.ts";
import { failureLine } from "../failure.ts";
import type { Program } from "../program.ts";
import { commandIn } from "../prompt/commands.ts";
import type { RunRenderer } from "../render/run.ts";
import type { Effect } from "./interactive-commands.ts";
import { greeting, type Start } from "./interactive-start.ts";
import { openTalk, type Talk } from "./interactive-talk.ts";
import { startNaming, titled } from "./interactive-title.ts";
import type { NewSessionFlags } from "./new.ts";
import { drawRun } from "./run.ts";

type State = (talk: Talk) => Promise<State | null>;

export async function chatInteractive(this: Program, flags: NewSessionFlags, sessionId?: string): Promise<void> {
  const { coding, skill = null, project = null } = flags;
  if (sessionId !== undefined) {
    if (coding || skill !== null || project !== null) {
      throw new PoppetError(
        "usage",
        "A saved session keeps its skill, project and kind of work: leave out --coding, --skill and --project with an ID.",
      );
    }
    await interactive(this, { sessionId });
    return;
  }
  const workload = coding ? "coding" : "general";
  const { provider, model } = (await this.config()).settings;
  const configured = provider !== null && model !== null;
  const program = configured ? this : await (await import("../setup-offer.ts")).offerSetup(this, workload);
  if (program !== null) await interactive(program, { workload, skill, project });
}

export async function interactive(program: Program, start: Start): Promise<void> {
  const talk = await openTalk(program, start);
  try {
    let state: State | null = greet;
    while (state !== null) state = await state(talk);
    program.process.exitCode = talk.exitCode;
  } finally {
    talk.prompt.stage.leave();
    talk.prompt.close();
    talk.interruption.stop();
  }
}

/** Which session this is, and where it stands. */
const greet: State = async (talk) => {
  const { line, last, lastMessage, sessionId } = await greeting(talk.program, talk.session);
  if (sessionId !== null) talk.session = { sessionId };
  talk.tell(line, "dim");
  if (last !== null) talk.say(`\n${last}\n`, "dim");
  if (lastMessage !== null) talk.prompt.remember(lastMessage);
  return space;
};

/** An empty line, so that what was said stands together. */
const space: State = async (talk) => {
  talk.say("\n");
  return ask;
};

const ask: State = async ({ prompt, interruption, commands }) => {
  // A signal that came between two states found no read to end.
  const entry = interruption.exitCode() === null ? await prompt.read() : ({ type: "end" } as const);
  if (entry.type === "end") {
    const code = interruption.exitCode();
    // Ctrl-C leaves the prompt as Ctrl-D does; there was nothing to interrupt.
    return leave(code === null || code === 130 ? 0 : code);
  }
  const named = commandIn(entry.text, commands);
  if (named === null) return answer(entry.text);
  const { command, args } = named;
  const unwanted = command.argument === null && args.trim() !== "";
  return effect(unwanted ? { type: "say", text: `/${command.name} takes nothing after it.\n` } : command.run(args));
};

function effect(of: Effect): State {
  return async (talk) => {
    if (of.type === "leave") return leave(0);
    if (of.type === "session") return enter(of.session);
    talk.say(of.text);
    return space;
  };
}

/** Another session, or the one from before where there is none of that ID. */
function enter(session: Start): State {
  return async (talk) => {
    const before = talk.session;
    talk.session = session;
    try {
      return await greet(talk);
    } catch (thrown) {
      talk.session = before;
      talk.tell(failureLine(thrown));
      return space;
    }
  };
}

/** One message and its answer. What it throws was not accepted. */
function answer(text: string): State {
  return async (talk) => {
    await titled(talk);
    const renderer = talk.renderer();
    const target: Submission["target"] =
      "sessionId" in talk.session
        ? { type: "session", sessionId: talk.session.sessionId }
        : { type: "new", ...talk.session };
    const watched: RunRenderer = {
      ...renderer,
      event(event) {
        if (event.type !== "accepted") return renderer.event(event);
        talk.session = { sessionId: event.sessionId };
        return undefined;
      },
    };
    try {
      const assistant = await talk.program.openAssistant();
      try {
        const { outcome } = await drawRun(assistant, { text, channel: "cli", target }, watched, talk.interruption);
        return outcome.state === "completed" ? answered : unanswered;
      } finally {
        await assistant.close();
      }
    } catch (thrown) {
      renderer.clear();
      return notAccepted(thrown);
    }
  };
}

const answered: State = async (talk) => {
  const code = talk.interruption.exitCode();
  if (code !== null) return leave(code);
  // C9: asked for while the person reads and types. Only the next message, and leaving, wait for it.
  const { session, naming } = talk;
  if ("sessionId" in session && naming?.sessionId !== session.sessionId) {
    talk.naming = startNaming(talk, session.sessionId);
  }
  return space;
};

/** The failure stands on the screen. Nothing is sent again, and what waited behind it is the person's to send. */
const unanswered: State = async (talk) => {
  const code = talk.interruption.exitCode();
  if (code !== null) return leave(code);
  const unsent = talk.prompt.withdraw();
  if (unsent.length > 0) talk.tell(`Not sent: ${unsent.map(cleanLine).join(" | ")} (the up arrow brings it back)`);
  return space;
};

function notAccepted(thrown: unknown): State {
  return async (talk) => {
    const code = talk.interruption.exitCode();
    talk.tell(failureLine(thrown));
    if (code !== null) return leave(code);
    // Nothing is known of what became of the message.
    const known = PoppetError.isInstance(thrown) || ChatError.isInstance(thrown);
    if (!known && !("sessionId" in talk.session)) return lose;
    // A session that cannot be made like this cannot be made by the next message either.
    if (isMisuse(thrown) && !("sessionId" in talk.session)) return leave(2);
    return unanswered;
  };
}

function isMisuse(thrown: unknown): boolean {
  return PoppetError.isInstance(thrown) && thrown.exitCode === 2 && thrown.code !== "message_invalid";
}

/** C16: the message may have made a session that nobody could tell about. Another would be a second one. */
const lose: State = async (talk) => {
  talk.tell("The message may have been saved. Look for its session with: poppet chat sessions");
  return leave(1);
};

function leave(exitCode: number): State {
  return async (talk) => {
    const unsent = talk.prompt.withdraw();
    talk.prompt.stage.leave();
    await talk.interruption.afterwards(() => titled(talk));
    if (unsent.length > 0) talk.tell(`Not sent: ${unsent.map(cleanLine).join(" | ")}`);
    if ("sessionId" in talk.session) talk.say(`Go on with: poppet chat interactive ${talk.session.sessionId}\n`, "dim");
    talk.exitCode = exitCode;
    return null;
  };
}
