/** The suite for providers: what it says of providers that are right, and of one mistake each. */
import { describe, expect, test } from "bun:test";
import { ChatError, type Model, type ModelEvent, type ModelRequest } from "../src/index.ts";
import { providerError, type SessionProvider } from "../src/provider.ts";
import { describeProvider } from "../src/testing/index.ts";
import { type BackEnd, BackEndError, type Part } from "./back-end.ts";
import { bodyOf, eventOf, modelFactory, ownModel, ownSessions, secret, sessionFactory } from "./own-providers.ts";
import { casesOf, failing } from "./suite-outcomes.ts";

describeProvider(modelFactory(ownModel), { describe, test, name: "L7 a model by defineProvider" });
describeProvider(sessionFactory(ownSessions), { describe, test, name: "L7 a session provider by defineProvider" });

/** Of a case that is to fail; one that is not gets what the suite allows. */
const briefly = 150;

/** By hand, without what defineProvider sees to, so that one mistake at a time can be put in. */
interface Manner {
  event(part: Part): readonly ModelEvent[];
  body(request: ModelRequest): string;
  signal(request: ModelRequest, own: AbortSignal): AbortSignal;
  asks: number;
  thrown(error: unknown): unknown;
  collects: boolean;
  readsOn: boolean;
  finishesAnyway: boolean;
  checksSignal: boolean;
  hangsAfterFailure: boolean;
  oneAtATime: boolean;
}

const right: Manner = {
  event: (part) => [eventOf(part)],
  body: bodyOf,
  signal: (_request, own) => own,
  asks: 1,
  thrown: (error) => providerError(error, contextOf([secret])),
  collects: false,
  readsOn: false,
  finishesAnyway: false,
  checksSignal: true,
  hangsAfterFailure: false,
  oneAtATime: false,
};

function contextOf(secrets: readonly string[]) {
  return { provider: "own", modelId: "m", label: "Own", keyHint: null, secrets, now: Date.now };
}

function byHand(change: Partial<Manner>): (server: BackEnd) => Model {
  const manner = { ...right, ...change };
  return (server) => {
    let hasFailed = false;
    let last: Promise<void> = Promise.resolve();
    async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      if (manner.checksSignal && request.signal.aborted) throw new ChatError("aborted", "Stopped.");
      if (hasFailed && manner.hangsAfterFailure) await new Promise(() => {});
      const own = new AbortController();
      request.signal.addEventListener("abort", () => own.abort(request.signal.reason));
      const free = Promise.withResolvers<void>();
      const before = last;
      last = free.promise;
      if (manner.oneAtATime) await before;
      try {
        for (let ask = 1; ; ask++) {
          try {
            const kept: ModelEvent[] = [];
            const parts = server.ask(manner.body(request), manner.signal(request, own.signal));
            for await (const part of parts) {
              if (manner.collects) kept.push(...manner.event(part));
              else yield* manner.event(part);
            }
            yield* kept;
            if (manner.finishesAnyway) yield eventOf({ type: "end", finish: "stop", usage: null });
            return;
          } catch (error) {
            hasFailed = true;
            if (request.signal.aborted || ask >= manner.asks) throw manner.thrown(error);
          }
        }
      } finally {
        free.resolve();
        if (!manner.readsOn) own.abort();
      }
    }
    return { provider: "own", modelId: "m", supportsTools: true, stream };
  };
}

const changed = (change: (event: ModelEvent) => readonly ModelEvent[]) =>
  byHand({ event: (part) => change(eventOf(part)) });
const finishing = (change: (finish: ModelEvent & { type: "finish" }) => ModelEvent) =>
  changed((event) => [event.type === "finish" ? change(event) : event]);
const never = new AbortController().signal;
const codes = (code: "provider_server" | "provider_auth") =>
  byHand({ thrown: (error) => (error instanceof BackEndError ? new ChatError(code, "No.") : error) });

const saidBefore = "what was said before";

