import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { CalltallyError, EXIT, UsageError } from "../../errors.ts";
import { askFor, didYouMean } from "../../nearest.ts";
import type { Context } from "../context.ts";
import { DOCS_PAGES, type DocsPage, pathOfPage } from "../docs-pages.ts";
import { action, type Result } from "../frame.ts";
import { foldMarkdown } from "../terminal/fold-markdown.ts";
import { hang } from "../terminal/text.ts";

/** Beside the program's own folder, dist/. */
const FOLDER = join(import.meta.dirname, "../docs");
/** What a shell ends with for a command that it cannot find. */
const NOT_FOUND = 127;

const PAGES = Object.values(DOCS_PAGES).flat();

export const command = (context: Context) =>
  new Command("docs")
    .description(
      "Lists the pages of the documentation, or prints one; on a terminal through $PAGER, or less.",
    )
    .argument("[page]", "name of a page; by default, all are listed")
    .addHelpText("after", "\nExample:\n  $ calltally docs\n  $ calltally docs getting-started")
    .action(
      action(context, async (name) => {
        if (name === undefined) return { text: listPages() };
        const page = PAGES.find((candidate) => candidate.name === name) ?? refuse(name);
        return await present(readPage(page), context);
      }),
    );

function listPages(): string {
  const groups = Object.entries(DOCS_PAGES);
  const width = Math.max(...groups.flatMap(([, pages]) => pages.map(({ name }) => name.length)));
  const lines = groups.flatMap(([title, pages]) => [
    "",
    title,
    ...pages.flatMap(({ name, about }) => hang(`  ${name.padEnd(width)}  `, about, width + 4)),
  ]);
  return [FOLDER, ...lines].join("\n");
}

function refuse(name: string): never {
  throw new UsageError(`Cannot show the page ${name}: there is none of this name`, {
    hint: adviseOnPage(name) ?? "`calltally docs` lists them.",
  });
}

/** Looks for a word in the titles, else for a name like it, else for the word in summaries and headings. */
function adviseOnPage(word: string): string | undefined {
  const topic = word.toLowerCase().replace(/s$/, "");
  const about = (read: (page: DocsPage) => string) =>
    askFor(PAGES.filter((page) => read(page).toLowerCase().includes(topic)).map(({ name }) => name));
  const names = PAGES.map(({ name }) => name);
  return (
    about(({ title }) => title) ??
    didYouMean(word, names) ??
    about((page) => page.about) ??
    about((page) => readPage(page).match(/^#.*/gm)?.join("\n") ?? "")
  );
}

function readPage(page: DocsPage): string {
  const path = join(FOLDER, pathOfPage(page));
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CalltallyError(EXIT.storage, `Cannot read the page ${page.name}: ${path} is missing`, {
      cause: error,
      hint: "Install calltally again, or read it in its repository.",
    });
  }
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
