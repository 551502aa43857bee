import { globSync, readFileSync, writeFileSync } from "node:fs";
import { parseSync } from "oxc-parser";
import { type Node, walk, withoutValues } from "./syntax.ts";

/** The file of {@link listMessages}, so that a change of wording is visible in one place. */
export const MESSAGES = "test/text/messages.txt";

/** Invented conversations, names of sources, and styles: not output of the program. */
const OTHER_TEXTS =
  /calls\/(conversation|sources|vocabulary)|channel-sites|(page|explore)-style|static-(chart|svg)|browser\/charts|formats\/xlsx/;

const SQL =
  /\b(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|WHERE|JOIN|CASE|ORDER BY|PARTITION|OVER|FROM|NULL|DESC|PRAGMA|AS)\b|\w\(\$\{/;

/**
 * Returns every text of the program for people: errors, hints, remarks, summaries, help and descriptions of
 * columns, by file and in order. Texts of two words and more; `…` stands for inserted values.
 */
export function listMessages(): string {
  const files = globSync("src/**/*.{ts,tsx}").filter((file) => !OTHER_TEXTS.test(file));
  const sections = files.sort().map((file) => {
    const texts = [...textsOf(file)].filter(isForPeople);
    return texts.length === 0 ? "" : `## ${file}\n${texts.join("\n")}\n\n`;
  });
  return sections.join("");
}

function* textsOf(file: string): Generator<string> {
  const source = readFileSync(file, "utf8");
  const isNoText = ({ type }: Node) => type === "ImportDeclaration" || type === "TSLiteralType";
  for (const { type, value, start, end } of walk(parseSync(file, source).program, isNoText)) {
    if ((type === "Literal" || type === "JSXText") && typeof value === "string") yield oneLine(value);
    if (type === "TemplateLiteral") yield oneLine(withoutValues(source.slice(start + 1, end - 1)));
  }
}

function oneLine(text: string): string {
  return text
    .replace(/<[^<>]*>|\p{Cc}/gu, " ")
    .replace(/\\`/g, "`")
    .replace(/\s+/g, " ")
    .trim();
}

function isForPeople(text: string): boolean {
  return (
    (text.match(/[\p{L}']{2,}/gu) ?? []).length > 1 && /\s[a-z]{2,}|[a-z]{2,}\s/.test(text) && !SQL.test(text)
  );
}

if (import.meta.main) writeFileSync(MESSAGES, listMessages());
