import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { titleFrom } from "./model-title.ts";

const prompt = "Help me plan the weekly review of my project";
const title = "Weekly project review";

describe("C9 the title in what a model answered", () => {
  test.each([
    ["as it is", title],
    ["white space around and in it", `\n\n  Weekly \t project  review \n`],
    ["straight quotes", `"${title}"`],
    ["single quotes", `'${title}'`],
    ["curly quotes", `“${title}”`],
    ["German quotes", `„${title}“`],
    ["angle quotes", `«${title}»`],
    ["corner brackets", `「${title}」`],
    ["backticks", `\`${title}\``],
    ["quotes in quotes", `"'${title}'"`],
    ["a quote that is never closed", `"${title}`],
    ["a quoted sentence", `"${title}."`],
    ["a full stop behind the quote", `"${title}".`],
    ["a full stop", `${title}.`],
    ["a label", `Title: ${title}`],
    ["a label in capitals", `TITLE - ${title}`],
    ["a longer label", `Suggested conversation title: "${title}"`],
    ["a label in another language", `Título: ${title}`],
    ["a label on a line of its own", `Title:\n${title}`],
    ["a bold label", `**Title:** ${title}`],
    ["all of it bold", `**Title: ${title}**`],
    ["italics", `*${title}*`],
    ["italics by underscores", `_${title}_`],
    ["a heading", `# ${title}`],
    ["a closed heading", `## ${title} ##`],
    ["a list", `- ${title}\n- Planning a project`],
    ["a numbered list", `1. ${title}\n2. Planning a project`],
    ["a quotation", `> ${title}`],
    ["a link", `[${title}](https://example.org/x)`],
    ["code in it", "Weekly `project` review"],
    ["a tag", `<title>${title}</title>`],
    ["a fence", `\`\`\`\n${title}\n\`\`\``],
    ["JSON", `{"title": "${title}"}`],
    ["JSON over several lines, the title not first", `{\n  "language": "en",\n  "title": "${title}"\n}`],
    ["fenced JSON", `\`\`\`json\n{"title": "${title}"}\n\`\`\``],
    ["JSON after a lead-in", `Here it is:\n\`\`\`json\n{"title": "${title}"}\n\`\`\``],
    ["JSON that was cut off", `{"title": "${title}", "why": "The person wa`],
    ["JSON of another key", `{"thema": "${title}"}`],
    ["JSON of a list", `["${title}"]`],
    ["JSON with escapes", `{"title": "Weekly\\u0020project \\u0072eview"}`],
    ["JSON as Python writes it", `{'title': '${title}'}`],
    ["several lines", `${title}\n\nThis title names what the person asked for.`],
    ["a lead-in on a line of its own", `Sure! Here is a title:\n\n${title}`],
    ["a lead-in on the same line", `Here's a short title: ${title}`],
    ["a longer lead-in", `Sure! Here is a title for it: "${title}"`],
    ["a lead-in of one word", `Certainly! ${title}`],
    ["thinking", `<think>The person wants\na review.\nTitle: no</think>\n\n${title}`],
    ["thinking that was never opened", `Okay, a title.\nTitle: no\n</think>\n${title}`],
    ["a chat template's tokens", `<|channel|>analysis<|message|>Hm.<|end|><|channel|>final<|message|>${title}<|end|>`],
    ["colours", `\x1b[1;31mWeekly\x1b[0m project review`],
    ["a link's escape sequence", `\x1b]8;;https://example.org\x07${title}\x1b]8;;\x07`],
    ["control characters", `Week\x07ly\x00 project \x9b31mreview\x7f`],
    ["marks that turn the direction", `\u202eWeekly project review\u202c`],
    ["line and paragraph separators", `${title}\u2028Another\u2029Third`],
  ])("%s", (_name, answer) => {
    expect(titleFrom(answer, prompt)).toBe(title);
  });

  test.each([
    '"Fix" and "Repair" compared',
    'The 27" monitor',
    "Rock 'n' roll",
    "What is C#?",
    "snake_case and camelCase",
    "5 * 3 and 2 * 4",
    "Node.js and Bun",
    "Review: what went well",
    "A | B",
    "Is 3 < 5 and 7 > 5?",
    "1984 by Orwell",
    "f(x) = x^2",
    "Plans (draft)",
    "Great Expectations: a summary",
    "Okay, Google: a history",
    "The <b> tag in HTML",
    "I'm a beginner",
  ])("what only looks like markup stays: %s", (plain) => {
    expect(titleFrom(plain, prompt)).toBe(plain);
  });

  test.each([
    ["nothing", ""],
    ["white space", " \n\t\n"],
    ["marks alone", '**\n---\n""\n```\n```'],
    ["what cannot be seen", "\u200b\u2060"],
    ["a label alone", "Title:"],
    ["a lead-in alone", "Here is a title for this conversation:"],
    ["thinking alone", "<think>The person wants a review"],
    ["JSON without a title", '{"error": {"code": 3}}'],
    ["JSON that was cut off before it", '{"title": "Weekly proj'],
    ["an apology", "I'm sorry, but I can't help with that."],
    ["an apology with a curly apostrophe", "I’m sorry, I can’t do that"],
    ["a refusal", "I cannot give this conversation a title."],
    ["a refusal behind a label", "Title: I am unable to name this"],
    ["a confession", "As an AI language model, I have no access to that"],
    ["an apology in another language", "Lo siento, no puedo ayudarte"],
    [
      "an answer to the prompt instead",
      `Begin by writing down what you did this week, ${"and then what comes next, ".repeat(8)}`,
    ],
    ["a greeting", "Hi, I'm here to help with any project."],
    ["a name that says nothing", "Untitled"],
    ["a name that says nothing, quoted", '"New conversation"'],
  ])("no title: %s", (_name, answer) => {
    expect(titleFrom(answer, prompt)).toBeNull();
  });

  test.each([
    ["Chinese for an English prompt", "每周项目回顾", prompt, null],
    ["English for a Japanese prompt", "Weekly review", "毎週の振り返りを手伝って", null],
    ["English for a Russian prompt", "Weekly review", "Помоги с обзором недели", null],
    ["a word of the prompt's own script in it", "Bun を使う", "How do I use Bun?", "Bun を使う"],
    ["kanji for a prompt in kana", "振返", "ふりかえり", "振返"],
    ["another language in the same script", "Revisión semanal", prompt, "Revisión semanal"],
    ["a prompt without letters", "Сумма", "1 + 1 = ?", "Сумма"],
  ])("a wrong language is refused where the script differs entirely: %s", (_name, answer, asked, expected) => {
    expect(titleFrom(answer, asked)).toBe(expected);
  });

  test("more than 80 code points are cut, and no character in half", () => {
    expect(titleFrom("a".repeat(160), prompt)).toBe("a".repeat(80));
    expect(titleFrom(`${"a".repeat(80)}`, prompt)).toBe("a".repeat(80));
    expect(titleFrom(`a${"😀".repeat(100)}`, prompt)).toBe(`a${"😀".repeat(79)}`);
    const family = "👨‍👩‍👧‍👦";
    expect(titleFrom(`abcd${family.repeat(15)}`, prompt)).toBe(`abcd${family.repeat(10)}`);
    expect(titleFrom(`${"a".repeat(79)}e\u0301x`, prompt)).toBe("a".repeat(79));
  });

  test("layers of markup come off, but not as many as keep the program busy", () => {
    expect(titleFrom(`${"> ".repeat(10)}Weekly review`, prompt)).toBe("Weekly review");
    expect(titleFrom(`${"> ".repeat(100)}Weekly review`, prompt)).toBeNull();
    expect(titleFrom(`${"Title: ".repeat(30)}Weekly review`, prompt)).toBeNull();
    expect(titleFrom(`${"> ".repeat(100)}x\nWeekly review`, prompt)).toBe("Weekly review");
  });

  test("whatever the answer: null, or one line of 1 to 80 code points that steers nothing", () => {
    const answers = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.string({ unit: "binary", maxLength: 300 }),
      fc
        .array(
          fc.constantFrom(
            "**",
            '"',
            "`",
            "#",
            " ",
            "\n",
            "{",
            "}",
            ":",
            "title",
            "[",
            "](x)",
            "<think>",
            "é",
            "\x1b[",
            "1.",
            "\\",
          ),
        )
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(answers, fc.string(), (answer, asked) => {
        const found = titleFrom(answer, asked);
        if (found === null) return;
        const points = [...found].length;
        expect(points).toBeGreaterThan(0);
        expect(points).toBeLessThanOrEqual(80);
        expect(found).toBe(found.trim());
        expect(found.isWellFormed()).toBe(true);
        expect(found).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
      }),
      { numRuns: 2000 },
    );
  });
});
