/** claudeLocal over a program that speaks Claude Code's stream. */
import { afterEach, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { type ClaudeLocalOptions, claudeLocal } from "../src/claude-local/claude-local.ts";
import {
  clearCommand,
  commandSet,
  compactCommand,
  createChat,
  helpCommand,
  runCommand,
  undoCommand,
} from "../src/index.ts";
import { describeProvider } from "../src/testing/index.ts";
import { claudeFactory } from "./claude/factory.mjs";
import {
  answer,
  failure,
  init,
  limitReached,
  messageStart,
  messageStop,
  result,
  textDelta,
  thinking,
} from "./claude/script.mjs";
import { type ClaudeReply, type StandIn, standIn } from "./claude/stand-in.mjs";
import { codeOf } from "./client.ts";

const opened: StandIn[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.remove();
});

function start(replies: readonly ClaudeReply[], options: ClaudeLocalOptions = {}, env: Record<string, string> = {}) {
  const program = standIn(replies, env);
  opened.push(program);
  const model = claudeLocal({ ...program.options, ...options });
  return { program, model, client: createChat({ model, system: "Be brief." }) };
}

async function failureOf(reply: ClaudeReply, options: ClaudeLocalOptions = {}, env: Record<string, string> = {}) {
  const { client } = start([reply], options, env);
  return client.chat("Hi").then(
    () => ({ code: "nothing thrown", message: "", details: {} }),
    (error: { code: string; message: string; details: Record<string, unknown> }) => error,
  );
}

describeProvider(claudeFactory(claudeLocal), { describe, test, name: "L7 claudeLocal, by the suite for providers" });

describe("L7 claudeLocal asks the program", () => {
  test("with the message as its input, and neither tools, servers, settings nor commands", async () => {
    const { program, model } = start([answer("Hello.")], {}, { CLAUDECODE: "1" });
    const client = createChat({ model, system: "Be\0 brief." });
    expect((await client.chat("/etc/hosts\n@/etc/passwd --resume x")).text).toBe("Hello.");
    const { argv, text, env } = await program.call(1);
    expect(text).toBe("/etc/hosts\n@/etc/passwd --resume x");
    expect(argv).toEqual([
      ...["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"],
      ...["--system-prompt=Be brief.", "--tools", "", "--strict-mcp-config", '--mcp-config={"mcpServers":{}}'],
      ...["--setting-sources", "", "--disable-slash-commands"],
    ]);
    expect(env).toMatchObject({
      CLAUDE_CODE_DISABLE_ATTACHMENTS: "1",
      CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1",
      CLAUDE_CODE_MAX_RETRIES: "0",
    });
    expect(env).not.toHaveProperty("CLAUDECODE");
  });

  test("with what was opened, where it was opened", async () => {
    const access = { tools: ["Read", "Bash"], allow: ["Bash(git log:*)"], settings: ["project"] } as const;
    const more = { access, model: "sonnet", systemPrompt: "append" } as const;
    const { program, client } = start([{ pieces: [init({ tools: ["Read", "Bash"] }), result("Done.")] }], more);
    expect((await client.chat("Hi")).text).toBe("Done.");
    const { argv, cwd, env } = await program.call(1);
    expect(argv).toEqual(
      expect.arrayContaining([
        ...[
          "--append-system-prompt=Be brief.",
          "--model=sonnet",
          "Read,Bash",
          "--allowedTools=Bash(git log:*)",
          "project",
        ],
      ]),
    );
    expect(cwd).toBe(program.options.folder);
    expect(env).not.toHaveProperty("CLAUDE_CODE_DISABLE_CLAUDE_MDS");
  });

  test("with the servers that were opened, and no others", async () => {
    const access = { mcpConfig: "/etc/servers.json" };
    const first = init({ tools: ["mcp__x__y"], mcp_servers: [{ name: "x", status: "connected" }] });
    const { program, client } = start([{ pieces: [first, result("Done.")] }], { access });
    expect((await client.chat("Hi")).text).toBe("Done.");
    const { argv } = await program.call(1);
    expect(argv).toEqual(expect.arrayContaining(["--strict-mcp-config", "--mcp-config=/etc/servers.json"]));
  });

  test("in the home folder where none is said", async () => {
    const program = standIn([answer("Hello.")]);
    opened.push(program);
    const { folder: _, ...options } = program.options;
    await createChat({ model: claudeLocal(options) }).chat("Hi");
    expect((await program.call(1)).cwd).toBe(homedir());
  });

  test.each([
    ["tools", init({ tools: ["Bash"] })],
    ["a server", init({ mcp_servers: [{ name: "x", status: "connected" }] })],
    ["no word on its tools", init({ tools: undefined })],
    ["an answer before that word", ""],
  ])("and stops one that has %s, though nothing was opened", async (_name, first) => {
    const { program, client } = start([{ pieces: [first, textDelta("I can!"), "stall"] }]);
    await expect(client.chat("Hi")).rejects.toMatchObject({ code: "provider_rejected" });
    await program.over(1);
  });
});

