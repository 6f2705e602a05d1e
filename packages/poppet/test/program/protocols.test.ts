import { describe, expect, test } from "bun:test";
import { apiKey, type ProtocolName } from "../model-server/index.ts";
import { type Home, models, openHome, say, sessionOf } from "./home.ts";

const providers = Object.keys(models) as ProtocolName[];
const thoughtful = {
  parts: [
    { type: "reasoning", text: ["The first ", "thought."] },
    { type: "reasoning", text: "The second." },
    { type: "text", text: ["An ", "answer."] },
  ],
  usage: { input: 100, output: 50, reasoning: 20, cached: 40 },
} as const;

/** What each provider recorded of its answer, which only it may see again. */
const recorded: { readonly [Name in ProtocolName]: string } = {
  openai: "encrypted-",
  anthropic: "signature",
  gemini: '"thought":true',
  "openai-compatible": "An answer.",
};

/** Under which name the request has the most that may be answered. */
const outputLimit: { readonly [Name in ProtocolName]: RegExp } = {
  openai: /"max_output_tokens":77\b/,
  anthropic: /"max_tokens":77\b/,
  gemini: /"maxOutputTokens":77\b/,
  "openai-compatible": /"max_tokens":77\b/,
};

describe.each(providers)("P1 %s", (provider) => {
  test("P4 the model's maxOutputTokens goes with each request", async () => {
    const settings = `\n[models."${provider}/${models[provider]}"]\nmaxOutputTokens = 77\n`;
    await using home = await openHome([say("Short.")], { provider, settings });
    expect((await home.poppet("chat", "new", "Hi")).code).toBe(0);
    expect(JSON.stringify(home.server.requests[0]?.body)).toMatch(outputLimit[provider]);
  });

  test("C1 §8.11 two turns: the second gives the provider its own record back, and the validating server takes it", async () => {
    await using home = await openHome([thoughtful, say("And more.")], { provider });
    const first = await home.poppet("chat", "new", "Think");
    expect([first.code, first.stdout]).toEqual([0, "An answer.\n"]);
    expect(first.stderr).not.toContain("thought");
    const id = sessionOf(first.stderr);
    const second = await home.poppet("chat", "send", id, "More?");
    expect([second.code, second.stdout]).toEqual([0, "And more.\n"]);
    expect(home.server.requests.map(({ protocol, refusal }) => [protocol, refusal])).toEqual([
      [provider, null],
      [provider, null],
    ]);
    expect(JSON.stringify(home.server.requests[1]?.body)).toContain(recorded[provider]);

    const shown = (await home.poppet("chat", "show", id)).stdout;
    expect(JSON.parse(shown)).toMatchObject({
      session: { provider, model: models[provider] },
      runs: [{ usage: { inputTokens: 100, outputTokens: 50, totalTokens: 150, cachedInputTokens: 40 } }, {}],
    });
    const everything = [shown, JSON.stringify(await home.search("answer")), first.stderr, second.stderr].join();
    for (const secret of ["encrypted-", "ignature", "thought.", apiKey]) expect(everything).not.toContain(secret);
  });

  test("C14 §8.11 a call of a tool that is not there is refused in the provider's own form, and so it stays next time", async () => {
    const call = { type: "tool-call", id: "call_1", name: "poppet_nothing", input: { a: 1 } } as const;
    const asks = {
      parts: [{ type: "reasoning", text: "A tool!" }, { type: "text", text: "Let me see." }, call],
    } as const;
    await using home = await openHome([asks, say("No tool."), say("Bye.")], { provider });
    const first = await home.poppet("chat", "new", "Use a tool");
    expect([first.code, first.stdout]).toEqual([0, "Let me see.\n\nNo tool.\n"]);
    const id = sessionOf(first.stderr);
    expect((await home.poppet("chat", "send", id, "Thanks")).stdout).toBe("Bye.\n");
    expect(home.server.requests.map((request) => request.refusal)).toEqual([null, null, null]);
    expect(JSON.stringify(home.server.requests[2]?.body)).toContain("poppet_nothing");
    if (provider === "gemini") expect(JSON.stringify(home.server.requests[2]?.body)).toContain("thoughtSignature");
    const { runs } = await home.show(id);
    expect(runs[0]).toMatchObject({
      ...{ output: "No tool.", usage: { inputTokens: 22, outputTokens: 14 } },
      toolCalls: [{ name: "poppet_nothing", state: "rejected", error: { code: "tool_unknown" } }],
    });
    expect((await home.search("see")).matches).toEqual([]);
  });

  test("C5 with chat.logReasoning the reasoning goes to stderr under its heading, and never to stdout", async () => {
    await using home = await openHome([thoughtful, say("No thoughts.")], {
      provider,
      settings: "\n[chat]\nlogReasoning = true\n",
    });
    const first = await home.poppet("chat", "new", "Think");
    expect(first.stdout).toBe("An answer.\n");
    expect(first.stderr).toMatch(/\nThinking:\nThe first thought\.(\n\n)?The second\.\n$/);
    if (provider === "openai") expect(first.stderr).toContain("thought.\n\nThe second.");
    const second = await home.poppet("chat", "send", sessionOf(first.stderr), "More?");
    expect(second.stderr).not.toContain("Thinking");
  });

  test("C11 a wrong key: the run fails, says where the key is set, and shows no key", async () => {
    await using home = await openHome({ replies: [], key: "the-right-key" }, { provider });
    await expectFailure(home, "provider_auth", /key/i);
  });

  test("C11 a wrong model: the run fails and names it", async () => {
    const error = { message: "The model does not exist", code: "model_not_found", type: "not_found_error" };
    await using home = await openHome([{ status: 404, body: { error } }], { provider });
    await expectFailure(home, "model_not_found", new RegExp(models[provider]));
  });

  test("C11 a server that is stopped: the run fails and says that it cannot be reached", async () => {
    await using home = await openHome([], { provider });
    await home.server.close();
    await expectFailure(home, "provider_network", /reach|connect/i);
  });

  test("C11 an answer that breaks off: the run fails, what had arrived is on stdout and nowhere else", async () => {
    await using home = await openHome([{ parts: [{ type: "text", text: "Half an ans" }, { type: "cut" }] }], {
      provider,
    });
    await expectFailure(home, /provider_network|answer_unfinished/, /./, "Half an ans");
  });
});

/** Exit 1, one line, the message kept with its reason, one request at most, and the next message works. */
async function expectFailure(home: Home, code: string | RegExp, words: RegExp, stdout = ""): Promise<void> {
  const failed = await home.poppet("chat", "new", "Try this");
  expect([failed.code, failed.stdout]).toEqual([1, stdout]);
  const line = failed.stderr.split("\n").slice(2).join("\n");
  expect(line).toMatch(/^poppet: [^\n]+\n$/);
  expect(line).toMatch(words);
  const text = (await home.poppet("chat", "show", sessionOf(failed.stderr))).stdout;
  const { runs, messages } = JSON.parse(text);
  expect(runs).toMatchObject([{ state: "failed", output: null, error: { code: expect.stringMatching(code) } }]);
  expect(line).toBe(`poppet: ${runs[0].error.message}\n`);
  expect(messages).toMatchObject([{ role: "user", text: "Try this" }]);
  expect(home.server.requests.length).toBeLessThanOrEqual(1);
  for (const secret of [apiKey, "the-right-key"]) expect(failed.stderr + text).not.toContain(secret);
  expect((await home.search("Try")).matches).toEqual([]);
}
