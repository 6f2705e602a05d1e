/** The floor of `chat new`: asks the same server for the same answer with `fetch`, and prints it as it arrives. */
const [baseUrl] = process.argv.slice(2);
const response = await fetch(`${baseUrl}/chat/completions`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ model: "bench", stream: true, messages: [{ role: "user", content: "hello" }] }),
});
const out = Bun.stdout.writer();
const decoder = new TextDecoder();
let rest = "";
for await (const chunk of response.body ?? []) {
  const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    if (!line.startsWith("data: {")) continue;
    out.write(JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? "");
    out.flush();
  }
}
await out.end();

export {};
