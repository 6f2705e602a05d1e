/** Text of the whole world, and text that would steer a terminal, from end to end. */
import { expect, test } from "bun:test";
import { answeredSession, openHome, say, sessionOf } from "./home.ts";

const scripts = [
  ["Chinese", "北京的天气怎么样？", "北京今天晴，气温二十度。", "天气"],
  ["Arabic", "ما هي عاصمة مصر؟", "عاصمة مصر هي القاهرة.", "القاهرة"],
  ["emoji with joiners", "Family: 👨‍👩‍👧‍👦 flag: 🏳️‍🌈 skin: 👋🏽", "Yes 👩🏽‍🚀!", "flag"],
  ["combining marks", "e\u0301tude, Việt Nam, नमस्ते, กำลัง", "z\u0351\u036b\u0343algo", "étude Việt"],
  ["Thai", "วันนี้อากาศเป็นอย่างไร", "อากาศดีมาก", "อากาศ"],
] as const;

test.each(scripts)(
  "C1 C9 C10 %s goes through message, answer, title, search, pipe and terminal",
  async (_, asked, answer, word) => {
    await using home = await openHome([say(...answer)]);
    const piped = await home.poppet("chat", "new", asked);
    expect([piped.code, piped.stdout]).toEqual([0, `${answer}\n`]);
    const id = sessionOf(piped.stderr);
    const shown = await home.show(id);
    expect([shown.session.title, ...shown.messages.map((one) => one.text)]).toEqual([asked, asked, answer]);
    expect((await home.search(word)).matches.length).toBeGreaterThan(0);
    expect((await home.poppet("chat", "rename", id, answer)).stderr).toBe(`renamed ${id}: ${answer}\n`);

    home.server.push(say(...answer));
    await using pty = home.terminal(["chat", "send", id, asked], { columns: 120 });
    expect(await pty.exited()).toBe(0);
    expect(pty.raw()).toContain(answer);
  },
);

test("C2 the table keeps its columns with wide and joined characters, and no line is wider than the screen", async () => {
  await using home = await openHome({ replies: [say("ok")], afterLast: "repeat" });
  for (const [, asked] of scripts) await home.poppet("chat", "new", asked.repeat(4));
  await using pty = home.terminal(["chat", "sessions"], { columns: 60 });
  expect(await pty.exited()).toBe(0);
  const lines = pty.raw().trimEnd().split("\r\n");
  expect(lines).toHaveLength(scripts.length);
  for (const line of lines) {
    expect(Bun.stringWidth(line)).toBeLessThanOrEqual(60);
    expect(line).toMatch(/^[0-9a-f-]{8,36} {2,}\S/);
  }
});

test("C1 a character that is split over two chunks of the wire arrives whole", async () => {
  const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "€🎉" } }] })}\n\n`;
  const bytes = Buffer.from(event);
  const cut = bytes.indexOf(0xf0) + 2;
  const parts = [bytes.subarray(0, cut), bytes.subarray(cut)].map((part) => ({
    ...{ type: "raw" as const, base64: part.toString("base64") },
  }));
  await using home = await openHome([{ parts }]);
  expect((await home.poppet("chat", "new", "hi")).stdout).toBe("€🎉\n");
});

const hostile = ["Red \x1b[31", "mtext\x1b[0m, title \x1b]0;owned\x07", ", clear \x1b[2J\x9b2J\u202eabc\r", "over"];

test("§7 a pipe gets the model's exact bytes", async () => {
  await using home = await openHome([say(...hostile)]);
  expect((await home.poppet("chat", "new", "hi")).stdout).toBe(`${hostile.join("")}\n`);
});

test("§7 a terminal gets none of what the model sends to steer it, also split over deltas and in the reasoning", async () => {
  const parts = [
    { type: "reasoning", text: ["Hmm\x1b]0;ow", "ned\x07\x1b[2J."] },
    { type: "text", text: hostile },
  ] as const;
  await using home = await openHome([{ parts }], { settings: "\n[chat]\nlogReasoning = true\n" });
  await using pty = home.terminal(["chat", "new", "hi"], { env: { NO_COLOR: "1" } });
  expect(await pty.exited()).toBe(0);
  const screen = await pty.screen();
  expect(screen).toContain("Thinking:\nHmm.\n\nRed text, title , clear abcover");
  for (const bad of ["\x1b]", "\x1b[31m", "\x1b[2J", "\x9b", "\u202e", "owned"]) expect(pty.raw()).not.toContain(bad);
});

test("§7 titles, messages and errors of the provider cannot steer a terminal either", async () => {
  await using home = await openHome();
  const id = await answeredSession(home, "evil \x1b[31m\x1b]0;owned\x07 title \u202e", "an \x1b[2J answer\x9b31m");
  home.server.push({ status: 400, body: { error: { message: "bad \x1b]0;owned\x07\x1b[31m thing\nsecond line" } } });
  const commands = [
    ["chat", "sessions"],
    ["chat", "show", id],
    ["chat", "search", "evil"],
    ["chat", "rename", id, "new \x1b[31m\x1b]0;owned\x07 name"],
    ["chat", "send", id, "fails"],
    ["chat", "show", "\x1b]0;owned\x07\x1b[31m"],
    ["chat", "\x1b[31mfoo"],
  ];
  for (const given of commands) {
    await using pty = home.terminal(given, { env: { NO_COLOR: "1" }, columns: 200 });
    await pty.exited();
    for (const bad of ["\x1b[31m", "\x1b[2J", "\x1b]", "\x07", "\x9b", "\u202e"]) expect(pty.raw()).not.toContain(bad);
    expect(pty.raw()).not.toBe("");
  }
  const shown = await home.show(id);
  expect(shown.messages[1]?.text).toBe("an \x1b[2J answer\x9b31m");
  expect(shown.session.title).toMatch(/^new [^\x00-\x1f\x7f-\x9f]*name$/);
});
