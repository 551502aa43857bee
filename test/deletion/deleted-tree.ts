import { execFileSync } from "node:child_process";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Capability, filesElsewhere, LISTS, TOGETHER } from "./capabilities.ts";
import { deleteRows, findUses } from "./rows.ts";

export interface DeletedTree {
  files: number;
  rows: number;
  /** The lists that lost rows. */
  changed: readonly string[];
  /** Places where the rest of the program imports the capability. */
  reaching: readonly string[];
  /** Tests of others that import it, and went with it. */
  lost: readonly string[];
  /** Errors of the compiler. */
  errors: readonly string[];
}

type IsDeleted = (specifier: string) => boolean;

/** Deletes a capability from the tree in the working folder, and compiles what is left. */
export function deleteCapability(capability: Capability): DeletedTree {
  const { folder, pages, job, tests = [] } = capability;
  const deleted = new Set(filesOf([`${folder}/**`, ...filesElsewhere(capability)]));
  if (deleted.size === 0) throw new Error(`${folder} has no files`);
  const isPath = (path: string) => deleted.has(path) || path.startsWith(`${folder}/`);
  const namesDeleted =
    (file: string): IsDeleted =>
    (text) =>
      text.startsWith(".")
        ? isPath(join(dirname(file), text))
        : text.includes("/") && isPath(text.startsWith("src/") ? text : `src/${text}`);
  for (const file of deleted) rmSync(file);
  rmSync(folder, { recursive: true });
  const { rows, changed, outside } = deleteFromLists(namesDeleted);
  const reaching = filesOf(["src/**/*.{ts,tsx}"])
    .filter((file) => !(file in LISTS))
    .flatMap((file) =>
      findUses(file, readFileSync(file, "utf8"), namesDeleted(file)).map((line) => `${file}:${line}`),
    );
  for (const file of filesOf([
    ...pages.map((page) => `docs/${page}.md`),
    ...tests,
    `${folder.replace("src/", "test/")}/**`,
  ])) {
    deleted.add(file);
    rmSync(file);
  }
  // By it `calltally docs` knows a page.
  for (const page of pages) deleteLine("docs/README.md", `](${page}.md)`);
  if (job !== undefined) deleteLine("jobs/deploy/crontab", ` job ${job} `);
  const lost = deleteTests(deleted, namesDeleted).filter(isOfOthers);
  return { files: deleted.size, rows, changed, reaching: [...outside, ...reaching], lost, errors: compile() };
}

const filesOf = (patterns: readonly string[]) =>
  globSync(patterns, { exclude: ["node_modules"], withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

function deleteFromLists(namesDeleted: (file: string) => IsDeleted) {
  const [changed, outside]: [string[], string[]] = [[], []];
  let rows = 0;
  for (const [list, depth] of Object.entries(LISTS)) {
    const text = readFileSync(list, "utf8");
    const left = deleteRows(list, text, namesDeleted(list), depth);
    outside.push(...left.outside.map((line) => `${list}:${line}`));
    if (left.text === text) continue;
    rows += left.rows;
    changed.push(list);
    writeFileSync(list, left.text);
  }
  return { rows, changed, outside };
}

function deleteLine(file: string, part: string): void {
  const lines = readFileSync(file, "utf8").split("\n");
  const left = lines.filter((line) => !line.includes(part));
  if (left.length !== lines.length - 1) throw new Error(`${file} must have one line with ${part}`);
  writeFileSync(file, left.join("\n"));
}

/** Whether a file has tests of the core: those of another feature may use both. */
const isOfOthers = (file: string) =>
  file.endsWith(".test.ts") &&
  ![...Object.keys(TOGETHER), "test/features/"].some((folder) => file.startsWith(folder));

/** Deletes the tests that import what is deleted, and what imports these; returns all. */
function deleteTests(deleted: Set<string>, namesDeleted: (file: string) => IsDeleted): string[] {
  const files = filesOf(["test/**/*.{ts,tsx}"]).filter((file) => !(file in LISTS));
  const next = files.filter(
    (file) =>
      !deleted.has(file) &&
      findUses(file, readFileSync(file, "utf8"), (text) => text.startsWith(".") && namesDeleted(file)(text))
        .length > 0,
  );
  if (next.length === 0) return [];
  for (const file of next) {
    deleted.add(file);
    rmSync(file);
  }
  return [...next, ...deleteTests(deleted, namesDeleted)];
}

function compile(): string[] {
  try {
    execFileSync("node_modules/.bin/tsc", ["--pretty", "false"], { encoding: "utf8" });
    return [];
  } catch (error) {
    const printed =
      typeof error === "object" && error !== null && "stdout" in error ? String(error.stdout) : "";
    if (printed === "") throw error;
    return printed
      .trim()
      .split("\n")
      .filter((line) => !line.startsWith(" "));
  }
}
