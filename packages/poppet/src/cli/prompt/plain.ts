/**
 * The prompt where the cursor cannot be moved (`TERM=dumb`) or the terminal's modes cannot be changed: the terminal
 * itself edits the line and shows it, and whole lines arrive. A line that is entered during an answer waits.
 */
import type { Clock } from "@poppet/chat";
import { cleanText } from "../../clean.ts";
import { readTyping } from "../keyboard/typing.ts";
import type { Sink } from "../render/run.ts";
import { openDrawer } from "./draw.ts";
import { type Entry, takeLines } from "./entry.ts";
import { label } from "./layout.ts";
import type { Prompt } from "./prompt.ts";
import { openStage } from "./stage.ts";

/** Lines that come so close together were pasted: they are one message. */
const pasteMs = 30;

export function openPlainPrompt(out: Sink, clock: Clock, columns: () => number): Prompt {
  const stage = openStage({ out, clock, drawer: openDrawer(columns, false), style: ["", ""], columns });
  const queue: Entry[] = [];
  const decoder = new TextDecoder();
  let reading: ((entry: Entry) => void) | null = null;
  let rest = "";
  let lines: string[] = [];
  let cancel = () => {};

  function deliver(entry: Entry): void {
    // The terminal showed the Enter.
    if (reading !== null && entry.type === "line") stage.fresh();
    if (reading === null) {
      queue.push(entry);
      return;
    }
    const resolve = reading;
    reading = null;
    resolve(entry);
  }

  function say(text: string): void {
    stage.stdout.write(text);
    stage.stdout.flush()?.catch(() => undefined);
  }

  function heard(bytes: Uint8Array): void {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts.map((part) => cleanText(part).replaceAll("\t", " ").trim()));
    cancel();
    cancel = clock.after(pasteMs, entered);
  }

  function entered(): void {
    const filled = lines.filter((line) => line !== "");
    const several = filled.length > 1;
    if (several) say(`(${filled.length} lines joined into one)\n`);
    if (filled.length > 0) deliver({ type: "line", text: filled.join(" ") });
    else if (lines.length > 0 && reading !== null) say(label);
    lines = [];
  }

  const typing = readTyping(heard);
  typing.ended.then(() => {
    cancel();
    entered();
    deliver({ type: "end" });
  });

  return {
    stage,
    read() {
      const next = queue.shift();
      if (next?.type === "line") say(`${label}${next.text}\n`);
      if (next !== undefined) return Promise.resolve(next);
      stage.leave();
      say(label);
      return new Promise((resolve) => {
        reading = resolve;
      });
    },
    remember() {},
    withdraw: () => takeLines(queue),
    interrupt() {
      if (reading === null) return;
      say("\n");
      deliver({ type: "end" });
    },
    close: () => typing.stop(),
  };
}
