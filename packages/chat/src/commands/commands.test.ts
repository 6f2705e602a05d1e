import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { anyTool, codeOf, heldModel, scriptedChat, textsOf } from "../../test/client.ts";
import {
  type Call,
  type ChatClient,
  type ChatUsage,
  CommandUnavailableError,
  clearCommand,
  commandSet,
  compactCommand,
  createChat,
  defineCommand,
  helpCommand,
  memoryTranscript,
  type PolicyCall,
  type PolicyOutcome,
  parseCommand,
  runCommand,
  toolsCommand,
  transcriptEditor,
  type Usage,
  undoCommand,
  usageCommand,
} from "../index.ts";
import { call, finish, say, scriptedModel } from "../testing/index.ts";

const deploy = defineCommand({
  name: "deploy",
  summary: "ships the current branch",
  run: async ({ args }) => ({ text: `deployed ${args}`, data: { args } }),
});
const builtIn = commandSet([
  helpCommand(),
  clearCommand(),
  compactCommand(),
  undoCommand(),
  usageCommand(),
  toolsCommand([{ name: "web.fetch", description: "reads a page" }]),
  deploy,
]);
const run = (client: ChatClient, text: string) => runCommand(client, builtIn, text);

describe("L1 what is a command", () => {
  const parse = (text: string) => {
    const parsed = parseCommand(builtIn, text);
    return parsed && [parsed.command.name, parsed.args];
  };

  test("L1 a registered verb directly at the start, to white space or the end; args are the rest", () => {
    expect(parse("/deploy")).toEqual(["deploy", ""]);
    expect(parse("/deploy main")).toEqual(["deploy", "main"]);
    expect(parse("/deploy  main \n now ")).toEqual(["deploy", " main \n now "]);
    expect(parse("/deploy\nmain")).toEqual(["deploy", "main"]);
    expect(parse("/deploy\u3000main")).toEqual(["deploy", "main"]);
    expect(parse("/deploy ")).toEqual(["deploy", ""]);
    expect(parse("/clear\n")).toEqual(["clear", ""]);
  });

  test("L1 §8.24 anything else is none: a path, a space, two slashes, a longer word, other letters, white space before", () => {
    const texts = [
      "/etc/hosts is what?",
      "/ help",
      "//clear",
      "/helpme",
      "/help.",
      "/Help",
      "/HELP",
      " /help",
      "\n/help",
    ];
    for (const text of [
      ...texts,
      "/",
      "",
      "help",
      "say /help",
      "/hélp",
      "/help\u0301",
      "/help/",
      "/constructor",
      "/__proto__",
    ]) {
      expect([text, parse(text)]).toEqual([text, null]);
    }
  });

  test("L1 law: what is handled begins with slash and name, and nothing of it is lost", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc
        .tuple(
          fc.constantFrom("/", "/", "//", " /", ""),
          fc.constantFrom("help", "clear", "deploy", "x"),
          fc.constantFrom("", " ", "\n", "\u3000", "s", "/"),
          fc.string(),
        )
        .map((parts) => parts.join("")),
    );
    let handled = 0;
    fc.assert(
      fc.property(text, (input) => {
        const parsed = parseCommand(builtIn, input);
        const named = [...builtIn].find(
          ({ name }) =>
            input === `/${name}` || (/^\s/.test(input.slice(name.length + 1)) && input.startsWith(`/${name}`)),
        );
        expect(parsed?.command.name ?? null).toBe(named?.name ?? null);
        if (!parsed) return;
        handled++;
        const { command, args } = parsed;
        const rest = input.slice(`/${command.name}`.length);
        expect(rest === "" ? args : rest.slice(1)).toBe(args);
      }),
      { numRuns: 2_000 },
    );
    expect(handled).toBeGreaterThan(100);
  });

  test("L1 a client is not touched by text that is no command", async () => {
    const untouchable = new Proxy({} as ChatClient, {
      get: (_, key) => {
        throw new Error(`${String(key)} was read`);
      },
    });
    expect(await run(untouchable, "/etc/hosts is what?")).toEqual({ handled: false });
  });
});

