import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { CalltallyError, EXIT, UsageError } from "../../base/errors.ts";
import { askFor, didYouMean } from "../../base/text/nearest.ts";
import { hang } from "../../base/text/terminal-text.ts";
import type { Context } from "../context.ts";
import { action } from "../frame.ts";

/** Next to the program's own folder, dist/. */
const FOLDER = join(import.meta.dirname, "../docs");

export const command = (context: Context) =>
  new Command("docs")
    .description("Lists the pages of the documentation, or prints one.")
    .argument("[page]", "name of a page; by default, all are listed")
    .option("--path", "print where the page is, or the folder of all")
    .addHelpText("after", "\nExample:\n  $ calltally docs\n  $ calltally docs getting-started | less")
    .action(
      action(context, (name, { path: isPath }) => {
        const pages = readDocsPages(FOLDER);
        const page = pages.find((candidate) => candidate.name === name);
        if (page !== undefined)
          return { text: isPath ? join(FOLDER, page.path) : readDocsFile(FOLDER, page.path) };
        if (name === undefined) return { text: isPath ? FOLDER : listPages(pages) };
        throw new UsageError(`Cannot show the page ${name}: no such page`, {
          hint: adviseOnPage(name, pages) ?? "`calltally docs` lists them.",
        });
      }),
    );

type DocsPage = ReturnType<typeof readDocsPages>[number];

const ENTRY = /^- \[(?<title>.+)\]\((?<path>(?:.*\/)?(?<name>.+)\.md)\): (?<about>.+)$/;

/** Returns the entries of the index: their group is its heading, their path is within docs/. */
export function readDocsPages(folder: string) {
  let group = "";
  return readDocsFile(folder, "README.md")
    .split("\n")
    .flatMap((line) => {
      if (line.startsWith("## ")) group = line.slice("## ".length);
      const { title = "", path = "", name = "", about = "" } = ENTRY.exec(line)?.groups ?? {};
      return name === "" ? [] : [{ group, name, title, path, about }];
    });
}

/** Returns the questions of the SQL cookbook, in its order. */
export function readCookbook() {
  return readDocsFile(FOLDER, "cookbook.md")
    .matchAll(/^## \d+\. (?<title>.+)\n(?:(?!##|```).*\n)*```sql\n(?<sql>[^`]+)```$/gm)
    .map(({ groups: { title = "", sql = "" } = {} }) => ({ title, sql }))
    .toArray();
}

function readDocsFile(folder: string, path: string): string {
  const file = join(folder, path);
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const hint = "Install calltally again, or read it in its repository.";
    throw new CalltallyError(EXIT.storage, `Cannot read the documentation: ${file} is missing`, {
      cause,
      hint,
    });
  }
}

function listPages(pages: readonly DocsPage[]): string {
  const width = Math.max(...pages.map(({ name }) => name.length));
  return [...Map.groupBy(pages, ({ group }) => group)]
    .map(([title, ofGroup]) =>
      [
        title,
        ...ofGroup.flatMap(({ name, about }) => hang(`  ${name.padEnd(width)}  `, about, width + 4)),
      ].join("\n"),
    )
    .join("\n\n");
}

/** Suggests pages for a word: by title, else by a similar name, else by summary and headings. */
function adviseOnPage(word: string, pages: readonly DocsPage[]): string | undefined {
  const topic = word.toLowerCase().replace(/s$/, "");
  const about = (read: (page: DocsPage) => string) =>
    askFor(pages.filter((page) => read(page).toLowerCase().includes(topic)).map(({ name }) => name));
  const names = pages.map(({ name }) => name);
  return (
    about(({ title }) => title) ??
    didYouMean(word, names) ??
    about((page) => page.about) ??
    about(({ path }) => readDocsFile(FOLDER, path).match(/^#.*/gm)?.join("\n") ?? "")
  );
}
