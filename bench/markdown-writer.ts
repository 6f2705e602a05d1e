/** `markdown-writer.ts RESULT ROUNDS`: writes an answer's deltas to its terminal, raw and drawn by turns, and times each. */
import { openMarkdown } from "../packages/poppet/src/cli/render/markdown/render.ts";

const answer = `## How to wait for several things

Use \`Promise.all\` when **every** one has to succeed, and \`Promise.allSettled\` when you want to look at each result by
itself. The difference is what happens to the *others* when one of them fails, see [the guide](https://example.com/wait).

1. Start everything first, without an \`await\` in between.
2. Wait for all of it at once:
   - with a limit of time, so that nothing hangs;
   - with an \`AbortSignal\` that is passed down.

\`\`\`ts
// Both requests are under way before either is waited for.
async function load(id: string): Promise<Page> {
  const [user, posts] = await Promise.all([fetchUser(id), fetchPosts(id)]);
  return { user, posts, loaded: Date.now() - 42 };
}
\`\`\`

| call         | rejects when       | gives                 |
| ------------ | ------------------ | --------------------- |
| \`all\`        | the first rejects  | the values            |
| \`allSettled\` | never              | a **state** for each  |
| \`race\`       | the first to settle rejects | one value    |

> A timeout that nobody clears keeps the process alive. It is the most common reason for a test that passes and does not
> end, so clear it in a \`finally\`.

`;

const [result = "", rounds = "1"] = process.argv.slice(2);
const words = answer.match(/\s?\S+|\s+/g) ?? [];
const deltas = Array.from({ length: 10_000 }, (_, i) => words[i % words.length] ?? "");
const sink = Bun.stdout.writer();

function raw(): void {
  for (const delta of deltas) {
    sink.write(delta);
    sink.flush();
  }
}

function drawn(): void {
  const markdown = openMarkdown({ columns: () => 80, colors: 256, links: true });
  for (const delta of deltas) {
    const text = markdown.push(delta);
    if (text === "") continue;
    sink.write(text);
    sink.flush();
  }
  sink.write(markdown.end());
  sink.flush();
}

function cpu(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / deltas.length;
}

raw();
drawn();
const pairs = Array.from({ length: Number(rounds) }, () => ({ raw: cpu(raw), drawn: cpu(drawn) }));
await Bun.write(result, JSON.stringify(pairs));
