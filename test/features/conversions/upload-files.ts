import { expect } from "vitest";
import type { Call } from "../../../src/calls/columns.ts";
import type { CallFilter } from "../../../src/calls/filter.ts";
import type { ConversionOptions } from "../../../src/config/request/resolve.ts";
import type { ReportRunOfFiles } from "../../../src/export/step.ts";
import { forgetUploads } from "../../../src/features/conversions/upload-files.ts";
import type { UploadNotes } from "../../../src/features/conversions/upload-ledger.ts";
import { readUploadFiles, uploads } from "../../../src/features/conversions/upload-table.ts";
import type { ProducedFiles } from "../../../src/reports/produce/produce.ts";
import { clearAbsence } from "../../../src/warehouse/calls/gone.ts";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import { type CheckedRow, readConversions } from "../../support/figures/conversion-checker.ts";
import { clockAt, type makeWarehouse, type Target } from "../../support/figures/produce-files.ts";
import { readLines } from "../../support/figures/tables.ts";
import { readText } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { storeCalls } from "../../support/warehouses/warehouse.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const NOW = Date.parse("2026-10-31T12:00:00.000Z");
export const at = (ms: number) => new Date(ms).toISOString();
const toUtcMs = (time: string) => Date.parse(`${time.replace(" ", "T")}Z`);

/** A call that is a conversion. */
export const conversionCall = (call_id: number, members: Partial<Call> = {}): Call =>
  makeCall({
    call_id,
    caller_id: `+4930${1000 + call_id}`,
    call_started: at(NOW - 10 * DAY_MS + call_id * HOUR_MS),
    duration: 60,
    disposition: "ANSWERED",
    gclid: `CjABC_${call_id}-x`,
    ...members,
  });

/** What an export reports about the ledger. */
export const uploadNotesOf = ({ note }: Pick<ProducedFiles, "note">) =>
  note.data.uploads as UploadNotes | undefined;

export type Warehouse = ReturnType<typeof makeWarehouse>;

/** Writes calls like a sync that reads them now; gone ones have come back. */
export function sync({ database }: Warehouse, calls: readonly Call[]): void {
  using warehouse = openExistingWarehouse(database);
  const ids = calls.map(({ call_id }) => call_id);
  writeTransaction(warehouse, (tx) => {
    storeCalls(warehouse, calls);
    clearAbsence(tx, ids);
  });
}

export interface Options extends Partial<ConversionOptions> {
  nowMs?: number;
  folder?: string;
  timezone?: string;
  reportRun?: ReportRunOfFiles;
}

/** Writes a file of google-ads with --new, and returns its lines as read by Google. */
export async function writeNew(
  warehouse: Warehouse,
  { nowMs = NOW, folder, reportRun, timezone: _, ...conversion }: Options = {},
) {
  const target: Target = {
    kind: "google-ads",
    conversion: { name: "Qualified call", every: false, new: true, ...conversion },
  };
  const result = await warehouse.export({
    targets: [target],
    clock: clockAt(nowMs),
    ...(folder && { folder }),
    reportRun,
  });
  const { manifest } = result;
  const rest = readLines(readText(result.folder, "google-ads.excluded.csv")).slice(1);
  const rows = readConversions("google-ads", readText(result.folder, "google-ads.csv"), { nowMs, toUtcMs });
  expect(manifest.files[0]).toMatchObject({ rows: rows.length, examined: rows.length + rest.length });
  return {
    rows,
    reasons: Object.fromEntries(rest.map(([id, , reason]) => [id, reason])),
    entry: manifest.files[0],
  };
}

export async function writeAdjustments(
  warehouse: Warehouse,
  { nowMs = NOW, filter, timezone = "UTC", reportRun, ...conversion }: Options & { filter?: CallFilter } = {},
) {
  const target: Target = {
    kind: "google-ads-adjustments",
    conversion: { name: "Qualified call", ...conversion },
  };
  const { manifest, folder } = await warehouse.export({
    targets: [target],
    clock: clockAt(nowMs),
    ...(filter && { filter }),
    timezone,
    reportRun,
    folder: `${warehouse.folder}-adjustments`,
  });
  const [header, ...rest] = readLines(readText(folder, "google-ads-adjustments.excluded.csv"));
  const rows = readConversions("google-ads-adjustments", readText(folder, "google-ads-adjustments.csv"));
  expect(manifest.files).toMatchObject([
    { contents: "google-ads-adjustments", rows: rows.length, examined: rows.length + rest.length },
    { contents: "google-ads-adjustments.excluded", rows: rest.length },
  ]);
  expect(header).toEqual(["call_id", "conversion_name", "conversion_time", "adjustment", "reason"]);
  return { rows, rest, entry: manifest.files[0] };
}

export const ordersOf = (rows: readonly CheckedRow[]) => rows.map((row) => row["Order ID"]);
export const saidOf = (rows: readonly CheckedRow[]) =>
  rows.map((row) => [
    row["Order ID"],
    row["Adjustment Type"],
    row["Adjusted Value"],
    row["Adjusted Value Currency"],
  ]);

export function readLedger({ database }: Warehouse) {
  using warehouse = openExistingWarehouse(database);
  const { db } = warehouse;
  return { files: readUploadFiles({ db }).reverse(), lines: db.select().from(uploads).all() };
}

/** Takes the last file back. */
export function forgetLast({ database }: Warehouse): void {
  using warehouse = openExistingWarehouse(database);
  const [last] = readUploadFiles(warehouse);
  forgetUploads(warehouse, [last?.upload_file_id ?? 0], at(NOW));
}
