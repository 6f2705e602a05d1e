import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { defineTool } from "@poppet/chat";
import * as v from "valibot";
import { ask, temporaryFolder, testAssistant } from "./assistant.ts";

const page = await Bun.file(join(import.meta.dir, "../../../docs/storage.md")).text();

/** The page's queries by the comment above each. */
function queries(): Map<string, string> {
  const blocks = [...page.matchAll(/^```sql\n([\s\S]*?)^```/gm)].map((block) => block[1] ?? "");
  const found = blocks.join("\n").split(/^-- /m).slice(1);
  return new Map(found.map((one) => [one.slice(0, one.indexOf("\n")), one.slice(one.indexOf("\n") + 1)]));
}

/** A store with two sessions of a few exchanges, a tool call, and a failed run. */
async function filledStore(home: string): Promise<string> {
  const tool = defineTool({
    name: "test.look",
    description: "",
    input: v.object({}),
    inputJsonSchema: { type: "object" },
    run: async () => "seen",
  });
  const call = { type: "tool-call", toolCallId: "a", toolName: "test.look", input: "{}" } as const;
  const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15, reasoningTokens: null, cachedInputTokens: null };
  const finish = (reason: "stop" | "tool-calls") => ({ type: "finish", reason, usage, continuation: null }) as const;
  const text = (delta: string) => [{ type: "text", delta } as const, finish("stop")];
  const model = [
    [call, finish("tool-calls")],
    text("Blue, it seems."),
    text("Green."),
    text("Hello."),
    [finish("stop")],
  ];
  const assistant = await testAssistant({ home, model, tools: [tool] });
  const first = await ask(assistant, "What colour is the sky?");
  await ask(assistant, "And grass?", { session: first.sessionId });
  await ask(assistant, "Another session");
  await ask(assistant, "This one fails", { session: first.sessionId });
  await assistant.close();
  return first.sessionId;
}

test("S0 every query of docs/storage.md runs and gives what its comment says", async () => {
  using folder = temporaryFolder();
  const session = await filledStore(folder.path);
  using db = new Database(`${folder.path}/poppet.db`, { readonly: true });
  const rows = (comment: string) => {
    const sql = queries().get(comment);
    if (sql === undefined) throw new Error(`docs/storage.md has no query "${comment}"`);
    return db.query<{ [column: string]: unknown }, []>(sql.replaceAll("…", session)).all();
  };
  const checks: { readonly [comment: string]: (found: ReturnType<typeof rows>) => void } = {
    "The latest sessions": (found) => {
      expect(found.map((row) => row.title)).toEqual(["What colour is the sky?", "Another session"]);
    },
    "One conversation, as people see it": (found) => {
      const said = ["What colour is the sky?", "Blue, it seems.", "And grass?", "Green."];
      expect(found.map((row) => row.text)).toEqual(said);
    },
    "What failed, and why": (found) => expect(found).toMatchObject([{ error_code: "answer_empty" }]),
    "Tokens by model and month": (found) => expect(found).toMatchObject([{ model: "test-model", tokens: 75 }]),
    "A conversation's path from its tip, newest first: what the model sees is its newer part": (found) => {
      expect(found.map((row) => row.kind)).toEqual(["assistant", "user", "assistant", "tool", "assistant", "user"]);
    },
  };
  expect([...queries().keys()].sort()).toEqual(Object.keys(checks).sort());
  for (const [comment, check] of Object.entries(checks)) check(rows(comment));
});

test("S0 docs/storage.md names every table and every file, and no column that is not there", async () => {
  using folder = temporaryFolder();
  await filledStore(folder.path);
  using db = new Database(`${folder.path}/poppet.db`, { readonly: true });
  const tables = db.query<{ name: string }, []>("select name from sqlite_schema where type = 'table'").all();
  const described = new Map(
    [...page.matchAll(/^\| ((?:`\w+`(?:, )?)+) +\| (.*)\|$/gm)].flatMap(([, names = "", columns = ""]) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => [name, columns] as const),
    ),
  );
  for (const { name } of tables) {
    expect(described.keys().toArray()).toContain(name);
    const columns = db.query<{ name: string }, []>(`select name from pragma_table_info('${name}')`).all();
    // What stands in brackets is a column's values or what it points to.
    const named = (described.get(name) ?? "").replaceAll(/\([^)]*\)/g, "").matchAll(/`(\w+)`/g);
    for (const [, column = ""] of named) expect(columns.map((one) => one.name)).toContain(column);
  }
  for (const file of readdirSync(folder.path)) {
    expect(page).toContain(`\`${file.replace(/-(wal|shm)$/, "").replace(/^\w+\.db\.migrating$/, "*.migrating")}`);
  }
});