test("L7 claudeLocal with all of its own tools open has still no servers", async () => {
  const access = { tools: ["default"] };
  const own = { pieces: [init({ tools: ["Read", "Bash"] }), result("Done.")] };
  expect((await start([own], { access }).client.chat("Hi")).text).toBe("Done.");
  for (const more of [{ tools: ["Read", "mcp__x__y"] }, { mcp_servers: [{ name: "x", status: "connected" }] }]) {
    expect(await failureOf({ pieces: [init(more), result("Done.")] }, { access })).toMatchObject({
      code: "provider_rejected",
    });
  }
});

describe("L7 claudeLocal reads the answer", () => {
  test("as it comes: thinking in sections, text, why it ended, what it used", async () => {
    const pieces = [
      ...[
        init(),
        messageStart(),
        ...thinking(""),
        ...thinking("Hm", "m."),
        ...thinking("Ah."),
        textDelta("Hel"),
        textDelta("lo."),
      ],
      ...[messageStop(), result("Hello.")],
    ];
    const { client } = start([{ pieces }]);
    const running = client.stream("Hi");
    const seen: string[] = [];
    for (;;) {
      const next = await running.next();
      if (next.done) {
        expect(next.value.usage).toEqual({
          ...{ inputTokens: 34, outputTokens: 5, totalTokens: 39, reasoningTokens: null, cachedInputTokens: 20 },
        });
        break;
      }
      const event = next.value;
      if (event.type === "reasoning") seen.push(`${event.section}:${event.delta}`);
      if (event.type === "text") seen.push(event.delta);
    }
    expect(seen).toEqual(["0:Hm", "0:m.", "1:Ah.", "Hel", "lo."]);
  });

  test("whatever pieces its bytes come in, between lines that are none", async () => {
    const text = "é😀 — 日本\u0000.";
    const all = [init(), textDelta(text), "null\n[1]\n{broken\nplain words\n\n", `\u001b[?1004l${result(text)}`].join(
      "",
    );
    const bytes = Buffer.from(all);
    const pieces: ClaudeReply["pieces"][number][] = [];
    for (let at = 0; at < bytes.length; at += 41) {
      pieces.push({ base64: bytes.subarray(at, at + 41).toString("base64") });
      if (at % 3 === 0) pieces.push("apart");
    }
    const { client } = start([{ pieces, stderr: "warning: noise\n".repeat(5_000) }]);
    expect((await client.chat("Hi")).text).toBe(text);
  });

  test("from its last word, where it did not stream and no line feed ends it", async () => {
    const { client } = start([{ pieces: [init(), result("Whole.").trimEnd()] }]);
    expect((await client.chat("Hi")).text).toBe("Whole.");
  });

  test("with a blank line where its own tools came between, and without what its own agents say", async () => {
    const other = JSON.stringify({
      ...{ type: "stream_event", parent_tool_use_id: "t" },
      event: { type: "content_block_delta", delta: { type: "text_delta", text: "inner" } },
    });
    const pieces = [
      ...[init({ tools: ["Task"] }), messageStart(), textDelta("Looking."), messageStop("tool_use"), `${other}\n`],
      ...[messageStart(), textDelta("Found."), messageStop(), result("Found.")],
    ];
    const { client } = start([{ pieces }], { access: { tools: ["Task"] } });
    expect((await client.chat("Hi")).text).toBe("Looking.\n\nFound.");
  });

  test("of one that does not end after its last word, which it does not wait for long", async () => {
    const { program, client } = start([{ pieces: [init(), result("All."), "stall"], child: true }]);
    expect((await client.chat("Hi")).text).toBe("All.");
    await program.over(1);
  }, 20_000);

  test("that its own limit cut, and takes the words about that for none of the answer", async () => {
    const { model } = start([failure("exceeded the output token maximum", { kind: "max_output_tokens" })]);
    const request = { system: "", text: "Hi", signal: new AbortController().signal };
    const events = await Array.fromAsync(model.openSession(null).send(request));
    expect(events).toEqual([expect.objectContaining({ type: "finish", reason: "length" })]);
  });

  test.each([
    ["max_tokens", "answer_truncated"],
    ["refusal", "answer_filtered"],
  ])("and takes %s for what it is", async (stop_reason, code) => {
    const reply = { pieces: [init(), textDelta("Half"), result("Half", { stop_reason })] };
    expect((await failureOf(reply)).code).toBe(code);
  });
});

