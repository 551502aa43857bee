import { globSync, readFileSync } from "node:fs";

/** A Markdown file of the project for readers. */
export interface Page {
  /** Relative to the project's folder. */
  path: string;
  text: string;
}

/** A fenced block of a page. */
export interface Block {
  language: string;
  /** The file name that the page gives after the language; undefined for none. */
  file: string | undefined;
  content: string;
}

/** Returns the README, the pages of docs/, and all other pages next to the README. */
export function readPages(): Page[] {
  const paths = globSync(["*.md", "docs/**/*.md", "jobs/**/*.md"]).sort();
  return paths.map((path) => ({ path, text: readFileSync(path, "utf8") }));
}

/** Returns the fenced blocks of a page in order, without their indentation in a list. */
export function readBlocks(text: string): Block[] {
  const blocks = text.matchAll(/^( *)```(\w+)(?: (\S+))?\n(.*?)^\1```$/gms);
  return [...blocks].map(([, indent = "", language = "", file, content = ""]) => ({
    language,
    file,
    content: content.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}
