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

type Ring = (tests: { test: string; steps: number }[]) => string[];

const isNear = ({ test, steps }: { test: string; steps: number }, index: number) =>
  test.startsWith(SCENE) || (steps <= NEAR_STEPS && index < NEAR_FILES);

const near: Ring = (tests) => tests.filter(isNear).map(({ test }) => test);
const far: Ring = (tests) => tests.filter((each, index) => !isNear(each, index)).map(({ test }) => test);

/** A run with a swap may take this many times as long as without, and a minute more: the machine may be busy. */
const SLOWER = 20;

/** Looks for the swaps that no test notices: first among the near tests, then among all others unless `isNearOnly`. */
export async function judge(
  swaps: readonly Swap[],
  isNearOnly: boolean,
  report: (line: string) => void,
): Promise<Judgement> {
  const reach = new Reach();
  using runner = new Runner(swaps);
  const judged = swaps.map((swap): Judged => ({ swap, executedBy: 0 }));
  const failing = new Set<string>();
  for (const ring of isNearOnly ? [near] : [near, far]) {
    const open = judged.filter(({ noticedBy }) => noticedBy === undefined);
    const testsOf = new Map(open.map(({ swap }) => [swap, ring(reach.testsOf(swap.file))]));
    const tests = [...new Set([...testsOf.values()].flat())];
    if (tests.length === 0) continue;
    report(`${open.length} swaps, ${tests.length} test files run without one`);
    const watched = await runner.watch(tests);
    for (const test of watched.failing) failing.add(test);
    for (const each of open) {
      const number = swaps.indexOf(each.swap) + 1;
      const executing = (testsOf.get(each.swap) ?? []).filter(
        (test) =>
          !failing.has(test) && (!each.swap.isInFunction || watched.executed.get(test)?.has(number) === true),
      );
      each.executedBy += executing.length;
      if (executing.length === 0) continue;
      const ms = executing.reduce((sum, test) => sum + (watched.durations.get(test) ?? 0), 0);
      const noticedBy = await runner.findNoticing(number, executing, 60_000 + SLOWER * ms);
      if (noticedBy !== undefined) each.noticedBy = noticedBy;
      report(`${each.swap.file}:${each.swap.line} ${each.swap.kind}: ${noticedBy ?? "not noticed yet"}`);
    }
  }
  return { judged, failing: [...failing] };
}
