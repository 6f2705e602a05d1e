/** What every provider before a scripted back end must do: the contract of `Model.stream`, case by case. */
import type { ProviderErrorCode } from "../error-codes.ts";
import type { Model } from "../model.ts";
import type { SessionProvider } from "../session.ts";
import { equal, isTrue, within } from "./expectations.ts";
import { ask, begin, chatError, finishOf, instructions, read, readWhole } from "./provider-asking.ts";
import { isOneLine, onlyFinish } from "./provider-checks.ts";
import {
  type BackEndAnswer,
  type BackEndFinish,
  type ProviderUnderTest,
  type ScriptedFactory,
  usualFailures,
} from "./provider-factory.ts";

export interface ProviderCase {
  readonly name: string;
  run(factory: ScriptedFactory, patience: number): Promise<void>;
}

type Opened = ProviderUnderTest<Model | SessionProvider>;

/** Those that can be played with this provider and its back end. */
export function casesFor({
  failures = usualFailures,
  finishes,
  secret,
  cachedTokens = true,
}: ScriptedFactory): readonly ProviderCase[] {
  return [
    ...answering,
    usageCase(cachedTokens),
    ...(finishes ?? (["stop", "length", "content-filter"] as const)).map(finishCase),
    ...ending,
    ...failures.map(failureCase),
    ...(failures.includes("provider_rate_limit") ? [limitCase] : []),
    ...failures.slice(0, 1).map(recoveryCase),
    ...(secret === undefined ? [] : failures.map((code) => secretCase(secret, code))),
  ];
}

const answer = (...deltas: readonly string[]): BackEndAnswer => ({ type: "text", deltas });

const answering: readonly ProviderCase[] = [
  opened(
    "an answer is its text, whole and in order, then one finish",
    [answer("One ", "two", ".\n")],
    async (one, ms) => {
      const whole = await readWhole(ask(one.provider), ms);
      equal(whole.text, "One two.\n");
      onlyFinish(whole);
    },
  ),
  opened(
    "text of any script comes whole",
    [answer("é e\u0301 日本 ", "😀 \u{1F469}\u200d\u{1F680} עברית \u202e")],
    async (one, ms) => {
      equal((await readWhole(ask(one.provider), ms)).text, "é e\u0301 日本 😀 \u{1F469}\u200d\u{1F680} עברית \u202e");
    },
  ),
  opened("text comes as it is sent, not at the end", [{ type: "stall", deltas: ["Hel", "lo"] }], async (one, ms) => {
    const controller = new AbortController();
    const reading = begin(ask(one.provider, { signal: controller.signal }), ms);
    try {
      await reading.until("Hello");
    } finally {
      controller.abort();
    }
    await within(ms, "the end of the reading", reading.next());
  }),
  opened("instructions and message reach the back end", [answer("Yes.")], async (one, ms) => {
    await readWhole(ask(one.provider, { text: "Is this the message?" }), ms);
    const sent = await one.request(1);
    for (const part of [instructions, "Is this the message?"]) {
      isTrue(sent.includes(part), `the request has no ${JSON.stringify(part)} in it`);
    }
  }),
  opened("an answer is one request", [answer("Yes."), answer("Again.")], async (one, ms) => {
    await readWhole(ask(one.provider), ms);
    await one.over(1);
    equal(one.requests(), 1);
  }),
  opened(
    "two requests at once do not wait for each other",
    [{ type: "stall", deltas: ["First"] }, answer("Second")],
    async (one, ms) => {
      const controller = new AbortController();
      const first = begin(ask(one.provider, { signal: controller.signal }), ms);
      try {
        await first.until("First");
        equal((await readWhole(ask(one.provider), ms)).text, "Second");
      } finally {
        controller.abort();
      }
      await within(ms, "the end of the first", first.next());
    },
  ),
];

