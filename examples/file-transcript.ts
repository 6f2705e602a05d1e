/**
 * A store of one's own: a conversation in a file of JSON lines, which only ever grows. A commit is one line, so that a
 * crash leaves the whole of it or nothing; half a line at the end is passed over. For one process: between reading and
 * writing nothing of this process can come, but another process could.
 */
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import {
  type Entry,
  type EntryContent,
  messageBytes,
  type Tip,
  type Transcript,
  TranscriptEntryError,
  TranscriptMovedError,
} from "@poppet/chat";

type Line =
  | { readonly type: "commit"; readonly tip: Tip; readonly entries: readonly Omit<Entry, "summary">[] }
  | { readonly type: "summary"; readonly through: string; readonly text: string };

export function fileTranscript(path: string): Transcript {
  const entries = new Map<string, Entry>();
  let tip: Tip = null;
  /** Of the file, up to here all is read. */
  let read = 0;

  /** Takes over what was written since, by this transcript or another one of the same file. */
  function catchUp(): void {
    const file = openSync(path, "a+", 0o600);
    try {
      const bytes = new Uint8Array(fstatSync(file).size - read);
      for (let at = 0; at < bytes.length; ) at += readSync(file, bytes, at, bytes.length - at, read + at);
      const whole = bytes.lastIndexOf(10) + 1;
      for (const line of new TextDecoder().decode(bytes.subarray(0, whole)).split("\n")) take(line);
      read += whole;
    } finally {
      closeSync(file);
    }
  }

  function take(text: string): void {
    const line = parsed(text);
    if (line?.type === "commit") {
      for (const entry of line.entries) entries.set(entry.id, { ...entry, summary: null });
      tip = line.tip;
    } else if (line) {
      entries.set(line.through, { ...known(line.through), summary: line.text });
    }
  }

  function append(line: Line): void {
    const file = openSync(path, "a+", 0o600);
    try {
      // What a crash left of a line is closed first.
      const text = `${fstatSync(file).size > read ? "\n" : ""}${JSON.stringify(line)}\n`;
      const bytes = new TextEncoder().encode(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    catchUp();
  }

  function known(id: string): Entry {
    const entry = entries.get(id);
    if (!entry) throw new TranscriptEntryError(id);
    return entry;
  }

  return {
    async tip() {
      catchUp();
      return tip;
    },

    async *back(from) {
      catchUp();
      for (let id = from; id !== null; ) {
        const entry = known(id);
        yield entry;
        id = entry.parentId;
      }
    },

    async commit({ expected, parent, exchange, content }) {
      catchUp();
      if (parent !== null) known(parent);
      if (tip !== expected) throw new TranscriptMovedError();
      let parentId = parent;
      const added = content.map((one) => {
        // Counted before anything is written: content that is none throws here, and is in no file.
        const entry = { id: crypto.randomUUID(), parentId, exchange, content: one, bytes: bytesOf(one) };
        parentId = entry.id;
        return entry;
      });
      append({ type: "commit", tip: parentId, entries: added });
      return tip;
    },

    async summarize(through, text) {
      catchUp();
      known(through);
      append({ type: "summary", through, text });
    },
  };
}

function parsed(text: string): Line | null {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return null;
  }
}

function bytesOf(content: EntryContent): number {
  return content.role === "clear" ? 0 : messageBytes(content);
}
