import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CLICKHOUSE, startClickhouse } from "../support/services/clickhouse-servers.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type Finding, median, medianUsage, ratioOf } from "./finding.ts";
import type { BenchOptions } from "./options.ts";
import { measureCalltally, startPageServer, type Usage } from "./process.ts";

const SHARDS = 2;

interface Question {
  what: string;
  args: readonly string[];
}

/** A published warehouse, and its place. */
interface Published {
  calls: number;
  runs: number;
  url: string;
  /** Folder for files. */
  folder: string;
  env: Record<string, string>;
}

/** Rollups of few groups, and one with nearly half as many as calls. */
const EXPORTS: readonly Question[] = [
  { what: "channel campaign --grain month", args: ["channel", "campaign", "--grain", "month"] },
  { what: "--by channel,campaign --grain month", args: ["--by", "channel,campaign", "--grain", "month"] },
  { what: "gclid", args: ["gclid"] },
];

/** How fast are facts published to two servers of this machine, and how long do rollups take there, compared with SQLite? */
export async function* cluster({ calls: sizes, runs, skip }: BenchOptions): AsyncGenerator<Finding> {
  if (CLICKHOUSE.isMissing) {
    skip("cluster: there is no clickhouse-server here");
    return;
  }
  for (const calls of sizes) {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    await using server = await startPageServer(calls);
    await measureCalltally(["sync", "--full", "--json", "--database", database], server.env);
    yield* measureCluster({ database, calls, runs, service: server.env });
  }
}

interface Measured {
  database: string;
  calls: number;
  runs: number;
  /** Settings of the service. */
  service: Record<string, string>;
}

async function* measureCluster({ database, calls, runs, service }: Measured): AsyncGenerator<Finding> {
  using folder = makeTempFolder();
  await using servers = await startClickhouse(SHARDS);
  const url = servers.url("bench");
  const env = {
    CALLTALLY_DATABASE: database,
    CALLTALLY_PUBLISH_PASSWORD_FILE: servers.passwordFile,
    CALLTALLY_PUBLISH_PERSONAL_DATA: "true", // without it gclid is not a dimension of a cluster
  };
  const publish = ["publish", "--quiet", "--to", url];
  yield { what: "publish, all of it", calls, ...(await measureCalltally(publish, env)) };
  yield { what: "publish, nothing changed", calls, ...(await measureRuns(runs, publish, env)) };
  const sync = ["sync", "--quiet"];
  const after = { ...env, ...service, CALLTALLY_PUBLISH_TO: url };
  const alone = { ...after, CALLTALLY_PUBLISH_AFTER_SYNC: "false" };
  yield { what: "sync, nothing new", calls, ...(await measureRuns(runs, sync, alone)) };
  yield { what: "sync, nothing new, and publish", calls, ...(await measureRuns(runs, sync, after)) };
  for (const question of EXPORTS) {
    yield await compare(question, { calls, runs, url, folder: folder.path, env });
  }
}

/** Queries SQLite and the cluster alternately; both must write the same files. */
async function compare(
  { what, args }: Question,
  { calls, runs, url, folder, env }: Published,
): Promise<Finding> {
  const [ours, theirs, peaks] = [[] as number[], [] as number[], [] as number[]];
  const [here, there] = [join(folder, "here"), join(folder, "there")];
  for (let run = 0; run < runs; run++) {
    ours.push((await measureCalltally(["export", ...args, "--out", here], env)).seconds);
    const { seconds, peakMb } = await measureCalltally(
      ["export", ...args, "--engine", url, "--out", there],
      env,
    );
    theirs.push(seconds);
    peaks.push(peakMb);
  }
  for (const file of readdirSync(here).filter((name) => name.endsWith(".csv"))) {
    const isSame = readFileSync(join(here, file)).equals(readFileSync(join(there, file)));
    if (!isSame) throw new Error(`${file} of the cluster differs from SQLite's`);
  }
  const ratio = { value: ratioOf(theirs, ours), of: `times SQLite's ${median(ours).toFixed(1)} s` };
  return { what: `export ${what}`, calls, seconds: median(theirs), peakMb: Math.max(...peaks), ratio };
}

async function measureRuns(runs: number, args: readonly string[], env: Record<string, string>) {
  const measured: Usage[] = [];
  for (let run = 0; run < runs; run++) measured.push(await measureCalltally(args, env));
  return medianUsage(measured);
}
