/*
 * Years in a world that exists only here. One process holds a virtual clock, a service in memory that knows the truth, and
 * the whole program: its schedule, and every job and command that it or an operator starts, each as a "process" of the
 * simulated machine. SQLite, files and mails are real; clock, randomness, network and processes are the machine's.
 *
 *   npm run test:simulation -- --seeds 20            twenty years; --days 60 for shorter lives
 *   npm run test:simulation -- --from 7 --log        one year, with its log
 *   npm run test:simulation -- --from 7 --shrink     the fewest events of it that still fail
 *   npm run test:simulation -- --breaks              shows that it finds the faults of breaks.ts
 *
 * A seed draws what is switched on (life.ts) and the events of the life, each with a seed of its own, so that leaving one out
 * does not change the others. The same seed and events give the same log, byte for byte.
 *
 * To add a capability, add a row to EVENTS (events.ts) and one to INVARIANTS (invariants.ts), which are looked at whenever a
 * process has ended, and at the end. A process is killed, or its disk is full, from a drawn step on: a step is a request, a
 * sleep, a file that is written or the begin or end of a transaction (machine.ts). What a fault does to the machine itself,
 * such as a power cut that loses writes, is not simulated: see test/crash.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { BREAKS, breakProgram } from "./breaks.ts";
import type { Planned } from "./types.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    from: { type: "string", default: "1" },
    days: { type: "string", default: "365" },
    log: { type: "boolean", default: false },
    shrink: { type: "boolean", default: false },
    breaks: { type: "boolean", default: false },
    break: { type: "string" },
  },
});
const [first, count, days] = [Number(values.from), Number(values.seeds), Number(values.days)];
const print = (line: string) => void process.stdout.write(`${line}\n`);

if (values.breaks) findBreaks();
else await liveAll();
process.exit(); // the mail server listens on

async function liveAll(): Promise<void> {
  const broken = BREAKS.find(({ name }) => name === values.break);
  if (broken !== undefined) breakProgram(broken);
  const { live, planLife } = await import("./life.ts");
  const { shrink } = await import("./shrink.ts");
  for (let seed = first; seed < first + count; seed++) {
    const beganMs = performance.now();
    const planned = planLife(seed, days);
    const { log, failure, counts } = await live(seed, days, planned);
    if (values.log) print(log);
    const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
    const digest = createHash("sha256").update(log).digest("hex").slice(0, 12);
    const looked = [...counts].map(([what, times]) => `${times} ${what}`).join(", ");
    print(
      `seed ${seed}: ${failure === undefined ? "all is well" : "FAILED"}, log ${digest}, ${seconds} s: ${looked}`,
    );
    if (failure === undefined) continue;
    process.exitCode = 1;
    print(`  ${failure.invariant}: ${failure.problem} (${failure.at})`);
    if (values.shrink) {
      const options = { live: (events: readonly Planned[]) => live(seed, days, events), most: 60 };
      const fewest = await shrink(planned, failure.invariant, options);
      print(`  ${fewest.length} of ${planned.length} events still fail:`);
      for (const { atMs, name, seed: own } of fewest)
        print(`    day ${(atMs / 86_400_000).toFixed(3)} ${name} (${own})`);
    }
    if (broken !== undefined) return;
  }
}

/** Runs each break in a process of its own, with ten seeds at most. */
function findBreaks(): void {
  for (const { name } of BREAKS) {
    const args = [String(process.argv[1]), "--break", name, "--seeds", "10", "--days", values.days ?? "60"];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
    const lines = stdout.trim().split("\n");
    const seeds = lines.filter((line) => line.startsWith("seed ")).length;
    const isFound = status === 1;
    if (!isFound) process.exitCode = 1;
    print(
      `${isFound ? `found by seed ${seeds}` : "NOT FOUND"}: ${name}${isFound ? `\n ${lines.at(-1)}` : ""}`,
    );
  }
}
