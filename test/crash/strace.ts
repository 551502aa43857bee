import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { describeError } from "../../src/base/errors.ts";
import { makeScenes } from "./scenes.ts";
import { whyUntraceable } from "./system-calls.ts";
import { makeTrial, planTrials, type Trial } from "./trials.ts";

// Kills `sync`, `export`, `prune`, a merged export and a report at every system call that changes a file, and lets each fail as on a
// full or broken disk. In each case: no partial file has a final name, and one more run repairs everything.
//
//   node test/crash/strace.ts                   all trials
//   node test/crash/strace.ts --sample 16       each 16th
//   node test/crash/strace.ts --only "KILL f"   trials with this in their name
const { values: flags } = parseArgs({
  options: {
    sample: { type: "string", default: "1" },
    only: { type: "string", default: "" },
  },
});

const counts = { passed: 0, failed: 0, notReached: 0 };

const untraceable = whyUntraceable();
if (untraceable === undefined) await main();
else print(`SKIPPED: ${untraceable}`);

async function main(): Promise<void> {
  const bin = resolve(import.meta.dirname, "../../dist/bin.js");
  await using scenes = await makeScenes(bin);

  const planned: Trial[] = [];
  for (const scene of scenes.all) {
    await attempt(`${scene.name} undisturbed`, async () => {
      const trials = await planTrials(bin, scene);
      print(`${scene.name}: ${trials.length} trials`);
      planned.push(...trials);
    });
  }
  const queue = choose(planned).values();
  const lane = async () => {
    for (const trial of queue) {
      await attempt(trial.id, async () => {
        if (!(await makeTrial(bin, trial))) counts.notReached++;
      });
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));

  const { passed, failed, notReached } = counts;
  if (notReached > 0) print(`${notReached} came to their end before the disturbance`);
  print(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

function choose(trials: readonly Trial[]): Trial[] {
  const exact = trials.filter(({ id }) => id === flags.only);
  if (exact.length > 0) return exact;
  return trials
    .filter(({ id }) => id.includes(flags.only))
    .filter((_, index) => index % Number(flags.sample) === 0);
}

async function attempt(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    counts.passed++;
  } catch (error) {
    counts.failed++;
    print(`FAILED ${name}\n  ${describeError(error).trimEnd().replaceAll("\n", "\n  ")}`);
    print(`  again: node test/crash/strace.ts --only "${name}"`);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