describe("L7 claudeLocal keeps the conversation in the program", () => {
  const turns = Array.from({ length: 4 }, () => answer("turn {turns}"));

  test("going on from the session before, which stays as it was", async () => {
    const { client } = start(turns);
    expect((await client.chat("1")).text).toBe("turn 1");
    const snapshot = await client.snapshot();
    expect((await client.chat("2")).text).toBe("turn 2");
    expect((await client.chat("3")).text).toBe("turn 3");
    await client.restore(JSON.parse(JSON.stringify(snapshot)));
    expect((await client.chat("2 again")).text).toBe("turn 2");
  });

  test("without a message that failed or was stopped", async () => {
    const stalled = { pieces: [init(), textDelta("Half"), "stall" as const] };
    const { client } = start([...turns.slice(0, 1), failure("API Error: 500"), stalled, ...turns.slice(0, 1)]);
    await client.chat("1");
    expect(await codeOf(client.chat("lost"))).toBe("provider_server");
    const controller = new AbortController();
    const stopping = (async () => {
      for await (const event of client.stream("stopped", { signal: controller.signal })) {
        if (event.type === "text") controller.abort();
      }
    })();
    expect(await codeOf(stopping)).toBe("aborted");
    expect((await client.chat("2")).text).toBe("turn 2");
  });

  test("§8.25 /clear opens another session; /undo and /compact say why not; tools are refused", async () => {
    const { program, client } = start(turns);
    const set = commandSet([helpCommand(), clearCommand(), undoCommand(), compactCommand()]);
    await client.chat("1");
    await runCommand(client, set, "/clear");
    expect((await client.chat("2")).text).toBe("turn 1");
    expect((await program.call(2)).argv.join(" ")).not.toContain("--resume");
    expect(client.editor).toBeNull();
    for (const name of ["/undo", "/compact"]) {
      await expect(runCommand(client, set, name)).rejects.toMatchObject({ code: "command_unavailable" });
      expect(await runCommand(client, set, "/help")).toMatchObject({ text: expect.stringContaining(name) });
    }
    expect(() => client.setTools([])).toThrow(expect.objectContaining({ code: "capability_missing" }));
  });

  test("and says when it is lost, or when a snapshot is none", async () => {
    const from = start(turns);
    await from.client.chat("1");
    const snapshot = JSON.parse(JSON.stringify(await from.client.snapshot()));
    const elsewhere = start(turns);
    await elsewhere.client.restore(snapshot);
    const failing = elsewhere.client.chat("2");
    await expect(failing).rejects.toMatchObject({ code: "conversation_lost" });
    for (const state of [{ sessionId: "--dangerously-skip-permissions" }, { sessionId: "" }, "x", 1]) {
      const other = { ...snapshot, conversation: { ...snapshot.conversation, state } };
      expect(await codeOf(elsewhere.client.restore(other))).toBe("snapshot_invalid");
    }
  });
});

