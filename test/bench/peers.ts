import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type Finding, median, ratioOf } from "./finding.ts";
import type { BenchOptions } from "./options.ts";
import { isInstalled, measure, measureCalltally, startPageServer } from "./process.ts";

interface Peer {
  what: string;
  /** Beside this file. */
  script: string;
  runner: "bash" | "python3";
  /** Programs, or modules of Python. */
  needs: readonly string[];
  /** Of sync's time. */
  atLeast?: number;
}

/** Other ways to a table of calls, each with its script; they check nothing of what they read. */
const LOADERS: readonly Peer[] = [
  {
    what: "curl | jq | sqlite3",
    script: "peer-shell.sh",
    runner: "bash",
    needs: ["curl", "jq", "sqlite3"],
    atLeast: 3,
  },
  {
    what: "curl | jq | sqlite-utils",
    script: "peer-sqlite-utils.sh",
    runner: "bash",
    needs: ["curl", "jq", "sqlite-utils"],
    atLeast: 3,
  },
  { what: "dlt", script: "peer-dlt.py", runner: "python3", needs: ["dlt", "sqlalchemy"], atLeast: 10 },
];
const DUCKDB: Peer = {
  what: "DuckDB",
  script: "peer-duckdb.py",
  runner: "python3",
  needs: ["duckdb"],
};

/** How fast are other ways to the same table of calls, and to the same rollups? */
export async function* peers({ peerCalls: calls, runs, skip }: BenchOptions): AsyncGenerator<Finding> {
  await using server = await startPageServer(calls);
  const database = "calls.db";
  using folder = makeTempFolder();
  const sync = (path: string) =>
    measureCalltally(["sync", "--full", "--json", "--database", join(path, database)], server.env);
  for (const peer of LOADERS) {
    if (isMissing(peer, skip)) continue;
    const [ours, theirs] = [[] as number[], [] as number[]];
    for (let run = 0; run < runs; run++) {
      using own = makeTempFolder();
      const args = [server.url, String(calls), join(own.path, "peer.db")];
      theirs.push((await runPeer(peer, args)).seconds);
      ours.push((await sync(own.path)).seconds);
    }
    const ratio = {
      value: ratioOf(theirs, ours),
      of: "times sync's time",
      ...(peer.atLeast && { atLeast: peer.atLeast }),
    };
    yield { what: `peer: ${peer.what}`, calls, seconds: median(theirs), ratio };
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

function runPeer({ script, runner }: Peer, args: readonly string[]) {
  return measure(runner, [join(import.meta.dirname, script), ...args]);
}

function isMissing({ what, runner, needs }: Peer, skip: BenchOptions["skip"]): boolean {
  const hasModule = (name: string) => spawnSync("python3", ["-c", `import ${name}`]).status === 0;
  const missing = needs.filter((name) => !(runner === "bash" ? isInstalled(name) : hasModule(name)));
  if (missing.length > 0) skip(`${what}: SKIPPED, not installed: ${missing.join(", ")}`);
  return missing.length > 0;
}
