import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CalltallyError, EXIT } from "../base/errors.ts";

/** A page of docs/, as its index has it. */
export interface DocsPage {
  /** Its heading in the index. */
  group: string;
  /** Without its folder and `.md`. */
  name: string;
  title: string;
  /** Path within docs/. */
  path: string;
  /** What it is about, in one sentence. */
  about: string;
}

const ENTRY = /^- \[(?<title>.+)\]\((?<path>(?:.*\/)?(?<name>.+)\.md)\): (?<about>.+)$/;

/** Reads the index of a docs/ folder, README.md. */
export function readDocsPages(folder: string): DocsPage[] {
  let group = "";
  return readDocsFile(folder, "README.md")
    .split("\n")
    .flatMap((line) => {
      if (line.startsWith("## ")) group = line.slice("## ".length);
      const { title = "", path = "", name = "", about = "" } = ENTRY.exec(line)?.groups ?? {};
      return name === "" ? [] : [{ group, name, title, path, about }];
    });
}

/** @throws CalltallyError (exit 7) where the file is missing */
export function readDocsFile(folder: string, path: string): string {
  try {
    return readFileSync(join(folder, path), "utf8");
  } catch (error) {
    throw new CalltallyError(
      EXIT.storage,
      `Cannot read the documentation: ${join(folder, path)} is missing`,
      {
        cause: error,
        hint: "Install calltally again, or read it in its repository.",
      },
    );
  }
}
