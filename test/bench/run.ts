import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { UsageError } from "../../src/base/errors.ts";
import { cluster } from "./cluster.ts";
import { exportRollups } from "./export.ts";
import { describe, type Finding, HEADING } from "./finding.ts";
import { grow } from "./grow.ts";
import { keep } from "./keep.ts";
import { latency } from "./latency.ts";
import { load } from "./load.ts";
import type { BenchOptions } from "./options.ts";
import { peers } from "./peers.ts";
import { stopMeasuring } from "./process.ts";
import { start } from "./start.ts";
import { watch } from "./watch.ts";

// npm run bench: the source of every claim about speed. Read the ratios: seconds depend on the machine and the day.

const USAGE = `Usage: npm run bench -- [question…] [--calls 10000,100000] [--runs 3] [--ideal 20] [--json results.json]
  load      the first sync and one without changes, and a plain program of the same work
  latency   sync from a slow service, for as many seconds as --ideal says
  export    the rollups, compared with SQLite's grouping and CSV
  keep      the first load and its file where less of the calls is kept
  grow      what each command takes as the warehouse grows, compared with the smallest of --calls
  watch     the hourly sync that judges notices, as the calls of ten weeks grow
  start     --help and status, compared with node -e 0
  cluster   publish to two ClickHouse servers of this machine, and export from there, compared with SQLite
  peers     scripts that load the same calls, and DuckDB
Without questions: all. With --calls 1000000 it needs 8 GB of disk.
`;

const QUESTIONS = { load, latency, export: exportRollups, keep, grow, watch, start, cluster, peers } as const;

const say = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      calls: { type: "string", default: "10000,100000" },
      runs: { type: "string", default: "3" },
      json: { type: "string" },
      ideal: { type: "string", default: "20" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    say(USAGE);
    return;
  }
  const unknown = positionals.find((question) => !(question in QUESTIONS));
  if (unknown !== undefined)
    throw new UsageError(`There is no question ${unknown}`, {
      hint: `Name one of ${Object.keys(QUESTIONS).join(", ")}.`,
    });
  const sizes = values.calls.split(",").map(toCount);
  const options: BenchOptions = {
    calls: sizes,
    runs: toCount(values.runs),
    peerCalls: Math.min(100_000, ...sizes.slice(-1)),
    idealSeconds: toCount(values.ideal),
    skip: say,
  };
  const findings: (Finding & { question: string })[] = [];
  say(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.versions.node}`);
  say(HEADING);
  for (const [question, measure] of Object.entries(QUESTIONS)) {
    if (positionals.length > 0 && !positionals.includes(question)) continue;
    for await (const finding of measure(options)) {
      findings.push({ question, ...finding });
      say(describe(finding));
    }
  }
  if (values.json !== undefined) {
    mkdirSync(dirname(values.json), { recursive: true });
    writeFileSync(values.json, `${JSON.stringify(findings, null, 2)}\n`);
  }
}

function toCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) {
    throw new UsageError(`${text} is not a whole number from 1 on`, { hint: "Write counts as 1000,10000." });
  }
  return count;
}

// The running measurement then ends with an error, and removes its files.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stopMeasuring);
try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`bench: ${error.message}\n\n${USAGE}`);
  process.exitCode = error.exitCode;
}