const broken: readonly (readonly [string, (server: BackEnd) => Model, string])[] = [
  ["two finishes", changed((event) => (event.type === "finish" ? [event, event] : [event])), "an answer is its text"],
  [
    "trimmed deltas",
    changed((e) => [e.type === "text" ? { ...e, delta: e.delta.trim() } : e]),
    "an answer is its text",
  ],
  [
    "text of one byte a character",
    changed((e) => [e.type === "text" ? { ...e, delta: Buffer.from(e.delta).toString("latin1") } : e]),
    "text of any script",
  ],
  ["all text at the end", byHand({ collects: true }), "text comes as it is sent"],
  ["no instructions", byHand({ body: (r) => bodyOf({ ...r, system: "" }) }), "instructions and message"],
  ["no messages", byHand({ body: (r) => bodyOf({ ...r, messages: [] }) }), "instructions and message"],
  ["each request twice", doubled, "an answer is one request"],
  ["the rest of the input as input", finishing(withoutCached), "usage is in tokens"],
  ["no usage", finishing((finish) => ({ ...finish, usage: null })), "usage is in tokens"],
  ["one request at a time", byHand({ oneAtATime: true }), "two requests at once"],
  ["a deaf ear", byHand({ signal: () => never }), "an abort within the answer"],
  ["a deaf ear", byHand({ signal: () => never }), "an abort before the first event"],
  ["no look at the signal", byHand({ checksSignal: false }), "what is aborted already"],
  ["a connection kept", byHand({ readsOn: true }), "a reader that leaves"],
  ["a finish of its own", byHand({ finishesAnyway: true }), "an answer that is cut off"],
  ["stop for all", finishing((finish) => ({ ...finish, reason: "stop" })), "the finish says why: length"],
  ["stop for all", finishing((finish) => ({ ...finish, reason: "stop" })), "the finish says why: content-filter"],
  ["other for all", finishing((finish) => ({ ...finish, reason: "other" })), "the finish says why: stop"],
  ["errors as they are", byHand({ thrown: (error) => error }), "not tried again: provider_auth"],
  ["one code for all", codes("provider_server"), "not tried again: provider_rate_limit"],
  ["one code for all", codes("provider_server"), "not tried again: provider_overloaded"],
  ["one code for all", codes("provider_server"), "not tried again: provider_permission"],
  ["one code for all", codes("provider_server"), "not tried again: model_not_found"],
  ["another code for all", codes("provider_auth"), "not tried again: provider_server"],
  ["a second try", byHand({ asks: 2 }), "not tried again: provider_server"],
  ["no time", codes("provider_server"), "a limit says until when"],
  ["a connection that stays broken", byHand({ hangsAfterFailure: true }), "after a failure the next request"],
  ...["auth", "permission", "rate_limit", "overloaded", "server"].map(
    (kind) =>
      [
        "its key",
        byHand({ thrown: (error) => providerError(error, contextOf([])) }),
        `the key: provider_${kind}`,
      ] as const,
  ),
  ["its key in the cause", byHand({ thrown: inCause }), "the key: model_not_found"],
  [
    "half of a tool call",
    changed((e) => [e.type === "tool-call" ? { ...e, input: "{}" } : e]),
    "a tool call comes whole",
  ],
  ["no tool results", byHand({ body: withoutResults }), "a tool call comes whole"],
  ["the last message alone", byHand({ body: (r) => bodyOf({ ...r, messages: r.messages.slice(-1) }) }), saidBefore],
  ["no sources", byHand({ body: (r) => JSON.stringify(r, (key, v) => (key === "sources" ? [] : v)) }), saidBefore],
];

function doubled(server: BackEnd): Model {
  const model = byHand({})(server);
  return {
    ...model,
    async *stream(request) {
      for await (const _ of server.ask("ahead", request.signal)) break;
      yield* model.stream(request);
    },
  };
}

function withoutCached(finish: ModelEvent & { type: "finish" }): ModelEvent {
  const { usage } = finish;
  if (!usage) return finish;
  return { ...finish, usage: { ...usage, inputTokens: (usage.inputTokens ?? 0) - (usage.cachedInputTokens ?? 0) } };
}

function inCause(error: unknown): ChatError {
  const { code, message, details } = providerError(error, contextOf([secret]));
  return new ChatError(code, message, { details, cause: error });
}

function withoutResults(request: ModelRequest): string {
  return bodyOf({ ...request, messages: request.messages.filter((message) => message.role !== "tool") });
}

/** The same for those that keep the conversation. */
type Wrap = (provider: SessionProvider) => SessionProvider;
const session =
  (wrap: Wrap) =>
  (server: BackEnd): SessionProvider =>
    wrap(ownSessions(server));
const goesOn = "a session without a state is new";
const notKept = "a message that failed or was stopped";

const brokenSessions: readonly (readonly [string, Wrap, string])[] = [
  ["every session new", (one) => ({ ...one, openSession: () => one.openSession(null) }), goesOn],
  [
    "one session for all",
    (one) => {
      const only = one.openSession(null);
      return { ...one, openSession: () => only };
    },
    goesOn,
  ],
  [
    "no state",
    (one) => ({ ...one, openSession: (state) => ({ ...one.openSession(state), state: () => null }) }),
    goesOn,
  ],
  [
    "what failed kept",
    (one) => ({
      ...one,
      openSession(state) {
        let current = one.openSession(state);
        return {
          ...current,
          async *send(request) {
            try {
              yield* current.send(request);
            } catch (error) {
              current = one.openSession([...((current.state() ?? []) as string[]), request.text]);
              throw error;
            }
          },
          state: () => current.state(),
        };
      },
    }),
    notKept,
  ],
];

describe("L7 the suite for providers notices", () => {
  test.each(broken)("%s", async (_name, make, caughtBy) => {
    expect(await failing(modelFactory(make), briefly)).toContainEqual(expect.stringContaining(caughtBy));
  });

  test.each(brokenSessions)("%s, in a session", async (_name, wrap, caughtBy) => {
    expect(await failing(sessionFactory(session(wrap)), briefly)).toContainEqual(expect.stringContaining(caughtBy));
  });

  test("nothing in one that is right, by hand too; and each of its cases is in these tables", async () => {
    expect(await failing(modelFactory(byHand({})))).toEqual([]);
    expect(await failing(sessionFactory(session((one) => one)))).toEqual([]);
    const names = [...casesOf(modelFactory(ownModel)), ...casesOf(sessionFactory(ownSessions))].map((one) => one.name);
    const caught = [...broken, ...brokenSessions].map(([, , by]) => by);
    expect(names.filter((name) => !caught.some((by) => name.includes(by)))).toEqual([]);
  });
});
