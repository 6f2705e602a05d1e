import { describe, expect, test } from "bun:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import * as z from "zod";
import { codeOf, scriptedChat, textsOf } from "../test/client.ts";
import {
  ChatError,
  type ChatOptions,
  createChat,
  defineTool,
  type Json,
  type StandardSchema,
  truncate,
} from "./index.ts";
import { call, finish, type ScriptedStep, say, scriptedModel } from "./testing/index.ts";

type Way = "native" | "tool" | "instruction";
const abilities = {
  native: { supportsSchema: true },
  tool: {},
  instruction: { supportsTools: false },
} as const;

function asker(way: Way, script: readonly ScriptedStep[], options: Partial<ChatOptions> = {}) {
  const model = scriptedModel(script, abilities[way]);
  return { model, client: createChat({ model, system: "Be brief.", ...options }) };
}

const answer = (value: Json, id = "1"): ScriptedStep => [call("answer", value, id), finish("tool-calls")];

const trip = { city: "Rome", days: 3 };
const schemas = {
  valibot: toStandardJsonSchema(v.object({ city: v.string(), days: v.number() })),
  zod: z.object({ city: z.string(), days: z.number() }),
  arktype: type({ city: "string", days: "number" }),
} satisfies Record<string, StandardSchema<typeof trip>>;

describe("L6 ask takes any Standard Schema", () => {
  for (const [name, schema] of Object.entries(schemas)) {
    test(`L6 ${name}: native structured output`, async () => {
      const { client, model } = asker("native", [JSON.stringify(trip)]);
      const value: typeof trip = await client.ask("Where?", schema);
      expect(value).toEqual(trip);
      expect(model.requests[0]).toMatchObject({ system: "Be brief.", tools: [], schema: { type: "object" } });
      expect(model.requests[0]?.schema).toMatchObject({ properties: { city: {}, days: {} } });
    });

    test(`L6 ${name}: a tool, whose call ends the turn`, async () => {
      const { client, model } = asker("tool", [answer(trip)]);
      expect(await client.ask("Where?", schema)).toEqual(trip);
      expect(model.requests).toHaveLength(1);
      expect(model.requests[0]?.tools[0]).toMatchObject({ name: "answer", inputJsonSchema: { type: "object" } });
      expect(model.requests[0]?.schema).toBeUndefined();
    });

    test(`L6 ${name}: an instruction`, async () => {
      const { client, model } = asker("instruction", [`Here:\n\`\`\`json\n${JSON.stringify(trip)}\n\`\`\``]);
      expect(await client.ask("Where?", schema)).toEqual(trip);
      expect(model.requests[0]?.tools).toEqual([]);
      expect(model.requests[0]?.system).toMatch(/^Be brief\.\n\nAnswer with one JSON value.*"city"/s);
    });

    test(`L6 ${name}: what does not fit is refused, and nothing is asked twice`, async () => {
      for (const way of ["native", "tool", "instruction"] as const) {
        const wrong = { city: "Rome", days: "three" };
        const { client, model } = asker(way, [way === "tool" ? answer(wrong) : JSON.stringify(wrong)]);
        const thrown = await client.ask("Where?", schema).catch((error: unknown) => error);
        const { code, details } = thrown as ChatError;
        expect([code, String(details.issues).includes("days")]).toEqual(["answer_invalid", true]);
        expect(model.requests).toHaveLength(1);
        expect((await client.editor?.read())?.exchanges).toEqual([]);
      }
    });
  }
});