test("L1 what is no text, such as a body that was not checked, is refused by its code", async () => {
  const { client } = scriptedChat(["x"]);
  for (const input of [undefined, null, 5, {}, ["/help"]] as unknown as string[]) {
    expect(await codeOf(runCommand(client, builtIn, input))).toBe("option_invalid");
  }
});

describe("L2 a set of commands", () => {
  test("L2 two of one name are refused, and a name that nobody can type", () => {
    expect(() => commandSet([deploy, helpCommand(), deploy])).toThrow("/deploy");
    for (const name of ["", "/deploy", "a b", "größe", "x".repeat(65)]) {
      expect(() => defineCommand({ ...deploy, name })).toThrow("command name");
    }
    expect([...builtIn].map((command) => command.name)).toEqual([
      ...["help", "clear", "compact", "undo", "usage", "tools", "deploy"],
    ]);
  });

  test("L2 a command gets client, args, set and signal; its result comes with defaults", async () => {
    const { client } = scriptedChat(["ok"]);
    const seen: unknown[] = [];
    const set = commandSet([
      defineCommand({ name: "look", summary: "", run: async (request) => ({ text: `seen ${seen.push(request)}` }) }),
    ]);
    const controller = new AbortController();
    expect(await runCommand(client, set, "/look at  it", { signal: controller.signal })).toEqual({
      ...{ handled: true, text: "seen 1", changed: false, data: null },
    });
    expect(seen).toEqual([{ client, args: "at  it", set, signal: controller.signal }]);
    expect(await codeOf(runCommand(client, set, "/look", { signal: AbortSignal.abort() }))).toBe("aborted");
    expect(seen).toHaveLength(1);
  });

  test("L2 a command of one's own runs on one's own client", async () => {
    interface Shop {
      readonly open: boolean;
    }
    const set = commandSet<Shop>([
      defineCommand<Shop>({ name: "open", summary: "", run: async ({ client }) => ({ text: String(client.open) }) }),
      helpCommand(),
    ]);
    expect(await runCommand({ open: true }, set, "/open")).toMatchObject({ text: "true" });
  });

  test("L2 an error in a command is thrown as it is, and the conversation is as before", async () => {
    const { client } = scriptedChat(["ok"]);
    await client.chat("1");
    const before = await client.snapshot();
    const broken = commandSet([
      defineCommand({ name: "x", summary: "", run: () => Promise.reject(new RangeError("no")) }),
    ]);
    await expect(runCommand(client, broken, "/x")).rejects.toThrow(new RangeError("no"));
    expect(await client.snapshot()).toEqual(before);
  });

  test("L2 /help lists every command, those it did not write too, and one that cannot even say", async () => {
    const { client } = scriptedChat(["ok"]);
    const odd = defineCommand({
      name: "odd",
      summary: "is odd",
      unavailable: () => {
        throw new Error("cannot say");
      },
      run: async () => ({ text: "" }),
    });
    const outcome = await runCommand(client, commandSet([...builtIn, odd]), "/help");
    if (!outcome.handled) throw new Error("not handled");
    for (const { name, summary } of builtIn)
      expect(outcome.text).toMatch(new RegExp(`^/${name} +${summary.slice(0, 8)}`, "m"));
    expect(outcome.text).toMatch(/^\/odd +is odd \(not here: cannot say\)$/m);
    expect(outcome.changed).toBe(false);
  });
});

