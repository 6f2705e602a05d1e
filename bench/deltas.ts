/** What the turn costs over the provider's package for a long answer, in this process's own CPU time. */
import { OpenAICompatibleChatLanguageModel } from "@ai-sdk/openai-compatible";
import { emptyContext, turn } from "@poppet/chat";
import { languageModel } from "@poppet/chat/ai-sdk";
import { median } from "./measure.ts";
import { startServer } from "./server.ts";
import type { Line } from "./table.ts";

const deltas = 10_000;

export async function benchDeltas(folder: string, rounds: number): Promise<readonly Line[]> {
  using server = await startServer(folder, {
    replies: [{ parts: [{ type: "deltas", count: deltas, text: "word " }] }],
    afterLast: "repeat",
  });
  const model = new OpenAICompatibleChatLanguageModel("bench", {
    provider: "bench",
    url: ({ path }) => `${server.url}/v1${path}`,
    headers: () => ({}),
  });

  async function bare(): Promise<void> {
    const { stream } = await model.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "hello" }] }] });
    let length = 0;
    for await (const part of stream) if (part.type === "text-delta") length += part.delta.length;
    if (length !== deltas * 5) throw new Error(`the bare reader got ${length} characters`);
  }

  async function whole(): Promise<void> {
    const running = turn({
      model: languageModel(model, { provider: "bench", label: "bench", keyHint: "" }),
      system: "",
      context: emptyContext,
      input: { role: "user", text: "hello" },
      tools: [],
      limits: { answerBytes: 1e9, recordBytes: 1e9, turnMs: 1e6, requestMs: 1e6, steps: 20, toolCalls: 40 },
      budget: { exchanges: 400, bytes: 1e9, tokens: 1e9 },
      signal: new AbortController().signal,
    });
    for (;;) {
      const next = await running.next();
      if (!next.done) continue;
      if (next.value.state !== "completed") throw next.value.error;
      return;
    }
  }

  const cpu = async (run: () => Promise<void>): Promise<number> => {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / deltas;
  };
  await bare();
  await whole();
  const pairs: { readonly bare: number; readonly whole: number }[] = [];
  for (let round = 0; round < rounds; round++) pairs.push({ bare: await cpu(bare), whole: await cpu(whole) });
  const ratio = median(pairs.map((pair) => pair.whole / pair.bare));
  return [
    {
      what: "10,000 deltas through the turn, CPU a delta",
      value: `${median(pairs.map((pair) => pair.whole)).toFixed(1)} us`,
      floor: `bare doStream ${median(pairs.map((pair) => pair.bare)).toFixed(1)} us`,
      ratio: `${ratio.toFixed(2)}x`,
      target: `1.5x${ratio <= 1.5 ? "" : " MISSED"}`,
    },
  ];
}
