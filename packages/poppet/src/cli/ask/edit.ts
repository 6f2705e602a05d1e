/** The line that is typed, key by key. */
import { cleanText } from "../../clean.ts";
import { graphemes } from "../graphemes.ts";
import type { Key } from "../keyboard/keys.ts";

const mostTyped = 8_192;

/** What is typed, after one more key. A paste is one line. */
export function edited(typed: string, key: Key): string {
  switch (key.name) {
    case "text":
    case "paste":
      return (typed + oneLine(key.text)).slice(0, mostTyped);
    case "backspace":
      return graphemes(typed).slice(0, -1).join("");
    case "delete-word":
      return typed.replace(/\S*\s*$/, "");
    case "delete-line":
      return "";
    default:
      return typed;
  }
}

function oneLine(text: string): string {
  return cleanText(text).replaceAll(/[\n\t\u2028\u2029]+/g, " ");
}