describe("L2 the commands that come with it", () => {
  test("L3 /clear keeps system prompt, model and tools, and drops what addCached added", async () => {
    const { client, model } = scriptedChat(["a", "b"], { system: "Be brief." });
    await client.addCached("manual");
    await client.chat("1");
    expect(await run(client, "/clear")).toMatchObject({ handled: true, changed: true });
    expect(await run(client, "/clear")).toMatchObject({ handled: true, changed: false });
    await client.chat("2");
    expect(model.requests[1]).toMatchObject({ system: "Be brief.", messages: [{ role: "user", text: "2" }] });
  });

  test("L2 /undo takes back one exchange after the other, and says which; a failed turn was never there", async () => {
    const { client, model } = scriptedChat(["a", "b", [say("x"), finish("length")], "d"]);
    await client.chat("first question");
    await client.chat(`second\n  question ${"x".repeat(99)}`);
    await client.chat("fails").catch(() => {});
    expect(await run(client, "/undo")).toMatchObject({
      changed: true,
      text: `Took back: second question ${"x".repeat(44)}…`,
    });
    expect(await run(client, "/undo")).toMatchObject({ changed: true, text: "Took back: first question" });
    expect(await run(client, "/undo")).toMatchObject({ changed: false, text: "There is nothing to take back." });
    await client.chat("again");
    expect(textsOf(model.requests.at(-1)?.messages ?? [])).toEqual(["again"]);
  });

  test("L2 /undo that is stopped while it reads takes nothing back", async () => {
    const { client } = scriptedChat(["a"]);
    await client.chat("1");
    const controller = new AbortController();
    const editor = client.editor && {
      ...client.editor,
      async read() {
        controller.abort();
        return client.editor?.read() ?? { revision: "", summary: null, exchanges: [] };
      },
    };
    const commands = commandSet<{ editor: typeof editor }>([undoCommand()]);
    expect(await codeOf(runCommand({ editor }, commands, "/undo", { signal: controller.signal }))).toBe("aborted");
    expect((await client.editor?.read())?.exchanges).toHaveLength(1);
  });

  test("L2 /undo takes back a whole exchange with its tool calls, and never reaches past a /clear", async () => {
    const tool = anyTool();
    const { client } = scriptedChat(["a", [call("t", {}), finish()], "c"], { tools: [tool] });
    await client.chat("before");
    await run(client, "/clear");
    await client.chat("with a tool");
    expect(await run(client, "/undo")).toMatchObject({ changed: true });
    expect((await client.editor?.read())?.exchanges).toEqual([]);
    expect(await run(client, "/undo")).toMatchObject({ changed: false });
  });

  test("L2 /undo after /compact goes on one by one; where it reaches what was summarised, that is read in full again", async () => {
    const { client, model } = scriptedChat([
      "one, with many words, as many as it takes",
      "two",
      "three",
      "SUM",
      "next",
    ]);
    for (const text of ["1: a long question", "2", "3"]) await client.chat(text);
    expect(await run(client, "/compact")).toMatchObject({ changed: true });
    await run(client, "/undo");
    await run(client, "/undo");
    expect((await client.editor?.read())?.summary).toBe("SUM");
    await client.add("4");
    await run(client, "/undo");
    await run(client, "/undo");
    expect(await run(client, "/undo")).toMatchObject({ text: "There is nothing to take back." });
    await client.chat("5");
    expect(textsOf(model.requests.at(-1)?.messages ?? [])).toEqual(["5"]);
  });

  test("L2 /usage tells turns and summaries apart", async () => {
    const used = { inputTokens: 1200, outputTokens: 30, cachedInputTokens: 1000, reasoningTokens: 7 };
    const { client } = scriptedChat([[say("long enough an answer"), finish("stop", used)], "b", "c", "SUM"]);
    expect(await run(client, "/usage")).toMatchObject({ text: "Answers: 0. Tokens: none reported." });
    for (const text of ["1: some words to shorten", "2", "3"]) await client.chat(text);
    await run(client, "/compact");
    const outcome = await run(client, "/usage");
    expect(outcome).toMatchObject({ changed: false, data: client.usage() });
    expect(outcome.handled && outcome.text).toContain("Answers: 3.");
    expect(outcome.handled && outcome.text).toContain("Summaries: 1. Tokens: 10 in, 5 out.");
  });

  test("L2 /usage says what was read from a cache, what was reasoning, and what is not known", async () => {
    const told = async (count: number, unreported: number, tokens: Partial<Usage> | null) => {
      const none = { inputTokens: null, outputTokens: null, totalTokens: null };
      const all = tokens && { ...none, reasoningTokens: null, cachedInputTokens: null, ...tokens };
      const client = {
        usage: (): ChatUsage => ({
          turns: { count, unreported, tokens: all },
          compactions: { count: 0, unreported: 0, tokens: null },
        }),
      };
      const outcome = await runCommand(client, commandSet<typeof client>([usageCommand()]), "/usage");
      return outcome.handled && outcome.text;
    };
    const used = { inputTokens: 1_200, outputTokens: 30 };
    expect(await told(2, 0, { ...used, cachedInputTokens: 1_000, reasoningTokens: 7 })).toBe(
      "Answers: 2. Tokens: 1200 in (1000 of them from a cache), 30 out (7 of them reasoning).",
    );
    expect(await told(3, 1, { ...used, outputTokens: null })).toBe(
      "Answers: 3 (1 of them not fully reported). Tokens: 1200 in, unknown out.",
    );
  });

  test("L2 /clear hands on its signal", async () => {
    const seen: unknown[] = [];
    const client = { clear: async (call?: Call) => seen.push(call?.signal) > 0 };
    const { signal } = new AbortController();
    await runCommand(client, commandSet<typeof client>([clearCommand()]), "/clear", { signal });
    expect(seen).toEqual([signal]);
  });

  test("L2 /compact hands on what to keep and its signal, and says what came of it", async () => {
    const seen: PolicyCall[] = [];
    const told = async (outcome: PolicyOutcome) => {
      const client = {
        editor: transcriptEditor(memoryTranscript()),
        applyPolicyNow: async (call: PolicyCall = {}) => {
          seen.push(call);
          return outcome;
        },
      };
      const commands = commandSet<typeof client>([compactCommand()]);
      const { signal } = new AbortController();
      const said = await runCommand(client, commands, "/compact  the dates ", { signal });
      expect(seen.splice(0)).toEqual([{ focus: "the dates", signal }]);
      return said.handled && [said.changed, said.text];
    };
    const bytes = { before: 900, after: 100 };
    expect(await told({ changed: true, exchanges: 1, bytes })).toEqual([
      ...[true, "Summarised 1 exchange: 900 bytes became 100. The newest stay as they are."],
    ]);
    expect(await told({ changed: true, exchanges: 2, bytes })).toEqual([
      ...[true, expect.stringContaining("2 exchanges")],
    ]);
    expect(await told({ changed: false, reason: "nothing-old" })).toEqual([
      ...[false, "There is nothing to shorten yet."],
    ]);
    expect(await told({ changed: false, reason: "each-request" })).toEqual([
      ...[false, expect.stringContaining("only the newest")],
    ]);
  });

  test("L2 /tools lists the tools that it was given", async () => {
    const { client } = scriptedChat(["ok"]);
    expect(await run(client, "/tools")).toMatchObject({ text: "web.fetch: reads a page", changed: false });
    expect(await runCommand(client, commandSet([toolsCommand([])]), "/tools")).toMatchObject({
      text: "The model has no tools.",
    });
  });

  test("L5 /compact and /undo say: try again, and change nothing, where the conversation moved on", async () => {
    const model = heldModel(["a", "b", "c", "SUM"]);
    const client = createChat({ model });
    for (const n of [1, 2, 3]) {
      const work = client.chat(`question ${n}, with some words, which a summary makes shorter`);
      await model.asked(n);
      model.release();
      await work;
    }
    const work = run(client, "/compact");
    await model.asked(4);
    await client.add("newer");
    const before = await client.snapshot();
    model.release();
    expect(await work).toMatchObject({ handled: true, changed: false, text: expect.stringContaining("Try again") });
    expect(await client.snapshot()).toEqual({ ...before, usage: client.usage() });
    const { editor } = client;
    const racing = {
      editor: editor && { ...editor, dropLast: (_: string, count: number) => editor.dropLast("old", count) },
    };
    expect(await runCommand(racing, commandSet<typeof racing>([undoCommand()]), "/undo")).toMatchObject({
      ...{ changed: false, text: expect.stringContaining("Try again") },
    });
  });

  test("L4 without an editor both are refused with why, and /help lists them with it", async () => {
    const client = { ...createChat({ model: scriptedModel(["x"]) }), editor: null };
    for (const text of ["/undo", "/compact"]) {
      const thrown = await run(client, text).catch((error: unknown) => error);
      expect(CommandUnavailableError.isInstance(thrown) && thrown.details.command).toBe(text.slice(1));
    }
    const help = await run(client, "/help");
    expect(help.handled && help.text.match(/not here: .*provider keeps the conversation itself/g)).toHaveLength(2);
  });
});
