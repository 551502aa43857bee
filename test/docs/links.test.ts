import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { readDocsPages } from "../../src/cli/commands/docs.ts";
import { readPages } from "./pages.ts";

const PAGES = readPages();

/** Text without blocks and spans of code, which contain no links. */
function withoutCode(text: string): string {
  return text.replace(/^```.*?^```$/gms, "").replace(/^ {4}.*$/gm, "");
}

/** The anchors of a page, as GitHub derives them from its headings. */
function anchorsOf(text: string): Set<string> {
  const headings = [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** The error of a link in a file; undefined for none. */
function findFault(from: string, link: string): string | undefined {
  const [file = "", anchor] = link.split("#");
  const path = file === "" ? from : normalize(join(dirname(from), file));
  if (!existsSync(path)) return `${from}: ${link}: there is no ${path}`;
  if (anchor === undefined) return;
  if (statSync(path).isDirectory() || !anchorsOf(readFileSync(path, "utf8")).has(anchor))
    return `${from}: ${link}: ${path} has no such heading`;
  return;
}

describe("links", () => {
  it.each(PAGES)("of $path lead to existing files and headings", ({ path, text }) => {
    const targets = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)];
    const links = targets.map(([, markdown, html]) => markdown ?? html ?? "");
    const faults = links
      .filter((link) => !/^(https?|mailto):/.test(link))
      .map((link) => findFault(path, link));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });

  it("in sources and files for operators name existing pages", () => {
    const files = globSync(["src/**/*.ts", "jobs/**/*", "test/**/*.ts"]).filter((path) =>
      statSync(path).isFile(),
    );
    const named = files.flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/\bdocs\/[\w/-]+\.(?:md|svg|png)\b/g)].map(([page]) => ({
        path,
        page,
      })),
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ page }) => !existsSync(page))).toEqual([]);
  });

  it("fail if broken", () => {
    expect(findFault("docs/README.md", "none.md")).toContain("there is no docs/none");
    expect(findFault("docs/README.md", "ad-platforms.md#none")).toContain("no such heading");
    expect(findFault("docs/README.md", "ad-platforms.md#costs")).toBeUndefined();
  });
});

describe("index of docs/", () => {
  const pages = readDocsPages("docs");

  it("lists every page under its own title", () => {
    const titles = pages.map((page) => [`docs/${page.path}`, page.title]);
    const headings = PAGES.filter(({ path }) => path.startsWith("docs/") && path !== "docs/README.md").map(
      ({ path, text }) => [path, /^# (.+)$/m.exec(text)?.[1]],
    );
    expect(titles.sort()).toEqual(headings.sort());
  });

  it("the README links the index of docs/", () => {
    expect(PAGES.find(({ path }) => path === "README.md")?.text).toContain("(docs/README.md)");
  });
});

it("README fits on a few screens", () => {
  const readme = PAGES.find(({ path }) => path === "README.md")?.text ?? "";
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(700);
});
