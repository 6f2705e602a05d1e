/**
 * C5: reasoning under a `Thinking:` heading, as it arrives. The heading comes with the first visible character, sections
 * are set apart by one blank line, and newlines at the edges of a section are left out.
 */
import { openCleaner } from "../../clean.ts";

export interface Reasoning {
  push(section: string, delta: string): void;
  /** Ends the block, if there is one; true if there was. */
  end(): boolean;
}

/** Newlines are held until text follows; a longer row of them is cut to this. */
const mostNewlines = 4;

export function openReasoning(write: (text: string, part: "heading" | "text") => void): Reasoning {
  let cleaner = openCleaner();
  let open = false;
  let section: string | undefined;
  let begun = false;
  let newlines = "";

  function put(text: string): void {
    const visible = begun ? text : text.replace(/^\s+/, "");
    if (visible === "") return;
    if (!open) write("Thinking:\n", "heading");
    else if (!begun) write("\n\n", "text");
    open = true;
    begun = true;
    const end = endOfText(visible);
    if (end > 0) write(newlines + visible.slice(0, end), "text");
    newlines = ((end > 0 ? "" : newlines) + visible.slice(end, end + mostNewlines)).slice(0, mostNewlines);
  }

  function endSection(): void {
    put(cleaner.end());
    cleaner = openCleaner();
    newlines = "";
    begun = false;
  }

  return {
    push(name, delta) {
      if (section !== undefined && section !== name) endSection();
      section = name;
      put(cleaner.push(delta));
    },
    end() {
      endSection();
      section = undefined;
      const was = open;
      if (was) write("\n", "text");
      open = false;
      return was;
    },
  };
}

function endOfText(text: string): number {
  let end = text.length;
  while (end > 0 && text[end - 1] === "\n") end--;
  return end;
}