describe("L7 claudeLocal says what went wrong", () => {
  const at = 1_764_547_200;
  const failures: readonly (readonly [string, ClaudeReply, string, string])[] = [
    ["no login", failure("Not logged in · Please run /login"), "provider_auth", "log in there"],
    [
      "a refused key",
      failure("Invalid API key", { kind: "authentication_failed" }),
      "provider_auth",
      "Invalid API key",
    ],
    ["a status", failure("API Error: 529 {}", { api_error_status: 529 }), "provider_overloaded", "overloaded"],
    ["a status in words", failure("API Error: 403 no"), "provider_permission", "may not use"],
    ["an overload", failure("Overloaded", { kind: "overloaded" }), "provider_overloaded", "Wait"],
    ["a limit", failure(`Claude AI usage limit reached|${at}`), "provider_rate_limit", "after 2025-12-01T00:00:00"],
    ["a limit of the session", failure("You've hit your session limit"), "provider_rate_limit", "Wait"],
    ["no credit", failure("Credit balance is too low", { kind: "billing_error" }), "provider_quota", "billing"],
    ["a long prompt", failure("Prompt is too long", { kind: "invalid_request" }), "context_too_large", "/clear"],
    [
      "no such model",
      failure("There's an issue with the selected model (x).", { kind: "model_not_found" }),
      "model_not_found",
      "Check its name",
    ],
    [
      "its own failure",
      failure("", { subtype: "error_during_execution" }),
      "provider_server",
      "error during execution",
    ],
    [
      "an old version",
      { pieces: [], stderr: "error: unknown option '--fork-session'\n(see --help)\n", exit: 1 },
      "provider_rejected",
      "recent",
    ],
    [
      "a word on stderr",
      { pieces: [], stderr: "noise\nInvalid API key · Please run /login\nbye\n", exit: 1 },
      "provider_auth",
      "Invalid API key",
    ],
    ["an exit code alone", { pieces: [init()], exit: 7 }, "answer_unfinished", "exit code 7"],
    ["an end within the answer", { pieces: [init(), textDelta("Half")] }, "answer_unfinished", "exit code 0"],
    ["another program", { pieces: ["hello\n"] }, "provider_malformed", "executable"],
    ["a kill", { pieces: [init(), textDelta("Half")], signal: "SIGKILL" }, "answer_unfinished", "SIGKILL"],
    ["a giant line", { pieces: [init(), { bytes: 17_000_000 }] }, "provider_malformed", "16777216 bytes"],
  ];
  test.each(failures)("%s", async (_name, reply, code, words) => {
    const error = await failureOf(reply);
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(words)]);
    expect(error.message).not.toContain("\n");
  });

  test("until when a limit lasts", async () => {
    const { pieces, exit } = failure("You've hit your limit", { kind: "rate_limit" });
    const error = await failureOf({
      pieces: [...pieces.slice(0, 1), limitReached(at), ...pieces.slice(1)],
      exit: exit ?? 1,
    });
    expect(error.details).toMatchObject({ retryAt: at * 1000, provider: "claude-local" });
  });

  test("and no time where what it says is none", async () => {
    const { pieces, exit } = failure("You've hit your limit", { kind: "rate_limit" });
    const reply = { pieces: [...pieces.slice(0, 1), limitReached(1e300), ...pieces.slice(1)], exit: exit ?? 1 };
    const { code, details, message } = await failureOf(reply);
    expect([code, "retryAt" in details, message]).toEqual([
      ...["provider_rate_limit", false, expect.stringContaining("Wait")],
    ]);
  });

  test("without its key, whoever repeats it", async () => {
    const key = "zq-9Hs71kPl0Vb3";
    const error = await failureOf(failure(`API Error: 401 the key ${key} is wrong`), {}, { ANTHROPIC_API_KEY: key });
    expect(error.code).toBe("provider_auth");
    expect(error.message).toContain("[key] is wrong");
    expect(JSON.stringify(error)).not.toContain(key);
  });

  test("where there is no such program, or it cannot be run", async () => {
    const reply = answer("Hello.");
    for (const executable of ["poppet-no-such-program", "/etc/hostname"]) {
      expect(await failureOf(reply, { executable })).toMatchObject({ code: "provider_not_configured" });
    }
    expect(await failureOf(reply, { folder: "/no/such/folder" })).toMatchObject({ code: "provider_not_configured" });
    const { program, model } = start([reply]);
    const tooLong = { system: "x".repeat(4_000_000), text: "Hi", signal: new AbortController().signal };
    const events = model.openSession(null).send(tooLong)[Symbol.asyncIterator]();
    expect(await codeOf(events.next())).toBe("context_too_large");
    expect(program.calls).toBe(0);
  });
});

