/*
 * Years in a simulated world. One process has a virtual clock, a service in memory that knows the truth, and
 * the whole program: its schedule, and every job and command that it or an operator starts, each as a "process" of the
 * simulated machine. SQLite, files and mails are real; clock, randomness, network and processes are the machine's.
 * Odd seeds live with one account and its schedule; even ones as an agency with three accounts, lists of jobs, notices and
 * pages to explore (agency/).
 *
 *   npm run test:simulation -- --seeds 20            twenty drawn years; --days 60 for shorter lives
 *   npm run test:simulation -- --seed 7 --log        the year of seed 7, with its log
 *   npm run test:simulation -- --seed 7 --shrink     the fewest events of it that still fail
 *   npm run test:simulation -- --breaks --days 60    shows that it finds the faults of breaks.ts
 *
 * A seed draws the features (life.ts) and the events of the life, each with a seed of its own, so that leaving one out
 * does not change the others. The same seed and events give the same log, byte for byte.
 *
 * To add a capability, add a row to EVENTS (events.ts) and one to INVARIANTS (invariants.ts), or to those of an agency; they are
 * checked whenever a process has ended, and at the end. A process is killed, or its disk is full, from a drawn step on: a step is a request, a
 * sleep, a written file, or the begin or end of a transaction (machine.ts). Faults of the machine itself,
 * such as a power cut that loses writes, is not simulated: see test/crash.
 */
import { spawn } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import pLimit from "p-limit";
import { BREAKS, breakProgram } from "./breaks.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    seed: { type: "string" },
    days: { type: "string", default: "365" },
    log: { type: "boolean", default: false },
    shrink: { type: "boolean", default: false },
    breaks: { type: "boolean", default: false },
    break: { type: "string" },
  },
});
const days = Number(values.days);
/** Seconds of processor time that lives took. */
let processorSeconds = 0;
let lives = 0;
const print = (line: string) => void process.stdout.write(`${line}\n`);

if (values.seed !== undefined) await liveOne(Number(values.seed));
else if (values.breaks) await findBreaks();
else await liveMany(Number(values.seeds));
if (lives > 0) {
  const perHour = (3600 * lives * days) / 365 / processorSeconds;
  print(
    `${lives} lives of ${days} days took ${processorSeconds.toFixed(0)} s of processor time: an hour of it gives ${perHour.toFixed(0)} years`,
  );
}
process.exit(); // the mail server listens on

async function liveOne(seed: number): Promise<void> {
  if (values.break !== undefined) breakProgram(values.break);
  const { live, planLife } = await import("./life.ts");
  const beganMs = performance.now();
  const planned = planLife(seed, days);
  const { log, failure, counts } = await live(seed, days, planned);
  if (values.log) print(log);
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
  const { user, system } = process.cpuUsage();
  const processor = ((user + system) / 1e6).toFixed(1);
  const digest = createHash("sha256").update(log).digest("hex").slice(0, 12);
  const looked = [...counts].map(([what, times]) => `${times} ${what}`).join(", ");
  print(
    `seed ${seed}: ${failure === undefined ? "all is well" : "FAILED"}, log ${digest}, ${seconds} s, ${processor} s of processor time: ${looked}`,
  );
  if (failure === undefined) return;
  process.exitCode = 1;
  print(`  ${failure.invariant}: ${failure.problem} (${failure.at})`);
  if (!values.shrink) return;
  const { shrink } = await import("./shrink.ts");
  const fewest = await shrink(planned, (events) => live(seed, days, events));
  print(`  ${fewest.length} of ${planned.length} events still fail:`);
  for (const { atMs, name, seed: own } of fewest)
    print(`    day ${(atMs / 86_400_000).toFixed(3)} ${name} (${own})`);
}

/** Runs each life in a process of its own, as many at the same time as there are cores. */
async function liveMany(seeds: number): Promise<void> {
  const { DRAWING_SEED } = process.env;
  const first = DRAWING_SEED === undefined ? randomInt(1_000_000) : Number(DRAWING_SEED) % 1_000_000;
  const atOnce = pLimit(availableParallelism());
  const isWell = await atOnce.map(
    Array.from({ length: seeds }, (_, index) => first + index),
    async (seed) => {
      const { isFailed, output } = await liveElsewhere(seed);
      print(output);
      return !isFailed;
    },
  );
  if (isWell.includes(false)) process.exitCode = 1;
}

/** Tries each break with at most ten seeds. */
async function findBreaks(): Promise<void> {
  const atOnce = pLimit(availableParallelism());
  await atOnce.map(BREAKS, async ({ name }) => {
    for (let seed = 1; seed <= 10; seed++) {
      const { isFailed, output } = await liveElsewhere(seed, "--break", name);
      if (isFailed) return print(`found by seed ${seed}: ${name}\n ${output.split("\n").at(-1)}`);
    }
    process.exitCode = 1;
    print(`NOT FOUND: ${name}`);
  });
}

async function liveElsewhere(seed: number, ...more: string[]) {
  const args = [String(process.argv[1]), "--seed", String(seed), "--days", String(days), ...more];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const output = (await text(child.stdout)).trim();
  const [, seconds] = /([\d.]+) s of processor time: /.exec(output) ?? [];
  if (seconds === undefined) throw new Error(`Seed ${seed} has not lived: ${more.join(" ")}`);
  processorSeconds += Number(seconds);
  lives++;
  return { isFailed: output.includes("FAILED"), output };
}
