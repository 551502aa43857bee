import { spawn } from "node:child_process";
import { once } from "node:events";
import { type DisposableTempDir, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { makeCopy } from "./copy.ts";
import type { Swap } from "./draw.ts";

const Report = z.object({
  testResults: z.array(
    z.object({ name: z.string(), status: z.string(), startTime: z.number(), endTime: z.number() }),
  ),
});

interface Watched {
  /** The swaps whose places each test file executes, by number. */
  executed: Map<string, Set<number>>;
  /** Fail without a swap, so they cannot notice one. */
  failing: string[];
  /** Milliseconds. */
  durations: Map<string, number>;
}

/** Runs tests in a copy of the tree, with one swap switched on or none. */
export class Runner {
  readonly #copy: DisposableTempDir;

  constructor(swaps: readonly Swap[]) {
    this.#copy = makeCopy(swaps);
  }

  /** Runs test files one after another without a swap. */
  async watch(tests: readonly string[]): Promise<Watched> {
    const passed = join(this.#copy.path, "passed");
    rmSync(passed, { force: true });
    const results = await this.#run(tests, 0);
    const executed = new Map<string, Set<number>>();
    const lines = existsSync(passed) ? readFileSync(passed, "utf8").trimEnd().split("\n") : [];
    for (const line of lines) {
      const [number = "", test = ""] = line.split(" ");
      const numbers = executed.get(test) ?? new Set<number>();
      executed.set(test, numbers.add(Number(number)));
    }
    const reported = results?.map(({ test }) => test) ?? [];
    return {
      executed,
      failing: [
        ...(results ?? []).filter(({ isGood }) => !isGood).map(({ test }) => test),
        ...tests.filter((test) => !reported.includes(test)),
      ],
      durations: new Map(results?.map(({ test, ms }) => [test, ms])),
    };
  }

  /** Returns the first test file that fails with a swap, "never ending", or undefined if all pass. */
  async findNoticing(swap: number, tests: readonly string[], limitMs: number): Promise<string | undefined> {
    const results = await this.#run(tests, swap, limitMs);
    if (results === undefined) return "never ending";
    return results.find(({ isGood }) => !isGood)?.test;
  }

  /** Returns nothing if the time is over. */
  async #run(tests: readonly string[], swap: number, limitMs?: number) {
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
        CALLTALLY_CONFUSIONS: path,
        CALLTALLY_CONFUSION_TESTS: tests.join(" "),
        NODE_COMPILE_CACHE: join(path, "compiled"),
      },
      stdio: ["ignore", "ignore", "pipe"],
      // A group of its own, which ends as a whole.
      detached: true,
    });
    let errors = "";
    child.stderr.on("data", (chunk) => {
      errors = `${errors}${chunk}`.slice(-4000);
    });
    const end = () => child.pid && process.kill(-child.pid, "SIGKILL");
    let isLate = false;
    const timer =
      limitMs &&
      setTimeout(() => {
        isLate = true;
        end();
      }, limitMs);
    process.once("exit", end);
    await once(child, "close");
    process.off("exit", end);
    if (timer) clearTimeout(timer);
    if (isLate) return undefined;
    if (!existsSync(report)) throw new Error(`Vitest ended without a report:\n${errors}`);
    return Report.parse(JSON.parse(readFileSync(report, "utf8"))).testResults.map((each) => ({
      test: each.name.slice(tree.length + 1),
      isGood: each.status === "passed",
      ms: each.endTime - each.startTime,
    }));
  }

  [Symbol.dispose](): void {
    this.#copy[Symbol.dispose]();
  }
}
