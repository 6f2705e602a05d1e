/**
 * The title in what a model answered when asked for one: without thinking, markup, quotes, labels and lead-ins, on one
 * line, at most 80 code points. Null where there is none to be had: an empty or refused answer, one to the prompt instead,
 * or one in another script than the prompt, which is the wrong language for sure. Another language in the same script is
 * taken as it is.
 */
import { cutCodePoints } from "@poppet/chat";
import { cleanText } from "../clean.ts";
import { titleLength, titleOf } from "./title.ts";

export function titleFrom(answer: string, prompt: string): string | null {
  const said = withoutThinking(cleanText(answer.toWellFormed().replace(lineEnd, "\n")));
  const line = titleInJson(said) ?? firstUsableLine(said);
  if (line === null || isAnswer(line) || isRefusal(line) || !sharesScript(line, prompt)) return null;
  return titleOf(cutWhole(line));
}

const lineEnd = /\r\n|[\v\f\r\x85\u2028\u2029]/g;

/** Tags that models think between; some servers leave out the first, or cut the last. */
const thinking = /<(think|thinking|thought|reasoning|reflection)>[\s\S]*?<\/\1>/gi;
const thinkingEnd = /^[\s\S]*<\/(?:think|thinking|thought|reasoning|reflection)>/i;
const thinkingStart = /<(?:think|thinking|thought|reasoning|reflection)>[\s\S]*$/i;
/** What is left of a chat template: `<|channel|>final<|message|>Title<|end|>`. */
const templateStart = /^[\s\S]*<\|message\|>/;
const templateToken = /<\|[^|<>]{1,40}\|>/g;

function withoutThinking(text: string): string {
  return text
    .replace(thinking, "")
    .replace(thinkingEnd, "")
    .replace(thinkingStart, "")
    .replace(templateStart, "")
    .replace(templateToken, "\n");
}

const jsonTitle = /["'](?:\w*[_ ])?(?:title|name)["']\s*:\s*(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)')/i;

