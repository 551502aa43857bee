import { execFileSync } from "node:child_process";
import { type DisposableTempDir, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { copyTree } from "../support/copy-tree.ts";
import { readSource } from "./compiler.ts";
import type { Swap } from "./draw.ts";

const SWITCH = "src/confusion-switch.ts";

/** Copies the tree to a temporary folder, with all swaps in it, each behind a switch; and builds it there. */
export function makeCopy(swaps: readonly Swap[]): DisposableTempDir {
  const copy = mkdtempDisposableSync(join(tmpdir(), "calltally-confusions-"));
  const tree = join(copy.path, "tree");
  copyTree(tree);
  writeSwitches(copy.path, tree, swaps);
  execFileSync("node", ["src/tooling/package/build.ts"], {
    cwd: tree,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return copy;
}

function writeSwitches(folder: string, tree: string, swaps: readonly Swap[]): void {
  const source = readFileSync(join(import.meta.dirname, "switch.ts"), "utf8");
  writeFileSync(
    join(tree, SWITCH),
    source.replace('const FOLDER = "";', `const FOLDER = ${JSON.stringify(folder)};`),
  );
  const numbered = swaps.map((swap, index) => ({ ...swap, number: index + 1 }));
  for (const [file, own] of Map.groupBy(numbered, (swap) => swap.file)) {
    const path = relative(dirname(file), SWITCH);
    const specifier = path.startsWith(".") ? path : `./${path}`;
    writeFileSync(join(tree, file), importing(insertSwitches(readSource(file), own), specifier));
  }
}

/** Returns the text of a file with each swap behind its switch. */
export function insertSwitches(
  text: string,
  swaps: readonly (Pick<Swap, "start" | "end" | "from" | "to"> & { number: number })[],
): string {
  return swaps
    .toSorted((a, b) => b.start - a.start)
    .reduce(
      (all, { start, end, number, from, to }) =>
        all.slice(0, start) + switched(number, from, to) + all.slice(end),
      text,
    );
}

/** Returns both texts behind a switch; of a member that has its variable's name, behind the member's. */
function switched(number: number, from: string, to: string): string {
  const member = `${from}: `;
  const isShorthand = to.startsWith(member) && /^\w+$/.test(from);
  const value = isShorthand ? to.slice(member.length) : to;
  return `${isShorthand ? member : ""}(isSwapped$(${number}) ? ${value} : ${from})`;
}

/** In the first line, so that lines of errors stay those of the file, but behind `#!`. */
function importing(text: string, specifier: string): string {
  const line = `import { isSwapped as isSwapped$ } from ${JSON.stringify(specifier)}; `;
  const at = text.startsWith("#!") ? text.indexOf("\n") + 1 : 0;
  return text.slice(0, at) + line + text.slice(at);
}
