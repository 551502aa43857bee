import { globSync, readFileSync } from "node:fs";

/** A Markdown file of the project that people read. */
export interface Page {
  /** From the project's folder. */
  path: string;
  text: string;
}

/** A fenced block of a page. */
export interface Block {
  language: string;
  /** The file that a reader would keep it in, where the page says so after the language; undefined for none. */
  file: string | undefined;
  content: string;
}

/** Returns the README, the pages of docs/, and whatever else lies beside the README. */
export function readPages(): Page[] {
  const paths = globSync(["*.md", "docs/**/*.md", "jobs/**/*.md"]).sort();
  return paths.map((path) => ({ path, text: readFileSync(path, "utf8") }));
}

/** Returns the fenced blocks of a page, in their order, without the indentation that they have in a list. */
export function readBlocks(text: string): Block[] {
  const blocks = text.matchAll(/^( *)```(\w+)(?: (\S+))?\n(.*?)^\1```$/gms);
  return [...blocks].map(([, indent = "", language = "", file, content = ""]) => ({
    language,
    file,
    content: content.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}
