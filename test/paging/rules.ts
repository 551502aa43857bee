import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Walker } from "./live.ts";

/** A rule of the walk that is removed from the source. */
export interface Rule {
  without: string;
  edits: readonly {
    /** In `src/paging`. */
    file: string;
    find: string;
    replace: string;
  }[];
}

const rule = (without: string, ...edits: [file: string, find: string, replace: string][]): Rule => ({
  without,
  edits: edits.map(([file, find, replace]) => ({ file, find, replace })),
});

/** Rules with a known service that requires them, in `needed-rules.jsonl`. */
export const RULES: readonly Rule[] = [
  rule("seams by two keys", [
    "chain.ts",
    "if (first === undefined) firsts[index] = row;",
    "if (first === undefined) held |= 1 << index;",
  ]),
  rule("the order being witnessed", ["chain.ts", "if (fits) continue;", "continue;"]),
  rule(
    "the closing look at the front",
    ["walk.ts", "if (goesOn()) yield* pass.lookAtFront();", ""],
    ["verdict.ts", "!evidence.isFrontMet && seamsBroken === 0,", "seamsBroken < 0,"],
  ),
  rule("calls that went being counted", ["verdict.ts", "gone > totals.falls,", "gone < 0,"]),
  rule("an end that is shorter than a page", [
    "record.ts",
    'this.#isCutByNumber && slice.rows.length < full ? "short slice" : this.#endBy(look)',
    '"short slice"',
  ]),
  rule("a look behind the end", [
    "pass.ts",
    "...(await this.#pages.fetch(end)), offset: end",
    "...this.#record.left, offset: end, rows: []",
  ]),
  rule(
    "giving up being no end",
    ["pass.ts", 'return "lost";', 'record.giveUp();\n    return "lost";'],
    ["record.ts", "  #noteEnd(", '  giveUp(): void {\n    this.#noteEnd("short slice");\n  }\n\n  #noteEnd('],
  ),
  rule("total as a second witness", [
    "verdict.ts",
    'judgeFirst("probable", contradictionsOf(evidence, distinct))',
    "undefined",
  ]),
  rule("doubts about orders by source", [
    "verdict.ts",
    "!isTrusted && !isCounted(totals, distinct),",
    "old < 0,",
  ]),
];

const ROOT = resolve(import.meta.dirname, "../..");

/** Returns the walk and its judge without a rule; dispose of it to delete its source. */
export async function changedWalker({ edits }: Rule): Promise<Walker & Disposable> {
  // In the repository, so that its libraries are found, and outside node_modules, where Node strips no types.
  const cache = join(ROOT, ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "calltally-rules-"));
  cpSync(join(ROOT, "src/paging"), folder, { recursive: true });
  for (const { file, find, replace } of edits) {
    const source = readFileSync(join(folder, file), "utf8");
    if (source.split(find).length !== 2) throw new Error(`${file} has not just once: ${find}`);
    writeFileSync(
      join(folder, file),
      source.replace(find, () => replace),
    );
  }
  const { walk } = await import(pathToFileURL(join(folder, "walk.ts")).href);
  const { judge } = await import(pathToFileURL(join(folder, "verdict.ts")).href);
  return { walk, judge, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