describe("L6 what ask leaves in the conversation", () => {
  test("L6 question and JSON text, however it came; the next turn goes on from it", async () => {
    for (const way of ["native", "tool", "instruction"] as const) {
      const { client, model } = asker(way, [way === "tool" ? answer(trip) : JSON.stringify(trip), "ok"]);
      await client.ask("Where?", schemas.zod);
      await client.chat("Why?");
      expect(textsOf(model.requests[1]?.messages ?? [])).toEqual(["Where?", JSON.stringify(trip), "Why?"]);
      expect(model.requests[1]).toMatchObject({ system: "Be brief.", tools: [] });
      expect(model.requests[1]?.messages[1]).toMatchObject({ role: "assistant", toolCalls: [] });
    }
  });

  test("L6 as JSON text also where the model put words around it; what is JSON already stays as it came", async () => {
    const fenced = asker("instruction", [`Here:\n\`\`\`json\n${JSON.stringify(trip)}\n\`\`\``, "ok"]);
    await fenced.client.ask("Where?", schemas.zod);
    await fenced.client.chat("Why?");
    expect(textsOf(fenced.model.requests[1]?.messages ?? [])[1]).toBe(JSON.stringify(trip));
    const record = [{ type: "text", text: JSON.stringify(trip), id: "x" }];
    const step: ScriptedStep = [say(` ${JSON.stringify(trip)}\n`), finish("stop", {}, record)];
    const native = asker("native", [step, "ok"]);
    await native.client.ask("Where?", schemas.zod);
    await native.client.chat("Why?");
    expect(native.model.requests[1]?.messages[1]).toMatchObject({ continuation: record });
  });

  test("L6 the client's tools work in it, also beside the answer, and authorize does not see the answer's tool", async () => {
    const ran: Json[] = [];
    const look = defineTool({
      name: "answer",
      description: "looks",
      input: schemas.zod,
      run: async (input) => ran.push(input),
    });
    const seen: string[][] = [];
    const script = [
      [call("answer", trip, "a"), finish("tool-calls")],
      [
        call("answer", trip, "b"),
        call("answer_", { city: "Oslo", days: 1 }, "c"),
        finish("tool-calls", {}, [{ type: "tool-call", toolName: "answer_" }]),
      ],
      "next",
    ];
    const { client, model } = asker("tool", script, {
      tools: [look],
      async authorize(batch) {
        seen.push(batch.map((one) => one.toolName));
        return new Map();
      },
    });
    expect(await client.ask("Where?", schemas.zod)).toEqual({ city: "Oslo", days: 1 });
    expect([ran.length, seen]).toEqual([2, [["answer"], ["answer"]]]);
    await client.chat("then");
    const sent = model.requests[2]?.messages ?? [];
    expect(sent.map((message) => message.role)).toEqual([
      ...(["user", "assistant", "tool", "assistant", "tool", "assistant", "user"] as const),
    ]);
    expect(JSON.stringify(sent)).not.toContain("answer_");
  });

  test("L6 shapes that are no object travel in one", async () => {
    const list = z.array(z.string());
    const native = asker("native", ['{"value":["a","b"]}']);
    expect(await native.client.ask("?", list)).toEqual(["a", "b"]);
    expect(native.model.requests[0]?.schema).toMatchObject({
      ...{ type: "object", properties: { value: { type: "array" } }, required: ["value"] },
    });
    expect(JSON.stringify(native.model.requests[0]?.schema)).not.toContain("$schema");
    expect(await asker("tool", [answer({ value: ["a"] })]).client.ask("?", list)).toEqual(["a"]);
    expect(await asker("instruction", ['Sure: ["a"] as asked.']).client.ask("?", list)).toEqual(["a"]);
    expect(await asker("native", ['["a"]']).client.ask("?", list)).toEqual(["a"]);
  });

  test("L6 what a shape refers to stays at the root of the one that it travels in", async () => {
    const jsonSchema = { type: "array", items: { $ref: "#/$defs/city" }, $defs: { city: { type: "string" } } };
    const { client, model } = asker("native", ['{"value":["Rome"]}']);
    expect(await client.ask("?", z.array(z.string()), { jsonSchema })).toEqual(["Rome"]);
    expect(model.requests[0]?.schema).toMatchObject({
      ...{ properties: { value: { items: { $ref: "#/$defs/city" } } }, $defs: jsonSchema.$defs },
    });
  });

  test("L6 of two answers at once the first is it; nobody is asked to allow it, and no record of the calls stays", async () => {
    const asked: unknown[] = [];
    const record = [{ type: "tool-call", toolCallId: "1" }];
    const both = [call("answer", trip, "1"), call("answer", { city: "Oslo", days: 1 }, "2")];
    const { client, model } = asker("tool", [[...both, finish("tool-calls", undefined, record)], "ok"], {
      authorize: async (batch) => new Map(asked.push(batch) ? [] : []),
    });
    expect(await client.ask("Where?", schemas.zod)).toEqual(trip);
    await client.chat("Why?");
    expect(asked).toEqual([]);
    expect(model.requests[1]?.messages[1]).toMatchObject({
      ...{ text: JSON.stringify(trip), continuation: null, measured: null },
    });
  });

  test("L6 the schema's output is what comes back; the conversation has what the model wrote", async () => {
    const dated = z.object({ on: z.string().transform((text) => new Date(text)) });
    const { client, model } = asker("tool", [answer({ on: "2026-12-01" }), "ok"]);
    expect(await client.ask("When?", dated)).toEqual({ on: new Date("2026-12-01") });
    await client.chat("and?");
    expect(textsOf(model.requests[1]?.messages ?? [])[1]).toBe('{"on":"2026-12-01"}');
  });

  test("L6 a schema without JSON Schema: pass one, or the model is asked for JSON alone", async () => {
    const plain = v.object({ city: v.string(), days: v.number() });
    const told = asker("tool", [answer(trip)]);
    const jsonSchema = { type: "object", properties: { city: {}, days: {} } };
    expect(await told.client.ask("Where?", plain, { jsonSchema })).toEqual(trip);
    expect(told.model.requests[0]?.tools[0]?.inputJsonSchema).toEqual(jsonSchema);
    const untold = asker("native", [JSON.stringify(trip), '{"x":1}']);
    expect(await untold.client.ask("Where? Give city and days.", plain)).toEqual(trip);
    expect(untold.model.requests[0]?.system).toContain("one JSON value");
    await expect(untold.client.ask("Where?", plain)).rejects.toThrow("pass jsonSchema");
    expect(await codeOf(told.client.ask("?", z.object({ n: z.bigint() })))).toBe("option_invalid");
  });
});