/** The title of an answer in JSON, cut off or fenced as it may be; null where it is no JSON. */
function titleInJson(text: string): string | null {
  const named = jsonTitle.exec(text);
  if (named) return tidied(unescaped(named[1] ?? named[2] ?? "")) || null;
  const bare = text.replace(/^\s*`{3,}\w*|`{3,}\s*$/g, "").trim();
  if (!/^[[{]/.test(bare)) return null;
  try {
    const value: unknown = JSON.parse(bare);
    const strings = Object.values(value ?? {}).filter((one) => typeof one === "string");
    return strings.length === 1 && strings[0] !== undefined ? tidied(strings[0]) || null : null;
  } catch {
    return null;
  }
}

function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

function firstUsableLine(text: string): string | null {
  for (const line of text.split("\n")) {
    const title = tidied(line);
    if (isUsable(title)) return title;
  }
  return null;
}

/** Letters or digits, and no lead-in to what follows; no brace of JSON that could not be read. */
function isUsable(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line) && !/[:：]$/.test(line) && !/^(?:`{3}|~{3}|\{)/.test(line);
}

/** Far more than a title with all its markup; what is looked at again and again must not be long. */
const longestLine = 500;

/** A quoted title in bold behind a label has three. What has many more was made to keep the program busy. */
const mostLayers = 20;

/** Until nothing more comes off; empty where that takes too many layers. */
function tidied(line: string): string {
  let text = cleanText(cutCodePoints(line, longestLine));
  let before: string | null = null;
  for (let layers = 0; before !== text && layers < mostLayers; layers++) {
    before = text;
    text = withoutQuotes(withoutLabel(withoutMarkup(text.replace(/\s+/g, " ").trim())));
  }
  return before === text ? text.replace(/(?<![.。…])[.。]$/, "") : "";
}

function withoutMarkup(text: string): string {
  return text
    .replace(/^`{3,}.*$/, "")
    .replace(/^(?:#{1,6}|>|[-*+•–—]|1[.)])\s+/, "")
    .replace(/\s+#+$/, "")
    .replace(/^<(title|name|b|strong|i|em|p|h[1-6])>(.*)<\/\1>$/i, "$2")
    .replace(/!?\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replace(/(\*\*\*|\*\*|~~)(?=\S)(.+?)(?<=\S)\1/g, "$2")
    .replace(/`+([^`]+)`+/g, "$1")
    .replace(/^([*_]{1,3})(?=\S)([^*_]*\s[^*_]*)(?<=\S)\1$/, "$2")
    .replace(/^\*([^\s*]+)\*$/, "$1");
}

const label =
  /^(?:(?:the|a|your|suggested|possible|conversation|chat|session|short)\s+){0,3}(?:title|titel|titre|t[ií]tulo|titolo|tytu[łl]|ba[şs]l[ıi]k|название|заголовок|назва|标题|標題|题目|題名|タイトル|제목|عنوان|العنوان|शीर्षक)\s*(?:[:：=]|\s[-–—]\s)\s*/iu;
const leadIn =
  /^(?:(?:sure|certainly|of course|absolutely)[,.!]+\s+(?=\S))?(?:here(?:['’]s| is)\b[^:：]{0,100}[:：]\s+(?=\S))?/i;

function withoutLabel(text: string): string {
  return text.replace(leadIn, "").replace(label, "");
}

/** Opening and closing, by where they stand; the same mark can be both. */
const quotes = [
  ...['""', "''", "“”", "„“", "„”", "””", "‘’", "‚‘", "’’", "«»", "»«", "‹›", "›‹", "「」", "『』", "《》", "〈〉"],
  ...["【】", "``", "＂＂", "[]", "()", "<>", "〝〞"],
];

function withoutQuotes(text: string): string {
  const first = text.at(0) ?? "";
  const last = text.at(-1) ?? "";
  // Behind the full stop of a quoted sentence, or before a comma of JSON.
  if (/^["“„«'‘].*["”“»'’][.,。]$/.test(text)) return text.slice(0, -1);
  if (text.length > 1 && quotes.includes(first + last)) {
    const inner = text.slice(1, -1);
    if (!inner.includes(first) && !inner.includes(last)) return inner;
  }
  // One that was opened and cut off.
  return /^["“„«「『《]/.test(text) && !quotes.some((pair) => pair[0] === first && text.includes(pair[1] ?? "", 1))
    ? text.slice(1)
    : text;
}

/** What is too long to be a long title. */
function isAnswer(line: string): boolean {
  return cutCodePoints(line, 2 * titleLength) !== line;
}

const refusal = new RegExp(
  [
    "^(?:i['’]?m (?:really |very |so )?sorry|i am sorry|sorry[,.! ]|i apologi[sz]e|my apologies|unfortunately,? i",
    "i (?:can(?:no|['’])?t|am unable|am not able|won['’]?t|do(?:n['’]t| not) (?:have|see|know))",
    "(?:(?:hi|hello)[,!.]? )?i['’]m here to |i['’]m (?:unable|not able) ",
    "(?:as|i['’]m|i am) (?:just )?an? (?:ai|(?:large )?language model)\\b",
    "lo siento|lo lamento|je suis désolée?|désolée?[,. ]|es tut mir leid|tut mir leid|mi dispiace|desculpe|sinto muito",
    "извините|простите|к сожалению|抱歉|很抱歉|对不起|對不起|申し訳|すみません|죄송",
    "(?:untitled|no title|new (?:chat|conversation|session)|null|none|undefined|n/a)$)",
  ].join("|"),
  "iu",
);

function isRefusal(line: string): boolean {
  return refusal.test(line);
}

/** Han stands with the scripts that are mixed with it. */
const scripts = [
  ...["Latin", "Cyrillic", "Greek", "Arabic", "Hebrew", "Devanagari", "Bengali", "Gujarati", "Gurmukhi", "Tamil"],
  ...["Telugu", "Kannada", "Malayalam", "Sinhala", "Thai", "Lao", "Khmer", "Myanmar", "Georgian", "Armenian"],
  ...["Ethiopic", "Hangul"],
].map((name) => new RegExp(`\\p{Script=${name}}`, "u"));
const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}]/u;

function sharesScript(title: string, prompt: string): boolean {
  const known = [...scripts, eastAsian];
  const ofPrompt = known.filter((script) => script.test(prompt));
  const ofTitle = known.filter((script) => script.test(title));
  if (ofPrompt.length === 0 || ofTitle.length === 0) return true;
  return ofTitle.some((script) => ofPrompt.includes(script));
}

/** At most the title's length, and no part of what people see as one character. */
function cutWhole(line: string): string {
  const end = cutCodePoints(line, titleLength).length;
  if (end === line.length) return line;
  // Few code points make a character: the one at the cut ends soon after it.
  const around = line.slice(0, end + 100);
  for (const { index, segment } of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(around)) {
    if (index + segment.length > end) return line.slice(0, index);
  }
  return line.slice(0, end);
}
