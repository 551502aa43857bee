import { existsSync, globSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { readSource } from "./compiler.ts";

/** What `npm test` leaves out, and tests of the text of the program or of this check. */
const LEFT_OUT = [
  "test/{crash,architecture,text,mutants,confusions}/**",
  "test/features/cluster/{clickhouse-limits,engine,publish*}.test.ts",
  "test/**/browser.test.ts",
];

/** Threads and children of the library, which start by name. */
const STARTED: Readonly<Record<string, readonly string[]>> = {
  "src/library/script-url.ts": ["read-worker", "sync-worker", "query-child"].map(
    (name) => `src/library/${name}.ts`,
  ),
};

/** Knows through how many imports each test file reaches a file of the program; a started command counts as one. */
export class Reach {
  readonly testFiles = globSync("test/**/*.test.ts", { exclude: LEFT_OUT }).toSorted();
  readonly #imports = new Map<string, string[]>();

  /** Returns the test files that reach a file, with the number of imports, nearest first. */
  testsOf(file: string): { test: string; steps: number }[] {
    return this.testFiles
      .map((test) => ({ test, steps: this.#stepsTo(test, file) }))
      .filter(({ steps }) => steps < Number.POSITIVE_INFINITY)
      .sort((a, b) => a.steps - b.steps || distance(a.test, file) - distance(b.test, file));
  }

  readonly #steps = new Map<string, Map<string, number>>();

  #stepsTo(test: string, file: string): number {
    let steps = this.#steps.get(test);
    if (steps === undefined) {
      steps = new Map([[test, 0]]);
      for (const [from, count] of steps) {
        for (const to of this.#importsOf(from)) if (!steps.has(to)) steps.set(to, count + 1);
      }
      this.#steps.set(test, steps);
    }
    return steps.get(file) ?? Number.POSITIVE_INFINITY;
  }

  #importsOf(file: string): string[] {
    const known = this.#imports.get(file);
    if (known !== undefined) return known;
    const imports = [...(STARTED[file] ?? []), ...commandOf(file), ...importsIn(file)];
    this.#imports.set(file, imports);
    return imports;
  }
}

/** Returns the command that a test of the CLI starts, if it has the command's name. */
function commandOf(file: string): string[] {
  const [, name = ""] = /^test\/cli\/(?:.+\/)?([\w-]+)\.test\.ts$/.exec(file) ?? [];
  const command = `src/cli/commands/${name}.ts`;
  return existsSync(command) ? [command] : [];
}

/** Returns how many folders and names of a test file's path are not those of a file. */
function distance(test: string, file: string): number {
  const names = file
    .replace(/\.tsx?$/, "")
    .split("/")
    .slice(1);
  const others = test
    .replace(/\.test\.ts$/, "")
    .split("/")
    .slice(1);
  return others.filter((name, at) => name !== names[at]).length;
}

function importsIn(file: string): string[] {
  if (!/\.tsx?$/.test(file)) return [];
  return [...readSource(file).matchAll(/(?:from|import|new URL)\s*\(?\s*"(\.[^"]+\.tsx?)"/g)]
    .map(([, path = ""]) => normalize(join(dirname(file), path)))
    .filter((path) => /^(src|test|jobs)\//.test(path) && existsSync(path));
}
