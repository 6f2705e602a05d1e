/**
 * C9: one request for a title, after a session's first answer, to the session's own provider and model: a short excerpt of
 * the first prompt, no tools, no history, ten seconds in all, never a second one. Whatever goes wrong, the title from the
 * prompt stays and nobody is told.
 */
import {
  ChatError,
  type Clock,
  cutCodePoints,
  type Model,
  type ModelRequest,
  Scope,
  type Usage,
  untilAborted,
} from "@poppet/chat";
import type { ModelSource } from "../runs/run-turn.ts";
import { providerNames } from "../settings.ts";
import { attemptNaming, saveNaming, type UnnamedSession, unnamedSession } from "../store/naming.ts";
import type { Store } from "../store/sqlite.ts";

export interface NamingServices {
  readonly store: Store;
  readonly clock: Clock;
  readonly models: ModelSource;
}

const deadlineMs = 10_000;
/** Code points of the prompt. */
const excerptLength = 500;
/** Models that think count it as output. */
const outputTokens = 1024;
/** UTF-16 units of an answer; what goes on for longer is no title. Of an eager reading, see `readTitle`. */
const answerLength = 16_384;
const eagerLength = 1_000;

const instructions =
  "You give conversations a short title. Answer with the title alone: at most six words, in the language of the message, without quotation marks or explanation.";

/** The title that was saved; null where none was. Throws nothing. */
export async function nameSession(
  { store, clock, models }: NamingServices,
  sessionId: string,
  signal: AbortSignal,
): Promise<string | null> {
  const scope = new Scope(signal, { ms: deadlineMs, clock, error: tooLate });
  try {
    // Most sessions have their name: that is found out without waiting for others to write.
    if ((await store.read(() => unnamedSession(sessionId))) === null) return null;
    const session = await store.write("naming", () => attemptNaming(sessionId), scope.signal);
    if (session === null) return null;
    const naming = await untilAborted(ask(models, sessionId, session, scope.signal), scope.signal);
    return (await store.write("title", () => saveNaming(sessionId, naming), scope.signal)) ? naming.title : null;
  } catch {
    return null;
  } finally {
    scope.release();
  }
}

interface Naming {
  readonly title: string | null;
  readonly usage: Usage | null;
}

async function ask(
  models: ModelSource,
  sessionId: string,
  session: UnnamedSession,
  signal: AbortSignal,
): Promise<Naming> {
  const provider = providerNames.find((one) => one === session.provider);
  if (!provider) throw new Error(`no provider ${session.provider}`);
  const excerpt = cutCodePoints(session.prompt.replace(/\s+/g, " ").trim(), excerptLength).toWellFormed();
  const opened = await models.open({ provider, model: session.model, sessionId }, signal);
  try {
    signal.throwIfAborted();
    const request: ModelRequest = {
      system: session.workload === "coding" ? `${instructions} The conversation is about software.` : instructions,
      // A form to fill in: the smallest models answer what is put as a request.
      messages: [{ role: "user", text: `Message: ${excerpt}\n\nTitle:` }],
      tools: [],
      maxOutputTokens: Math.min(outputTokens, opened.maxOutputTokens ?? outputTokens),
      signal,
    };
    const { titleFrom } = await import("./model-title.ts");
    return await readTitle(opened.model, request, (text) => titleFrom(text, excerpt), provider === "local");
  } finally {
    await opened.close();
  }
}

/**
 * `eager`: no further than the title. A model in this process says apart what it thinks, and small ones ramble; of the
 * others the whole answer is read, because it may turn out that all of it up to some point was thinking.
 */
async function readTitle(
  model: Model,
  request: ModelRequest,
  titleIn: (answer: string) => string | null,
  eager: boolean,
): Promise<Naming> {
  let text = "";
  for await (const event of model.stream(request)) {
    if (event.type === "text") {
      text += event.delta;
      if (text.length > (eager ? eagerLength : answerLength)) break;
      const title = eager ? titleIn(settled(text)) : null;
      if (title !== null) return { title, usage: null };
    }
    if (event.type !== "finish") continue;
    const { reason, usage } = event;
    if (reason === "stop" || reason === "other") return { title: titleIn(text), usage };
    return { title: reason === "length" ? titleIn(settled(text)) : null, usage };
  }
  return { title: null, usage: null };
}

/** Without the line that is under way. */
function settled(text: string): string {
  return text.slice(0, text.lastIndexOf("\n") + 1);
}

function tooLate(): ChatError {
  return new ChatError("request_deadline", `The title took longer than ${deadlineMs / 1000} seconds.`);
}
