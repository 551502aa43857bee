import { join } from "node:path";
import { type Clock, systemClock } from "../clock.ts";
import type { Dimension } from "../rollup/dimensions.ts";
import {
  iterateRollup,
  prepareRollups,
  type RollupColumn,
  type RollupRow,
  rollupColumns,
} from "../rollup/read.ts";
import type { RollupRules } from "../rollup/rules.ts";
import type { RollupQuery } from "../rollup/sql.ts";
import { insertExports } from "../warehouse/exports.ts";
import { openExistingWarehouse, openReader, type Warehouse } from "../warehouse/open.ts";
import { readLastDoneRun } from "../warehouse/runs.ts";
import { toCsv } from "./csv.ts";
import { FileSet, type WrittenFile } from "./file-set.ts";

export interface ExportOptions {
  /** Path of the warehouse. */
  database: string;
  /** Folder for the files. */
  folder: string;
  dimensions: readonly Dimension[];
  rules: RollupRules;
  /** Whether utm values are grouped as they are stored. */
  raw: boolean;
  clock?: Clock;
  signal?: AbortSignal | undefined;
}

/** `manifest.json`: what the figures in the files stand on. The same warehouse and options give the same bytes. */
export interface Manifest {
  /** The last finished run of `sync`; null where there is none. */
  run: {
    run_id: number;
    finished_at: string | null;
    verdict: string | null;
    verdict_reason: string | null;
  } | null;
  /** Zone of all times in the files. */
  timezone: "UTC";
  filter: { gone_calls: "left out"; utm_values: "folded" | "as stored" };
  rules: RollupRules;
  files: ManifestFile[];
}

export interface ManifestFile extends WrittenFile {
  dimension: Dimension;
  /** Lines without the header. */
  rows: number;
  /** Sums of the columns that add up; uniques do not. */
  sums: Record<string, number>;
}

export interface ExportResult {
  folder: string;
  manifest: Manifest;
}

/** Columns whose values add up across rows, since each call is in one row, and so is each caller's first call. */
const ADDITIVE = [
  "calls",
  "answered_calls",
  "missed_calls",
  "other_calls",
  "first_time_callers",
  "qualified_calls",
  "total_duration_seconds",
];

/**
 * Writes rollups as CSV files, and `manifest.json` after them; all from one moment of the warehouse.
 *
 * @throws CalltallyError of the warehouse; the files that were there before stay as they are
 */
export async function exportRollups(options: ExportOptions): Promise<ExportResult> {
  const { database, folder, dimensions, rules, raw, clock = systemClock, signal } = options;
  using warehouse = openExistingWarehouse(database);
  using reader = openReader(warehouse);
  await using files = await FileSet.open(folder);
  reader.sqlite.exec("BEGIN");
  prepareRollups(reader.sqlite);

  const manifest: Manifest = {
    run: describeLastRun(reader),
    timezone: "UTC",
    filter: { gone_calls: "left out", utm_values: raw ? "as stored" : "folded" },
    rules,
    files: [],
  };
  for (const dimension of dimensions) {
    signal?.throwIfAborted();
    manifest.files.push(await writeRollup(files, reader, { dimension, rules, raw }));
  }
  await files.write("manifest.json", [`${JSON.stringify(manifest, null, 2)}\n`]);
  await files.publish();

  insertExports(
    warehouse,
    manifest.files.map(({ file, sha256, rows }) => ({
      exported_at: new Date(clock.now()).toISOString(),
      path: join(files.folder, file),
      sha256,
      rows,
      filter: JSON.stringify(manifest.filter),
      run_id: manifest.run?.run_id ?? null,
    })),
  );
  return { folder: files.folder, manifest };
}

async function writeRollup(files: FileSet, reader: Warehouse, query: RollupQuery): Promise<ManifestFile> {
  const columns = rollupColumns(query);
  const tally = { rows: 0, sums: Object.fromEntries(ADDITIVE.map((name) => [name, 0])) };
  const rows = counted(iterateRollup(reader.sqlite, query), columns, tally);
  const written = await files.write(`${query.dimension}.csv`, toCsv(columns, rows));
  return { dimension: query.dimension, ...written, ...tally };
}

/** Passes rows on, and adds them up on the way. */
function* counted(
  rows: Iterable<RollupRow>,
  columns: readonly RollupColumn[],
  tally: { rows: number; sums: Record<string, number> },
): Generator<RollupRow> {
  const additive = columns.flatMap(({ name }, index) => (ADDITIVE.includes(name) ? [{ name, index }] : []));
  for (const row of rows) {
    tally.rows++;
    for (const { name, index } of additive) {
      tally.sums[name] = toThousandths((tally.sums[name] ?? 0) + Number(row[index]));
    }
    yield row;
  }
}

/** Seconds may have milliseconds; what else an addition leaves behind the point is a rounding error. */
function toThousandths(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function describeLastRun(reader: Warehouse): Manifest["run"] {
  const run = readLastDoneRun(reader);
  if (run === undefined) return null;
  const { run_id, finished_at, verdict, verdict_reason } = run;
  return { run_id, finished_at, verdict, verdict_reason };
}