const ending: readonly ProviderCase[] = [
  ...([[], ["Half"]] as const).map((deltas) =>
    opened(
      `an abort ${deltas.length === 0 ? "before the first event" : "within the answer"} ends it at once and closes the request`,
      [{ type: "stall", deltas }],
      async (one, ms) => {
        const controller = new AbortController();
        const reading = begin(ask(one.provider, { signal: controller.signal }), ms);
        const half = deltas.join("");
        if (half !== "") await reading.until(half);
        const next = reading.next();
        await within(ms, "the request", one.request(1));
        controller.abort();
        equal(await within(ms, "the end of the reading", next), false);
        await within(ms, "the close of the request", one.over(1));
      },
    ),
  ),
  opened("what is aborted already is not sent", [answer("No.")], async (one, ms) => {
    const { events } = await read(ask(one.provider, { signal: AbortSignal.abort() }), ms);
    equal([events, one.requests()], [[], 0]);
  }),
  opened("a reader that leaves closes the request", [{ type: "stall", deltas: ["Half"] }], async (one, ms) => {
    const reading = begin(ask(one.provider), ms);
    await reading.until("Half");
    await reading.leave();
    await within(ms, "the close of the request", one.over(1));
  }),
  opened("an answer that is cut off has no finish", [{ type: "cut", deltas: ["Half"] }], async (one, ms) => {
    const { events, thrown } = await read(ask(one.provider), ms);
    isTrue(
      events.every((event) => event.type !== "finish"),
      "half an answer has a finish",
    );
    if (thrown !== null) equal(chatError(thrown).code, "answer_unfinished");
  }),
];

function usageCase(cachedTokens: boolean): ProviderCase {
  const script: BackEndAnswer = { type: "text", deltas: ["Yes."], usage: { input: 40, output: 7, cached: 30 } };
  return opened("usage is in tokens, the cached ones within the input", [script], async (one, ms) => {
    const { usage } = finishOf(await readWhole(ask(one.provider), ms));
    equal([usage?.inputTokens, usage?.outputTokens, usage?.totalTokens], [40, 7, 47]);
    if (cachedTokens) equal(usage?.cachedInputTokens, 30);
  });
}

function finishCase(finish: BackEndFinish): ProviderCase {
  const script: BackEndAnswer = { type: "text", deltas: ["So."], finish };
  return opened(`the finish says why: ${finish}`, [script], async (one, ms) => {
    equal(finishOf(await readWhole(ask(one.provider), ms)).reason, finish);
  });
}

function failureCase(code: ProviderErrorCode): ProviderCase {
  const script: BackEndAnswer = { type: "failure", code, says: "So it is." };
  return opened(
    `a failure is thrown by its kind, in one line, and not tried again: ${code}`,
    [script, answer("No.")],
    async (one, ms) => {
      const { events, thrown } = await read(ask(one.provider), ms);
      const error = chatError(thrown);
      equal([error.code, events, one.requests()], [code, [], 1]);
      isOneLine(error);
    },
  );
}

const limitCase: ProviderCase = opened(
  "a limit says until when",
  [{ type: "failure", code: "provider_rate_limit", says: "Slow down.", retryAfterSeconds: 60 }],
  async (one, ms) => {
    const { details } = chatError((await read(ask(one.provider), ms)).thrown);
    isTrue(typeof details.retryAt === "number", "details.retryAt is no time in milliseconds");
  },
);

function recoveryCase(code: ProviderErrorCode): ProviderCase {
  const script: BackEndAnswer = { type: "failure", code, says: "No." };
  return opened("after a failure the next request is as any other", [script, answer("Yes.")], async (one, ms) => {
    await read(ask(one.provider), ms);
    equal((await readWhole(ask(one.provider), ms)).text, "Yes.");
  });
}

function secretCase(secret: string, code: ProviderErrorCode): ProviderCase {
  const script: BackEndAnswer = { type: "failure", code, says: `The key ${secret} is no good.` };
  return opened(`no error shows the key: ${code}`, [script], async (one, ms) => {
    for (let thrown = (await read(ask(one.provider), ms)).thrown; thrown; thrown = (thrown as Error).cause) {
      const { message = "", stack = "" } = thrown as Partial<Error>;
      const shown = [message, stack, String(thrown), JSON.stringify(thrown)].join("\n");
      isTrue(!shown.includes(secret), "an error has the key in it");
    }
  });
}

/** A case with an open provider, which is closed however it ends. */
function opened(
  name: string,
  answers: readonly BackEndAnswer[],
  play: (one: Opened, patience: number) => Promise<void>,
): ProviderCase {
  return {
    name,
    async run(factory, patience) {
      const one = await factory.open(answers);
      try {
        await play(one, patience);
      } finally {
        await one.close?.();
      }
    },
  };
}
