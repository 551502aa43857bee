import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { UsageError } from "../../base/errors.ts";
import { askFor, didYouMean } from "../../base/nearest.ts";
import type { Context } from "../context.ts";
import { type DocsPage, readDocsFile, readDocsPages } from "../docs-pages.ts";
import { action, type Result } from "../frame.ts";
import { foldMarkdown } from "../terminal/fold-markdown.ts";
import { hang } from "../terminal/text.ts";

/** Beside the program's own folder, dist/. */
const FOLDER = join(import.meta.dirname, "../docs");
/** What a shell ends with for a command that it cannot find. */
const NOT_FOUND = 127;

export const command = (context: Context) =>
  new Command("docs")
    .description(
      "Lists the pages of the documentation, or prints one; on a terminal through $PAGER, or less.",
    )
    .argument("[page]", "name of a page; by default, all are listed")
    .addHelpText("after", "\nExample:\n  $ calltally docs\n  $ calltally docs getting-started")
    .action(
      action(context, async (name) => {
        const pages = readDocsPages(FOLDER);
        if (name === undefined) return { text: listPages(pages) };
        const page = pages.find((candidate) => candidate.name === name);
        if (page !== undefined) return await present(readDocsFile(FOLDER, page.path), context);
        throw new UsageError(`Cannot show the page ${name}: there is none of this name`, {
          hint: adviseOnPage(name, pages) ?? "`calltally docs` lists them.",
        });
      }),
    );

function listPages(pages: readonly DocsPage[]): string {
  const width = Math.max(...pages.map(({ name }) => name.length));
  const lines = [...Map.groupBy(pages, ({ group }) => group)].flatMap(([title, own]) => [
    "",
    title,
    ...own.flatMap(({ name, about }) => hang(`  ${name.padEnd(width)}  `, about, width + 4)),
  ]);
  return [FOLDER, ...lines].join("\n");
}

/** Looks for a word in the titles, else for a name like it, else for the word in summaries and headings. */
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

/** Shows a page on a terminal by the pager, where there is one; otherwise returns it, on a terminal folded to its width. */
async function present(page: string, { env }: Context): Promise<Result> {
  if (!process.stdout.isTTY) return { text: page };
  const pager = env.PAGER ?? (process.platform === "win32" ? "more" : "less");
  const text = foldMarkdown(page, process.stdout.columns || 80); // 0 where the terminal has no size
  if (pager === "") return { text };
  const child = spawn(pager, {
    shell: true,
    stdio: ["pipe", "inherit", "ignore"],
    // As git has it: a page that fits is left on the screen, and the pager ends.
    env: { LESS: "FRX", ...env },
  });
  child.stdin?.on("error", () => {}); // the reader has left before the end
  child.stdin?.end(text);
  const [code] = await once(child, "close");
  return code === NOT_FOUND ? { text } : {};
}
