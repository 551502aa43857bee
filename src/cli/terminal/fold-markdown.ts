import { hang } from "./text.ts";

/** A marker of a list's item, with the white space around it. */
const ITEM = /^ *(?:[-*]|\d+\.) +/;
/** What stays as it is: headings, tables and blank lines. */
const AS_IS = /^(?:#|\||\s*$)/;

/** Folds the prose of a page at words, for a terminal of a width; code, tables and headings stay as they are. */
export function foldMarkdown(text: string, width: number): string {
  const folded: string[] = [];
  let paragraph: string | undefined;
  let isFenced = false;
  const flush = () => {
    if (paragraph === undefined) return;
    const marker = ITEM.exec(paragraph)?.[0] ?? "";
    folded.push(...hang(marker, paragraph.slice(marker.length), marker.length, width));
    paragraph = undefined;
  };
  for (const line of text.split("\n")) {
    const isFence = /^ *```/.test(line);
    const isCode = isFenced || isFence || (paragraph === undefined && line.startsWith("    "));
    if (isFence) isFenced = !isFenced;
    if (isCode || AS_IS.test(line)) {
      flush();
      folded.push(line);
    } else if (paragraph === undefined || ITEM.test(line)) {
      flush();
      paragraph = line;
    } else {
      paragraph += ` ${line.trim()}`;
    }
  }
  flush();
  return folded.join("\n");
}
