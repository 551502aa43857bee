import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { makeTempFolder } from "../support/temp-folder.ts";
import { cpuSeconds, type Finding, median, medianTime, ratioOf } from "./finding.ts";
import type { BenchOptions } from "./options.ts";
import { isInstalled, measure, measureCalltally, startPageServer, type Time } from "./process.ts";

interface Peer {
  what: string;
  /** Next to this file. */
  script: string;
  runner: "bash" | "python3";
  /** Programs, or modules of Python. */
  needs: readonly string[];
}

/** Other ways to a table of calls, each with its script; they prove and derive nothing, and cannot resume. */
const LOADERS: readonly Peer[] = [
  {
    what: "curl | SQLite's json_each",
    script: "peer-json-each.sh",
    runner: "bash",
    needs: ["curl", "sqlite3"],
  },
  {
    what: "Python, sqlite-utils",
    script: "peer-sqlite-utils.py",
    runner: "python3",
    needs: ["sqlite_utils"],
  },
  { what: "dlt", script: "peer-dlt.py", runner: "python3", needs: ["dlt", "sqlalchemy"] },
];
const DUCKDB: Peer = { what: "DuckDB", script: "peer-duckdb.py", runner: "python3", needs: ["duckdb"] };

/** How fast are other ways to the same table of calls, and to the same rollups? */
export async function* peers({ peerCalls: calls, runs, skip }: BenchOptions): AsyncGenerator<Finding> {
  await using server = await startPageServer(calls);
  const database = "calls.db";
  using folder = makeTempFolder();
  const sync = (path: string) =>
    measureCalltally(["sync", "--full", "--json", "--database", join(path, database)], server.env);
  for (const peer of LOADERS) {
    if (isMissing(peer, skip)) continue;
    const [ours, theirs]: [Time[], Time[]] = [[], []];
    for (let run = 0; run < runs; run++) {
      using own = makeTempFolder();
      const args = [server.url, String(calls), join(own.path, "peer.db")];
      theirs.push(await runPeer(peer, args));
      ours.push(await sync(own.path));
    }
    const ratio = { value: ratioOf(cpuSeconds(theirs), cpuSeconds(ours)), of: "times sync's CPU" };
    yield { what: `peer: ${peer.what}`, calls, ...medianTime(theirs), ratio };
  }
  if (isMissing(DUCKDB, skip)) return;
  await sync(folder.path);
  const [parquet, rollups] = [join(folder.path, "parquet"), join(folder.path, "rollups")];
  mkdirSync(rollups);
  const source = ["--database", join(folder.path, database), "--out"];
  const { seconds } = await measureCalltally(["export", "calls", "--format", "parquet", ...source, parquet]);
  yield { what: "export calls, Parquet", calls, seconds };
  const [ours, theirs] = [[] as number[], [] as number[]];
  for (let run = 0; run < runs; run++) {
    theirs.push((await runPeer(DUCKDB, [parquet, rollups])).seconds);
    ours.push((await measureCalltally(["export", ...source, rollups])).seconds);
  }
  const ratio = { value: ratioOf(theirs, ours), of: "times export's time" };
  yield { what: "peer: DuckDB, three rollups from Parquet", calls, seconds: median(theirs), ratio };
}

/** Also measures the CPU of all processes of the script. */
async function runPeer({ script, runner }: Peer, args: readonly string[]): Promise<Time> {
  const command = [runner, join(import.meta.dirname, script), ...args];
  const { seconds, stdout } = await measure("bash", ["-c", '"$@" && times', "bash", ...command]);
  const times = [...(stdout.trim().split("\n").at(-1) ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
  const cpuSeconds = times.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
  return { seconds, cpuSeconds };
}

function isMissing({ what, runner, needs }: Peer, skip: BenchOptions["skip"]): boolean {
  const hasModule = (name: string) => spawnSync("python3", ["-c", `import ${name}`]).status === 0;
  const missing = needs.filter((name) => !(runner === "bash" ? isInstalled(name) : hasModule(name)));
  if (missing.length > 0) skip(`${what}: SKIPPED, not installed: ${missing.join(", ")}`);
  return missing.length > 0;
}
