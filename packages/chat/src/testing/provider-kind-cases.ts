/** What only a model must do, only one that takes tools, and only a provider that keeps its conversation. */
import type { Json } from "../json.ts";
import type { Tool } from "../tools.ts";
import { equal, isTrue, within } from "./expectations.ts";
import { ask, begin, calling, chatError, finishOf, read, readWhole, send } from "./provider-asking.ts";
import type { ModelFactory, SessionProviderFactory } from "./provider-factory.ts";

export interface KindCase<Factory> {
  readonly name: string;
  run(factory: Factory, patience: number): Promise<void>;
}

export const look: Tool = {
  ...{ name: "suite.look", description: "Looks at something.", onFailure: "tell-model" },
  input: { "~standard": { version: 1, vendor: "suite", validate: (value) => ({ value }) } },
  inputJsonSchema: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
  run: async () => "seen",
};

export const modelCases: readonly KindCase<ModelFactory>[] = [
  {
    name: "what was said before, and what came with a message, reaches the back end",
    async run(factory, ms) {
      const one = await factory.open([{ type: "text", deltas: ["Yes."] }]);
      try {
        const from = { provider: "suite", model: "another", continuation: null, measured: null };
        const said = { role: "assistant", text: "The first answer.", reasoning: "", toolCalls: [], ...from } as const;
        const source = { label: "tides.txt", text: "Spring tides follow the moon." };
        const next = { role: "user", text: "The second question?", sources: [source] } as const;
        await readWhole(ask(one.provider, { text: "The first question?", more: [said, next] }), ms);
        const sent = await one.request(1);
        for (const part of ["The first question?", said.text, next.text, source.label, source.text]) {
          isTrue(sent.includes(part), `the request has no ${JSON.stringify(part)} in it`);
        }
      } finally {
        await one.close?.();
      }
    },
  },
];

export const toolCases: readonly KindCase<ModelFactory>[] = [
  {
    name: "a tool call comes whole, and its result reaches the back end",
    async run(factory, ms) {
      const input = { at: 'the "moon" 😀' };
      const call = { type: "tool-call", toolCallId: "call_1", toolName: look.name, input } as const;
      const one = await factory.open([call, { type: "text", deltas: ["Seen."] }]);
      try {
        const asked = await readWhole(ask(one.provider, { tools: [look] }), ms);
        const calls = asked.events.flatMap((event) => (event.type === "tool-call" ? [event] : []));
        equal(
          calls.map(({ toolName, input: text }) => [toolName, JSON.parse(text)]),
          [[look.name, input]],
        );
        equal(finishOf(asked).reason, "tool-calls");
        const [first] = calls;
        isTrue(first !== undefined && first.toolCallId !== "", "the call has no ID");
        const { toolCallId, toolName } = first;
        const result = { toolCallId, toolName, state: "completed", output: "a face in the moon" } as const;
        const more = [calling(one.provider, asked), { role: "tool", results: [result] } as const];
        equal((await readWhole(ask(one.provider, { tools: [look], more }), ms)).text, "Seen.");
        isTrue((await one.request(2)).includes(result.output), "the second request has no result in it");
      } finally {
        await one.close?.();
      }
    },
  },
];

export const sessionCases: readonly KindCase<SessionProviderFactory>[] = [
  {
    name: "a session without a state is new; one with a state goes on from there, and the state stays good",
    async run(factory, ms) {
      const one = await factory.open(Array.from({ length: 4 }, () => ({ type: "text", deltas: ["Yes."] })));
      try {
        const session = one.provider.openSession(null);
        equal(session.state(), null);
        await readWhole(send(session), ms);
        const state = JSON.parse(JSON.stringify(session.state())) as Json;
        isTrue(state !== null, "after an answer there is no state");
        await readWhole(send(session), ms);
        await readWhole(send(one.provider.openSession(state)), ms);
        await readWhole(send(one.provider.openSession(null)), ms);
        equal(await Promise.all([1, 2, 3, 4].map((number) => one.turns(number))), [1, 2, 2, 1]);
        await within(ms, "the close of the session", session.close());
      } finally {
        await one.close?.();
      }
    },
  },
  {
    name: "a message that failed or was stopped is not in the conversation",
    async run(factory, ms) {
      const yes = { type: "text", deltas: ["Yes."] } as const;
      const one = await factory.open([
        yes,
        { type: "cut", deltas: ["Half"] },
        { type: "stall", deltas: ["Half"] },
        yes,
      ]);
      try {
        const session = one.provider.openSession(null);
        await readWhole(send(session), ms);
        const state = session.state();
        chatError((await read(send(session), ms)).thrown);
        equal(session.state(), state);
        const controller = new AbortController();
        const stopped = begin(send(session, { signal: controller.signal }), ms);
        await stopped.until("Half");
        controller.abort();
        await within(ms, "the end of the reading", stopped.next());
        await within(ms, "the close of the request", one.over(3));
        equal(session.state(), state);
        await readWhole(send(session), ms);
        equal(await one.turns(4), 2);
      } finally {
        await one.close?.();
      }
    },
  },
];