describe("L7 claudeLocal leaves nothing behind", () => {
  const stalls: readonly (readonly [string, ClaudeReply])[] = [
    ["before its first word", { pieces: ["stall"] }],
    ["within its answer", { pieces: [init(), textDelta("Half"), "stall"] }],
    ["after its last word", { pieces: [init(), textDelta("All"), result("All"), "stall"] }],
  ];
  test.each(stalls)("of one that stalls %s and is aborted, nor of what it started", async (_name, reply) => {
    const { program, client } = start([{ ...reply, child: true }]);
    const controller = new AbortController();
    const failing = codeOf(client.chat("Hi", { signal: controller.signal }));
    await program.call(1);
    controller.abort();
    expect(await failing).toBe("aborted");
    await program.over(1);
  });

  test("of one that will not end", async () => {
    const { program, client } = start([
      { pieces: [init(), textDelta("Half"), "stall"], ignoreTerm: true, child: true },
    ]);
    for await (const event of client.stream("Hi")) if (event.type === "text") break;
    await program.over(1);
  });

  test("of what goes on after it", async () => {
    const { program, client } = start([{ ...answer("Hello."), child: true }]);
    expect((await client.chat("Hi")).text).toBe("Hello.");
    await program.over(1);
  });

  test.each([
    ["exits", "process.exit(3)", { status: 3, signal: null }],
    ["is killed", `process.kill(process.pid, "SIGKILL")`, { status: null, signal: "SIGKILL" }],
  ])("when the process that holds it %s", async (_name, ending, expected) => {
    const { program } = start([{ pieces: [init(), textDelta("Half"), "stall"], ignoreTerm: true, child: true }]);
    const source = `
      const { claudeLocal } = await import(${JSON.stringify(`${import.meta.dir}/../src/claude-local/claude-local.ts`)});
      const session = claudeLocal(${JSON.stringify(program.options)}).openSession(null);
      for await (const _ of session.send({ system: "", text: "Hi", signal: new AbortController().signal })) ${ending};`;
    expect(spawnSync(process.execPath, ["-e", source])).toMatchObject(expected);
    await program.over(1);
  });

  test("and does not wait for what left its group with its output open", async () => {
    const { program, client } = start([{ ...answer("Hello."), child: "apart" }]);
    expect((await client.chat("Hi")).text).toBe("Hello.");
    const { child } = await program.call(1);
    if (child !== null) process.kill(child);
    await program.over(1);
  });

  test("and starts nothing once it is aborted", async () => {
    const { program, client } = start([answer("Hello.")]);
    expect(await codeOf(client.chat("Hi", { signal: AbortSignal.abort() }))).toBe("aborted");
    expect(program.calls).toBe(0);
  });
});
