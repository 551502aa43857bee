import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Walker } from "./live.ts";

/** A rule of the walk, taken out of the source: the random services must notice. */
export interface Rule {
  without: string;
  /**
   * Where the timelines that are drawn soon have one that needs the rule, of which there are few among thousands; without
   * one, only `npm run test:soak` draws enough. A seed that has become a bad one makes the test slow, and never wrong.
   */
  seed?: number;
  edits: readonly {
    /** In `src/paging`. */
    file: string;
    find: string;
    replace: string;
  }[];
}

const rare = (without: string, ...edits: [file: string, find: string, replace: string][]): Rule => ({
  without,
  edits: edits.map(([file, find, replace]) => ({ file, find, replace })),
});

const rule = (seed: number, ...args: Parameters<typeof rare>): Rule => ({ ...rare(...args), seed });

export const RULES: readonly Rule[] = [
  rule(2, "seams by two keys", [
    "chain.ts",
    "if (first === undefined) firsts[index] = row;",
    "if (first === undefined) held |= 1 << index;",
  ]),
  rule(5, "the order being witnessed", ["chain.ts", "if (fits) continue;", "continue;"]),
  rare("proof by every key that is left", [
    "chain.ts",
    "return keys !== 0 && (held & keys) === keys;",
    "return keys !== 0 && (held & keys) !== 0;",
  ]),
  rule(
    14,
    "the closing look at the front",
    ["walk.ts", "if (goesOn()) yield* pass.lookAtFront();", ""],
    ["verdict.ts", "if (!evidence.isFrontMet && seamsBroken === 0) {", "if (seamsBroken < 0) {"],
  ),
  rare("calls that vanish being counted", [
    "verdict.ts",
    "if (vanished > totals.falls) {",
    "if (vanished < 0) {",
  ]),
  rule(
    2,
    "the end being seen in content",
    [
      "pass.ts",
      "if (record.mayBeEnd && (await this.#isEnd())) return;",
      'if (reachesTotal(record.left)) return record.noteEnd("seen");',
    ],
    [
      "pass.ts",
      'if (record.mayBeEnd && (await this.#isEnd())) return "end";',
      'if (reachesTotal(slice)) {\n        record.noteEnd("seen");\n        return "end";\n      }',
    ],
  ),
  rule(26, "a look beyond the end", [
    "pass.ts",
    'if (found === "more" || beyond.offset !== offset) return false;',
    "",
  ]),
  rule(2, "giving up being no end", [
    "pass.ts",
    'return "lost";',
    'record.noteEnd("seen");\n    return "lost";',
  ]),
  rule(1, "total as a second witness", ["verdict.ts", "findContradiction(evidence, distinct) ??", ""]),
  rare("doubts about orders by source", ["verdict.ts", "if (!isTrusted && !isCounted) {", "if (old < 0) {"]),
  rare("the seams of a resumed pass being proven anew", [
    "pass.ts",
    "for (const slice of earlier) this.#record.accept(slice);",
    "for (const slice of earlier) this.#record.accept(slice, { ...this.#record.findLink(slice), held: 0x1fff });",
  ]),
];

const ROOT = resolve(import.meta.dirname, "../..");

/** Returns the walk and its judge without a rule; dispose of it to delete its source. */
export async function changedWalker({ edits }: Rule): Promise<Walker & Disposable> {
  // Below the repository, so that its libraries are found; git leaves node_modules aside.
  const cache = join(ROOT, "node_modules/.cache");
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
