import { join } from "node:path";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type Finding, median, medianUsage, ratioOf } from "./finding.ts";
import type { BenchOptions } from "./options.ts";
import { measureCalltally, measureFloor, startPageServer, type Usage } from "./process.ts";

const ROLLUPS = ["utm_source", "campaign", "gclid"] as const;

/** How long do the rollups take, compared with SQLite's grouping and the writing of its rows as CSV? */
export async function* exportRollups({ calls: sizes, runs }: BenchOptions): AsyncGenerator<Finding> {
  for (const calls of sizes) {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    await using server = await startPageServer(calls);
    await measureCalltally(["sync", "--full", "--json", "--database", database], server.env);
    for (const rollup of ROLLUPS) yield await compare(calls, runs, rollup, database, folder.path);
    yield await compareWorkbook(calls, runs, database, folder.path);
  }
}

async function compare(calls: number, runs: number, rollup: string, database: string, folder: string) {
  const [ours, floors] = [[] as Usage[], [] as number[]];
  for (let run = 0; run < runs; run++) {
    floors.push((await measureFloor("group", database, rollup)).cpuSeconds);
    ours.push(await measureCalltally(["export", rollup, "--database", database, "--out", folder]));
  }
  const cpu = ours.map(({ cpuSeconds }) => cpuSeconds);
  const of = "times the CPU of SQLite's grouping and the CSV";
  const ratio = { value: ratioOf(cpu, floors), of, ...(calls >= 1_000_000 && { atMost: 2 }) };
  return { what: `export ${rollup}`, calls, ...medianUsage(ours), ratio };
}

/** How much longer does a workbook of all calls take than their CSV file, and with how much memory? */
async function compareWorkbook(calls: number, runs: number, database: string, folder: string) {
  const [workbooks, files, peaks] = [[] as number[], [] as number[], [] as number[]];
  for (let run = 0; run < runs; run++) {
    const args = ["export", "calls", "--database", database, "--out", folder, "--format"];
    files.push((await measureCalltally([...args, "csv"])).seconds);
    const { seconds, peakMb } = await measureCalltally([...args, "xlsx"]);
    workbooks.push(seconds);
    peaks.push(peakMb);
  }
  const ratio = { value: ratioOf(workbooks, files), of: "times that of CSV", atMost: 2 };
  return { what: "export calls, xlsx", calls, seconds: median(workbooks), peakMb: Math.max(...peaks), ratio };
}