test("L6 what is no schema is refused before the model is asked, also with a JSON Schema beside it", async () => {
  for (const way of ["native", "tool", "instruction"] as const) {
    const { client, model } = asker(way, ["{}"]);
    for (const schema of [undefined, null, { type: "object" }, "x"] as unknown as StandardSchema[]) {
      expect(await codeOf(client.ask("Where?", schema))).toBe("option_invalid");
      expect(await codeOf(client.ask("Where?", schema, { jsonSchema: { type: "object" } }))).toBe("option_invalid");
    }
    expect(model.requests).toEqual([]);
  }
});

describe("L6 repair", () => {
  test("L6 it shows the question, also where no older exchange is sent", async () => {
    const { client, model } = scriptedChat(["{}", JSON.stringify(trip)], { policy: truncate({ exchanges: 0 }) });
    await client.ask("Where?", schemas.zod, { repair: true });
    expect(textsOf(model.requests[1]?.messages ?? [])).toContain("Where?");
  });

  test("L6 one more try, told what is wrong, and the conversation has only the question and the good answer", async () => {
    for (const way of ["native", "tool", "instruction"] as const) {
      const step = (value: Json, id: string) => (way === "tool" ? answer(value, id) : JSON.stringify(value));
      const { client, model } = asker(way, [step({ city: "Rome" }, "1"), step(trip, "2"), "ok"]);
      expect(await client.ask("Where?", schemas.zod, { repair: true })).toEqual(trip);
      const again = model.requests[1]?.messages ?? [];
      expect(again[0]).toEqual({ role: "user", text: "Where?" });
      expect(again.at(-1)).toMatchObject({ text: expect.stringContaining("days") });
      await client.chat("next");
      expect(textsOf(model.requests[2]?.messages ?? [])).toEqual(["Where?", JSON.stringify(trip), "next"]);
      expect(client.usage().turns.count).toBe(3);
    }
  });

  test("L6 only one, and a failing turn in it is that failure", async () => {
    const wrong = asker("instruction", ["no JSON here"]);
    expect(await codeOf(wrong.client.ask("?", schemas.zod, { repair: true }))).toBe("answer_invalid");
    expect(wrong.model.requests).toHaveLength(2);
    const down = asker("instruction", ["[1", [new ChatError("provider_overloaded", "busy")]]);
    expect(await codeOf(down.client.ask("?", schemas.zod, { repair: true }))).toBe("provider_overloaded");
    expect((await down.client.editor?.read())?.exchanges).toEqual([]);
  });

  test("L6 arguments that are no JSON are not asked for again", async () => {
    const broken = { type: "tool-call", toolCallId: "1", toolName: "answer", input: '{"city":' } as const;
    const { client, model } = asker("tool", [[broken, finish("tool-calls")]]);
    expect(await codeOf(client.ask("?", schemas.zod))).toBe("answer_invalid");
    expect(model.requests).toHaveLength(1);
  });

  test("L6 what makes the schema itself fail does not fit either", async () => {
    const link = z.object({ link: z.string().transform((text) => new URL(text)) });
    const { client, model } = asker("tool", [answer({ link: "no link" }), answer({ link: "http://a.example/" }, "2")]);
    expect(await client.ask("?", link, { repair: true })).toEqual({ link: new URL("http://a.example/") });
    expect(textsOf(model.requests[1]?.messages ?? []).at(-1)).toContain("URL");
    expect(await codeOf(asker("tool", [answer({ link: "no link" })]).client.ask("?", link))).toBe("answer_invalid");
  });

  test("L6 the last step that the limits allow may be the answer", async () => {
    const { client } = asker("tool", [answer(trip)], { limits: { steps: 1 } });
    expect(await client.ask("?", schemas.zod)).toEqual(trip);
  });

  test("L6 an answer tool that is not called: text is read instead", async () => {
    expect(await asker("tool", [[say(JSON.stringify(trip)), finish()]]).client.ask("?", schemas.zod)).toEqual(trip);
  });

  test("L6 brackets without an end cost no time", async () => {
    const text = "[".repeat(60_000) + "```".repeat(10_000) + " ".repeat(40_000);
    expect(await codeOf(asker("instruction", [text]).client.ask("?", schemas.zod))).toBe("answer_invalid");
  });
});
