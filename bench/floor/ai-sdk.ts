/** What the provider's package alone takes: the same answer by its `doStream`, built as the program is. */
import { OpenAICompatibleChatLanguageModel } from "@ai-sdk/openai-compatible";

async function main(baseUrl: string): Promise<void> {
  const model = new OpenAICompatibleChatLanguageModel("bench", {
    provider: "bench",
    url: ({ path }) => `${baseUrl}${path}`,
    headers: () => ({}),
  });
  const { stream } = await model.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "hello" }] }] });
  const out = Bun.stdout.writer();
  for await (const part of stream) {
    if (part.type !== "text-delta") continue;
    out.write(part.delta);
    out.flush();
  }
  await out.end();
}

main(process.argv[2] ?? "").then(() => process.exit(0));
