/** A client of the library over each real provider's package and wire: the server refuses what the service would. */
import { describe, expect, test } from "bun:test";
import { clearCommand, commandSet, compact, compactCommand, createChat, runCommand, undoCommand } from "@poppet/chat";
import * as v from "valibot";
import type { Reply } from "../model-server/index.ts";
import { openAt, providers, weatherTool, withServer } from "./setup.ts";

const text = (said: string): Reply => ({ parts: [{ type: "text", text: said }] });
const calling = (name: string, input: { readonly [key: string]: string }): Reply => ({
  parts: [{ type: "tool-call", id: "call_1", name, input }],
});
const trip = { city: "Rome" };
const shape = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const commands = commandSet([clearCommand(), compactCommand(), undoCommand()]);

for (const choice of providers) {
  describe(`L6 a client over ${choice.provider}`, () => {
    test("L6 whatever is added, summarised, taken back or cleared: each request is accepted", async () => {
      const script = [
        calling("poppet_test__weather", { city: "Turin" }),
        ...["Sunny in Turin, as the tool says.", "Two.", "SUMMARY", "Three.", "Four.", "Five."].map(text),
      ];
      await withServer(script, async (server) => {
        const model = await openAt(server, choice);
        const client = createChat({ model, tools: [weatherTool()], policy: compact({ keep: 1, at: Infinity }) });
        const run = async (typed: string) => {
          const outcome = await runCommand(client, commands, typed);
          return outcome.handled ? outcome.changed : null;
        };
        await client.add("A note.");
        await client.addCached({ text: "", sources: [{ label: "manual.txt", text: "Long." }] });
        await client.chat("How is the weather in Turin?");
        await client.add("Another note.");
        await client.chat("And now?");
        expect(await run("/compact")).toBe(true);
        await client.chat("Go on.");
        expect(await run("/undo")).toBe(true);
        expect(await run("/undo")).toBe(true);
        await client.chat("Once more.");
        expect(await run("/clear")).toBe(true);
        await client.chat("Afresh.");
        expect(server.requests.map((request) => request.refusal)).toEqual(script.map(() => null));
        expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain("Once more.");
        expect(JSON.stringify(server.requests[4]?.body)).toContain("SUMMARY");
      });
    });

    test("L6 ask: the provider's own structured output, or a tool; the next request is accepted too", async () => {
      const own = choice.provider !== "openai-compatible";
      const script = [own ? text(JSON.stringify(trip)) : calling("answer", trip), text("Because.")];
      await withServer(script, async (server) => {
        const client = createChat({ model: await openAt(server, choice) });
        const value = await client.ask("Where?", v.object({ city: v.string() }), { jsonSchema: shape });
        expect(value).toEqual(trip);
        await client.chat("Why?");
        const [asked, next] = server.requests.map((request) => JSON.stringify(request.body));
        expect(asked).toContain('"city"');
        expect(asked?.includes('"answer"')).toBe(!own);
        expect(next).toContain("Rome");
        expect(server.requests.map((request) => request.refusal)).toEqual([null, null]);
      });
    });

    test("L6 addCached marks the prompt for Anthropic's cache, and sends others nothing", async () => {
      await withServer([text("ok")], async (server) => {
        const client = createChat({ model: await openAt(server, choice) });
        await client.addCached("The manual.");
        await client.chat("What does it say?");
        const body = JSON.stringify(server.requests[0]?.body);
        expect(body).toContain("The manual.");
        expect(/cache_?control/i.test(body)).toBe(choice.provider === "anthropic");
      });
    });
  });
}
