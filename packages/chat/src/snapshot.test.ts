import { describe, expect, test } from "bun:test";
import { anyTool, codeOf, scriptedChat, textsOf } from "../test/client.ts";
import { decrypt, encrypt } from "./encrypt.ts";
import { type ChatOptions, clearCommand, commandSet, compact, runCommand, type Snapshot } from "./index.ts";
import { call, finish, type ScriptedStep, say } from "./testing/index.ts";

const tool = anyTool();
const script: readonly ScriptedStep[] = [
  [
    say("one, in many words"),
    finish("stop", { inputTokens: 9, outputTokens: 2 }, [{ type: "text", text: "one", id: "x" }]),
  ],
  "two",
  [call("t", { deep: [1, null] }), finish("tool-calls")],
  "three",
  "SUM",
  "last",
];

async function talked(options: Partial<ChatOptions> = {}) {
  const chat = scriptedChat(script, { tools: [tool], policy: compact({ at: Infinity, keep: 2 }), ...options });
  await chat.client.addCached("manual é 😀 \u0000");
  for (const text of ["1", "2", "3"]) await chat.client.chat(text);
  return chat;
}

describe("L6 snapshots", () => {
  test("L6 restored into another client the next request is the same, byte for byte; so is the usage", async () => {
    for (const summarised of [false, true]) {
      const from = await talked();
      if (summarised) await from.client.applyPolicyNow();
      const snapshot = JSON.parse(JSON.stringify(await from.client.snapshot()));
      const to = scriptedChat(["x"], { tools: [tool] });
      await to.client.chat("something else");
      await to.client.restore(snapshot);
      expect(to.client.usage()).toEqual(from.client.usage());
      expect(await to.client.snapshot()).toEqual(snapshot);
      await from.client.chat("next");
      await to.client.chat("next");
      const sent = (messages: unknown) => JSON.stringify(messages);
      expect(sent(to.model.requests.at(-1)?.messages)).toBe(sent(from.model.requests.at(-1)?.messages));
    }
  });

  test("L6 calls take effect in their order: one that comes while a snapshot is read is made on what it restores", async () => {
    const from = await talked();
    const snapshot = await from.client.snapshot();
    const to = scriptedChat(["x"], { tools: [tool] });
    const calls = [to.client.restore(snapshot), to.client.add("added"), to.client.chat("next")];
    await Promise.all(calls);
    const sent = textsOf(to.model.requests[0]?.messages ?? []);
    expect([sent[0], ...sent.slice(-2)]).toEqual(["manual é 😀 \u0000", "added", "next"]);

    const [, taken] = await Promise.all([to.client.restore(snapshot), to.client.snapshot()]);
    expect(taken).toEqual(snapshot);
    await Promise.all([to.client.restore(snapshot), to.client.clear()]);
    expect((await to.client.editor?.read())?.exchanges).toEqual([]);
  });

  test("L6 what a model counts wrongly makes no snapshot that cannot be restored", async () => {
    for (const tokens of [Number.NaN, -10, Infinity]) {
      const usage = { inputTokens: tokens, outputTokens: 5, totalTokens: tokens };
      const { client } = scriptedChat([[say("answer"), finish("stop", usage)]]);
      expect((await client.chat("hi")).usage).toMatchObject({ inputTokens: null, outputTokens: 5 });
      await scriptedChat([]).client.restore(JSON.parse(JSON.stringify(await client.snapshot())));
    }
  });

  test("L6 exchanges stay apart, so that trimming and /undo find them", async () => {
    const from = await talked();
    const to = scriptedChat(["x"], { limits: { contextExchanges: 1 } });
    await to.client.restore(await from.client.snapshot());
    const ids = (await to.client.editor?.read())?.exchanges.map((one) => one.messages.length);
    expect(ids).toEqual([1, 2, 2, 4]);
  });

  test("L1 a restored transcript with a command in it runs nothing", async () => {
    const from = scriptedChat(["ok"]);
    await from.client.chat("/clear");
    await from.client.add("/undo");
    const to = scriptedChat(["x"]);
    await to.client.restore(await from.client.snapshot());
    expect((await to.client.editor?.read())?.exchanges).toHaveLength(2);
    expect(await runCommand(to.client, commandSet([clearCommand()]), "/clear")).toMatchObject({ changed: true });
  });

  test("L6 a snapshot does not change with the conversation, nor the conversation with it", async () => {
    const { client } = await talked();
    const snapshot = await client.snapshot();
    const text = JSON.stringify(snapshot);
    await client.chat("more");
    expect(JSON.stringify(snapshot)).toBe(text);
    (snapshot as { conversation: unknown }).conversation = null;
    expect((await client.editor?.read())?.exchanges).toHaveLength(5);
  });

  test("L6 what is no snapshot is refused, and the conversation stays", async () => {
    const { client } = await talked();
    const good = await client.snapshot();
    const broken = (change: (copy: Record<string, never>) => unknown) => {
      const copy = JSON.parse(JSON.stringify(good));
      change(copy);
      return copy;
    };
    type Loose = {
      conversation: { exchanges: { [key: string]: unknown }[][]; [key: string]: unknown };
      [key: string]: unknown;
    };
    const changes: ((copy: Loose) => unknown)[] = [
      (copy) => (copy.format = "other"),
      (copy) => (copy.version = 0),
      (copy) => (copy.version = "1"),
      (copy) => (copy.version = "2"),
      (copy) => delete copy.conversation.summary,
      (copy) => (copy.conversation.type = "odd"),
      (copy) => (copy.conversation.exchanges = {} as never),
      (copy) => copy.conversation.exchanges.push([]),
      (copy) => copy.conversation.exchanges[1]?.shift(),
      (copy) => copy.conversation.exchanges[3]?.splice(2, 1),
      (copy) => copy.conversation.exchanges.push([{ ...copy.conversation.exchanges[1]?.[1] }]),
      (copy) => delete copy.conversation.exchanges[1]?.[1]?.provider,
      (copy) => copy.conversation.exchanges[0]?.push({ role: "user", text: "x", cached: 1 }),
      (copy) => {
        const [result] = (copy.conversation.exchanges[3]?.[2]?.results ?? []) as { state: string }[];
        if (result) result.state = "odd";
      },
      (copy) => delete copy.conversation.exchanges[1]?.[1]?.measured,
      (copy) => delete copy.conversation.exchanges[1]?.[1]?.continuation,
      (copy) => copy.conversation.exchanges[0]?.push({ role: "system", text: "x" }),
      (copy) => copy.conversation.exchanges[0]?.push({ role: "clear" }),
      (copy) => copy.conversation.exchanges[0]?.push({ role: "user", text: "" }),
      (copy) => copy.conversation.exchanges[0]?.push({ role: "user", text: "x", sources: [1] }),
      (copy) => delete copy.usage,
      (copy) => (copy.usage = { ...good.usage, turns: { count: 1, unreported: 0, tokens: { inputTokens: 1 } } }),
      (copy) => {
        // The same call twice, and its result too.
        const twice = (one: unknown) => Array.isArray(one) && one.push(one[0]);
        const [, asked, answered] = copy.conversation.exchanges[3] ?? [];
        twice(asked?.toolCalls);
        twice(answered?.results);
      },
      (copy) => (copy.usage = { turns: { count: -1, unreported: 0, tokens: null }, compactions: null }),
    ];
    for (const [i, change] of changes.entries()) {
      expect([i, await codeOf(client.restore(broken(change as never)))]).toEqual([i, "snapshot_invalid"]);
    }
    const cycle: Record<string, unknown> = { ...good };
    cycle.self = cycle;
    for (const value of [null, undefined, 1, "x", [], {}, cycle]) {
      expect(await codeOf(client.restore(value))).toBe("snapshot_invalid");
    }
    expect(await codeOf(client.restore({ ...good, version: 2 }))).toBe("snapshot_newer");
    expect(await client.snapshot()).toEqual(good);
  });
});

