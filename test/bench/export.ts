import { join } from "node:path";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type Finding, median, ratioOf } from "./finding.ts";
import type { BenchOptions } from "./options.ts";
import { isInstalled, measure, measureCalltally, startPageServer } from "./process.ts";

const ROLLUPS = ["utm_source", "campaign", "gclid"] as const;

/** How long do the rollups take, beside the sqlite3 shell that writes the same SQL's rows as CSV? */
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
  const [ours, shells, peaks] = [[] as number[], [] as number[], [] as number[]];
  const hasShell = isInstalled("sqlite3");
  const csv = join(folder, `${rollup}.shell.csv`);
  for (let run = 0; run < runs; run++) {
    const shell = ["-readonly", "-csv", "-header", "-cmd", `.output ${csv}`, database];
    if (hasShell)
      shells.push((await measure("sqlite3", [...shell, `SELECT * FROM rollup_${rollup}`])).seconds);
    const args = ["export", rollup, "--database", database, "--out", folder];
    const { seconds, peakMb } = await measureCalltally(args);
    ours.push(seconds);
    peaks.push(peakMb);
  }
  const of = "times the sqlite3 shell's time";
  const ratio = hasShell
    ? { value: ratioOf(ours, shells), of, ...(calls >= 100_000 && { atMost: 1.5 }) }
    : undefined;
  return { what: `export ${rollup}`, calls, seconds: median(ours), peakMb: Math.max(...peaks), ratio };
}

/** How much longer does a workbook of all calls take than their CSV file, and in which memory? */
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
