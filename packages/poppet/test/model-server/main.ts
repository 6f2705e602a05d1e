/**
 * The scripted model server as a process: `bun main.ts [--port N] [--script FILE.json]`. Prints its URL as the first line,
 * then one line of JSON for each request; ends at SIGTERM or Ctrl-C. Without a script it answers "Hello." for ever.
 */
import { parseArgs } from "node:util";
import type { Script } from "./script.ts";
import { startModelServer } from "./server.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "0" }, script: { type: "string" } } });
const script: Script = values.script
  ? ((await Bun.file(values.script).json()) as Script)
  : { replies: [{ parts: [{ type: "text", text: ["Hel", "lo."] }] }], afterLast: "repeat", models: ["test-model"] };
const server = await startModelServer(script, { port: Number(values.port) });
console.log(server.url);
for (let number = 1; ; number++) {
  const { protocol, method, path, refusal, over } = await server.request(number);
  console.log(JSON.stringify({ number, protocol, method, path, refusal }));
  over.then((how) => console.log(JSON.stringify({ number, over: how })));
}
