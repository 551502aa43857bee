import type { Swap } from "./draw.ts";
import { Reach } from "./reach.ts";
import { Runner } from "./runner.ts";

export interface Judged {
  swap: Swap;
  /** The test file that noticed. */
  noticedBy?: string;
  /** How many test files executed the place. */
  executedBy: number;
}

export interface Judgement {
  judged: Judged[];
  /** Test files that fail without any swap, so that they noticed none. */
  failing: string[];
}

/** Test files of one swap that count as near. */
const NEAR_FILES = 12;
/** Imports between a test file and a near file. */
const NEAR_STEPS = 2;
/** Tests of the whole program, in which no two inputs are equal: they are near to everything they reach. */
const SCENE = "test/scene/";
/** With a swap, tests may take this long, and as many times as long as without: the machine may be busy. */
const [LIMIT_MS, SLOWER] = [300_000, 20];

/** Looks for the swaps that no test notices: first among the near tests, then among all others unless `isNearOnly`. */
export async function judge(
  swaps: readonly Swap[],
  isNearOnly: boolean,
  report: (line: string) => void,
): Promise<Judgement> {
  using judges = new Judges(swaps, report);
  for (const each of judges.judged) await judges.askNear(each);
  if (!isNearOnly) await judges.askFar();
  return { judged: judges.judged, failing: judges.failing };
}

class Judges {
  readonly judged: Judged[];
  readonly #reach = new Reach();
  readonly #runner: Runner;
  readonly #report: (line: string) => void;
  /** Whether a test file passes without a swap. */
  readonly #passes = new Map<string, boolean>();

  constructor(swaps: readonly Swap[], report: (line: string) => void) {
    this.#report = report;
    this.#runner = new Runner(swaps);
    this.judged = swaps.map((swap) => ({ swap, executedBy: 0 }));
  }

  get failing(): string[] {
    return [...this.#passes].flatMap(([test, passes]) => (passes ? [] : [test]));
  }

  async askNear(judged: Judged): Promise<void> {
    await this.#ask(judged, this.#split(judged.swap).near, LIMIT_MS);
  }

  /** Runs all other tests once without a swap, which shows which of them execute which place. */
  async askFar(): Promise<void> {
    const open = this.judged.filter(({ noticedBy }) => noticedBy === undefined);
    const tests = [...new Set(open.flatMap(({ swap }) => this.#split(swap).far))];
    if (tests.length === 0) return;
    this.#report(`${open.length} swaps that no near test notices: ${tests.length} other test files run once`);
    const { results, executed } = await this.#runner.run(tests, 0);
    for (const test of tests) this.#passes.set(test, false);
    for (const { test, isGood } of results) this.#passes.set(test, isGood);
    const durations = new Map(results.map(({ test, ms }) => [test, ms]));
    for (const each of open) {
      const number = this.#numberOf(each);
      const executing = this.#split(each.swap).far.filter((test) => executed.get(test)?.has(number));
      const ms = executing.reduce((sum, test) => sum + (durations.get(test) ?? 0), 0);
      await this.#ask(each, executing, LIMIT_MS + SLOWER * ms);
    }
  }

  #split(swap: Swap): { near: string[]; far: string[] } {
    const tests = this.#reach.testsOf(swap.file);
    const isNear = ({ test, steps }: (typeof tests)[number], index: number) =>
      test.startsWith(SCENE) || (steps <= NEAR_STEPS && index < NEAR_FILES);
    const near = tests.filter(isNear).map(({ test }) => test);
    return { near, far: tests.map(({ test }) => test).filter((test) => !near.includes(test)) };
  }

  async #ask(judged: Judged, tests: readonly string[], limitMs: number): Promise<void> {
    const number = this.#numberOf(judged);
    const able = tests.filter((test) => this.#passes.get(test) !== false);
    if (able.length === 0) return;
    const { results, executed, isLate } = await this.#runner.run(able, number, limitMs);
    const failed = results.find(({ isGood }) => !isGood)?.test;
    if (failed !== undefined && !(await this.#passesWithout(failed))) {
      return await this.#ask(judged, able, limitMs);
    }
    judged.executedBy += executed.size;
    const noticedBy = isLate ? "a test that never ends" : failed;
    if (noticedBy !== undefined) judged.noticedBy = noticedBy;
    this.#report(
      `${judged.swap.file}:${judged.swap.line} ${judged.swap.kind}: ${noticedBy ?? "not noticed yet"}`,
    );
  }

  async #passesWithout(test: string): Promise<boolean> {
    const known = this.#passes.get(test);
    if (known !== undefined) return known;
    const { results } = await this.#runner.run([test], 0);
    const passes = results.every(({ isGood }) => isGood) && results.length > 0;
    this.#passes.set(test, passes);
    return passes;
  }

  #numberOf(judged: Judged): number {
    return this.judged.indexOf(judged) + 1;
  }

  [Symbol.dispose](): void {
    this.#runner[Symbol.dispose]();
  }
}