test("L6 half a character in a snapshot is not sent: many servers would refuse every later message", async () => {
  const from = scriptedChat(["ok"]);
  await from.client.chat("half");
  const snapshot = JSON.stringify(await from.client.snapshot()).replaceAll("half", "half \\ud83d");
  const to = scriptedChat(["ok"]);
  await to.client.restore(JSON.parse(snapshot));
  await to.client.chat("next");
  expect(to.model.requests[0]?.messages[0]).toEqual({ role: "user", text: "half \ufffd" });
});

describe("L6 encrypted snapshots", () => {
  const newKey = () => crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);

  test("L6 with a key or a passphrase they come back the same, and nothing of them is readable", async () => {
    const { client } = await talked();
    const snapshot = await client.snapshot();
    for (const key of [await newKey(), "a long passphrase"]) {
      const blob = await encrypt(snapshot, key);
      expect(await decrypt(blob, key)).toEqual(snapshot);
      expect(new TextDecoder().decode(blob)).not.toContain("manual");
      expect(await encrypt(snapshot, key)).not.toEqual(blob);
    }
  });

  test("L6 no two have the same salt or IV, and a passphrase is worth 600,000 rounds", async () => {
    const { client } = scriptedChat(["x"]);
    const snapshot = await client.snapshot();
    const headers = await Promise.all([1, 2].map(async () => (await encrypt(snapshot, "right")).slice(38, 38 + 34)));
    const [one, two] = headers.map((header) => ({
      rounds: new DataView(header.buffer).getUint32(2),
      salt: header.slice(6, 22).toHex(),
      iv: header.slice(22).toHex(),
    }));
    expect([one?.rounds, two?.rounds]).toEqual([600_000, 600_000]);
    expect([one?.salt === two?.salt, one?.iv === two?.iv]).toEqual([false, false]);
  });

  test("L6 one passphrase in two spellings of the same letters is one", async () => {
    const { client } = scriptedChat(["x"]);
    expect(await decrypt(await encrypt(await client.snapshot(), "ca\u0301fe"), "c\u00e1fe")).toEqual(
      await client.snapshot(),
    );
  });

  test("L6 another key is one error, whichever kind it is", async () => {
    const { client } = scriptedChat(["x"]);
    const snapshot = await client.snapshot();
    const key = await newKey();
    const byKey = await encrypt(snapshot, key);
    const byPassphrase = await encrypt(snapshot, "right");
    const signing = await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const other = await newKey();
    const short = await crypto.subtle.generateKey({ name: "AES-GCM", length: 128 }, false, ["encrypt", "decrypt"]);
    const reading = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["decrypt"]);
    const works = [
      () => decrypt(byKey, other),
      () => decrypt(byKey, "right"),
      () => decrypt(byPassphrase, "wrong"),
      () => decrypt(byPassphrase, key),
      () => encrypt(snapshot, ""),
      () => encrypt(snapshot, process.env.POPPET_NO_SUCH_PASSPHRASE as string),
      () => encrypt(snapshot, signing as CryptoKey),
      () => encrypt(snapshot, short),
      () => decrypt(byKey, short),
      () => encrypt(snapshot, reading),
    ];
    for (const work of works) {
      expect(await codeOf(work())).toBe("snapshot_key");
    }
    await expect(decrypt(byKey, "right")).rejects.toThrow("not made with a passphrase");
    await expect(decrypt(byPassphrase, key)).rejects.toThrow("not made with a key");
  });

  test("L6 a blob that is cut or changed anywhere is another, also one that was changed with care", async () => {
    const { client } = scriptedChat(["x"]);
    const key = await newKey();
    const blob = await encrypt(await client.snapshot(), key);
    for (let length = 0; length < blob.length; length += length < 90 ? 1 : 37) {
      expect([length, await codeOf(decrypt(blob.slice(0, length), key))]).toEqual([length, "snapshot_damaged"]);
    }
    for (let at = 0; at < blob.length; at += at < 90 ? 1 : 29) {
      const changed = blob.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect([at, await codeOf(decrypt(changed, key))]).toEqual([at, "snapshot_damaged"]);
    }
    expect(await codeOf(decrypt(await resealed(blob, (rest) => rest.fill(255, 2, 6)), key))).toBe("snapshot_damaged");
    const header = blob.slice(0, 6 + 32 + 34);
    expect(await codeOf(decrypt(await resealed(header, () => {}), key))).toBe("snapshot_damaged");
    // With the checksum made again only the key can tell: what was changed does not open.
    expect(await codeOf(decrypt(await resealed(blob, (rest) => rest.fill(0, 50, 51)), key))).toBe("snapshot_key");
  });

  test("L6 a newer version is a third", async () => {
    const { client } = scriptedChat(["x"]);
    const key = await newKey();
    const snapshot = await client.snapshot();
    const blob = await encrypt(snapshot, key);
    expect(await codeOf(decrypt(await resealed(blob, (rest) => rest.fill(2, 0, 1)), key))).toBe("snapshot_newer");
    expect(await codeOf(encrypt({ ...snapshot, version: 2 } as unknown as Snapshot, key))).toBe("snapshot_newer");
  });

  /** A blob changed by someone who knows its format. */
  async function resealed(blob: Uint8Array, change: (rest: Uint8Array) => void): Promise<Uint8Array> {
    const copy = new Uint8Array(blob);
    const rest = copy.subarray(6 + 32);
    change(rest);
    copy.set(new Uint8Array(await crypto.subtle.digest("SHA-256", rest)), 6);
    return copy;
  }
});
