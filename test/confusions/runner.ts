import { spawn } from "node:child_process";
import { once } from "node:events";
import { type DisposableTempDir, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { drawingRule, toVariables } from "../support/draws.ts";
import { makeCopy } from "./copy.ts";
import type { Swap } from "./draw.ts";

const Report = z.object({
  testResults: z.array(
    z.object({ name: z.string(), status: z.string(), startTime: z.number(), endTime: z.number() }),
  ),
});

/** Longer than all tests take on a busy machine. */
const LONGEST_MS = 6 * 3_600_000;

export interface TestRun {
  /** In the order of their end. */
  results: { test: string; isGood: boolean; ms: number }[];
  /** The swaps whose places each test file executed, by number. */
  executed: Map<string, Set<number>>;
  isLate: boolean;
}

/** Runs tests in a copy of the tree, with one swap switched on or none. */
export class Runner {
  readonly #copy: DisposableTempDir;
  readonly #passed: string;
  readonly #end = () => this[Symbol.dispose]();
  #child: number | undefined;

  constructor(swaps: readonly Swap[]) {
    this.#copy = makeCopy(swaps);
    this.#passed = join(this.#copy.path, "passed");
    process.once("exit", this.#end);
  }

  /** Runs test files one after another; with a swap (from 1), until the first fails or the time is over. */
  async run(tests: readonly string[], swap: number, limitMs?: number): Promise<TestRun> {
    rmSync(this.#passed, { force: true });
    const results = await this.#runVitest(tests, swap, limitMs);
    return { results: results ?? [], executed: this.#readExecuted(), isLate: results === undefined };
  }

  #readExecuted(): TestRun["executed"] {
    const executed: TestRun["executed"] = new Map();
    const lines = existsSync(this.#passed) ? readFileSync(this.#passed, "utf8").trimEnd().split("\n") : [];
    for (const line of lines) {
      const [number = "", test = ""] = line.split(" ");
      executed.set(test, (executed.get(test) ?? new Set()).add(Number(number)));
    }
    return executed;
  }

  /** Returns nothing if the time is over. */
  async #runVitest(tests: readonly string[], swap: number, limitMs?: number) {
    const { path } = this.#copy;
    const tree = join(path, "tree");
    const report = join(path, "report.json");
    rmSync(report, { force: true });
    writeFileSync(join(path, "active"), String(swap));
    const vitest = join(tree, "node_modules/vitest/vitest.mjs");
    const config = ["--config=test/confusions/vitest.config.ts", "--reporter=json", `--outputFile=${report}`];
    const child = spawn(process.execPath, [vitest, "run", ...config, ...(swap === 0 ? [] : ["--bail=1"])], {
      cwd: tree,
      env: {
        ...process.env,
        // The same cases with a swap as without, in CI too.
        ...toVariables(drawingRule({})),
        CALLTALLY_CONFUSIONS: path,
        CALLTALLY_CONFUSION_TESTS: tests.join(" "),
        NODE_COMPILE_CACHE: join(path, "compiled"),
      },
      stdio: ["ignore", "ignore", "pipe"],
      // A group of its own, which ends as a whole.
      detached: true,
    });
    this.#child = child.pid;
    let errors = "";
    child.stderr.on("data", (chunk) => {
      errors = `${errors}${chunk}`.slice(-4000);
    });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#kill();
    }, limitMs ?? LONGEST_MS);
    await once(child, "close");
    this.#child = undefined;
    clearTimeout(timer);
    if (isLate) return undefined;
    if (!existsSync(report)) throw new Error(`Vitest ended without a report:\n${errors}`);
    return Report.parse(JSON.parse(readFileSync(report, "utf8"))).testResults.map((each) => ({
      test: each.name.slice(tree.length + 1),
      isGood: each.status === "passed",
      ms: each.endTime - each.startTime,
    }));
  }

  #kill(): void {
    if (this.#child !== undefined) process.kill(-this.#child, "SIGKILL");
  }

  [Symbol.dispose](): void {
    process.off("exit", this.#end);
    this.#kill();
    this.#copy[Symbol.dispose]();
  }
}
