import { existsSync } from "node:fs";
import { and, eq, gt, inArray, isNotNull, isNull, max, not, or, type SQL, sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { hashFile } from "../../base/folder.ts";
import { hasEnded } from "../../base/process-mark.ts";
import { ADJUSTMENTS, adjustedBy, isAdjustments, UPLOADS } from "../../config/request/conversion-kinds.ts";
import { type CallerHash, openCallerHash } from "../../warehouse/calls/caller-hash.ts";
import { openSameKey } from "../../warehouse/calls/caller-key.ts";
import { about, describeTable } from "../../warehouse/described.ts";
import { writeTransaction } from "../../warehouse/transaction.ts";
import type { Reader, Warehouse } from "../../warehouse/warehouse.ts";

export type UploadContents = (typeof UPLOADS)[number];

const columns = {
  upload_file_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the file."),
  contents: about(
    text().$type<UploadContents>().notNull(),
    `Its contents, as \`export\` names them: ${UPLOADS.join(", ")}.`,
  ),
  path: about(text().notNull(), "Absolute path."),
  sha256: about(text().notNull(), "SHA-256 of its bytes, hexadecimal."),
  rows: about(integer().notNull(), "Its conversions or adjustments; repeated ones are in `uploads` once."),
  written_at: about(text().notNull(), "When it was written, ISO 8601 UTC."),
  draft: about(
    text(),
    "Absolute path of its draft until its export has ended, then null. If the draft of a killed export still exists, the file was never renamed.",
  ),
  process: about(text().notNull(), "The writing process, as in `report_runs`; empty if its export failed."),
  rewrites: about(integer(), "File of a killed export that it replaces, whose lines are due again."),
  replaced_sha256: about(text(), "SHA-256 of the uploaded file that it replaced; null for none."),
  caller_key: about(text(), "Fingerprint of the key of `uploads.key_digest`; null without conversions."),
  report_run_id: about(integer(), "The report run that it was written for; null for an export by hand."),
  forgotten_at: about(text(), "When `uploads forget` took it back, ISO 8601 UTC; null while it counts."),
};

export const upload_files = sqliteTable("upload_files", columns, (table) => [
  index("upload_files_path").on(table.path),
]);
export const UPLOAD_FILES = describeTable(upload_files, "Files of conversions, written for upload.");

export type UploadFile = typeof upload_files.$inferSelect;
/** pending: its export is running, or was killed; replaced: from a killed export, and overwritten. */
export type UploadState = "pending" | "written" | "replaced" | "taken back";

const isReplaced = sql`${upload_files.upload_file_id} IN (SELECT rewrites FROM upload_files WHERE rewrites IS NOT NULL)`;
const isPending = isNotNull(upload_files.draft);
export const isCounted = and(isNull(upload_files.forgotten_at), not(isReplaced));
export const idsOf = (files: readonly UploadFile[]) => files.map(({ upload_file_id }) => upload_file_id);
export const isOneOf = (fileIds: readonly number[]) => inArray(upload_files.upload_file_id, [...fileIds]);
export const state = sql<UploadState>`CASE WHEN ${upload_files.forgotten_at} IS NOT NULL THEN 'taken back'
  WHEN ${isReplaced} THEN 'replaced' WHEN ${isPending} THEN 'pending' ELSE 'written' END`;

/** Returns a kind of conversions and its adjustments, which depend on each other. */
export function relatedTo(contents: UploadContents): UploadContents[] {
  const kind = isAdjustments(contents) ? adjustedBy(contents) : contents;
  return [kind, ...ADJUSTMENTS.filter((each) => adjustedBy(each) === kind)];
}

export function readLastUploadFile({ db }: Pick<Reader, "db">): number {
  const latest = db
    .select({ id: max(upload_files.upload_file_id) })
    .from(upload_files)
    .get();
  return latest?.id ?? 0;
}

/** Whether a report run has written a file of these contents that counts; `rewritten` as in `readUploadLines`. */
export function hasUploadFile(
  warehouse: Pick<Reader, "db">,
  contents: UploadContents,
  reportRunId: number,
  rewritten: readonly number[],
): boolean {
  const isOfRun = and(eq(upload_files.report_run_id, reportRunId), eq(upload_files.contents, contents));
  return readWhere(warehouse, and(isOfRun, isCounted, not(isOneOf(rewritten)))).length > 0;
}

export function readUploadKeys({ db }: Pick<Reader, "db">): string[] {
  const { caller_key } = upload_files;
  const where = and(isCounted, isNotNull(caller_key));
  const rows = db.selectDistinct({ caller_key }).from(upload_files).where(where).all();
  return rows.flatMap((row) => row.caller_key ?? []);
}

/** @throws CalltallyError (exit 6) if a file of the same conversions was entered since `after` */
export function assertUnchanged(
  warehouse: Reader,
  { contents, path, after }: Pick<UploadFile, "contents" | "path"> & { after: number },
): void {
  const isRelated = inArray(upload_files.contents, relatedTo(contents));
  const [newer] = readWhere(warehouse, and(isRelated, gt(upload_files.upload_file_id, after)));
  if (newer === undefined) return;
  throw new CalltallyError(
    EXIT.locked,
    `Cannot write ${path}: another export has just written ${newer.path}, with conversions that could overlap`,
    { hint: "Nothing was written. Run this again: it leaves out the conversions of that file." },
  );
}

export function settleUploads({ db }: Warehouse, fileIds: readonly number[]): void {
  db.update(upload_files).set({ draft: null }).where(isOneOf(fileIds)).run();
}

/** Removes files that were not renamed, and lets the next export recover the others. */
export function undoUploads(
  { db }: Warehouse,
  { named, unnamed }: { named: readonly number[]; unnamed: readonly number[] },
): void {
  db.delete(upload_files).where(isOneOf(unnamed)).run();
  db.update(upload_files).set({ process: "" }).where(isOneOf(named)).run();
}

/**
 * Removes files of killed exports that were never renamed, and returns the others, which may have been uploaded.
 * @param resumedRunId an interrupted report run whose files nobody received: these are returned, too
 */
export function recoverUploads(warehouse: Warehouse, resumedRunId?: number): UploadFile[] {
  const isOfRun = resumedRunId === undefined ? undefined : eq(upload_files.report_run_id, resumedRunId);
  const readLeft = (where: SQL | undefined) =>
    readWhere(warehouse, where).filter(({ draft, process }) => draft === null || hasEnded(process));
  const unnamed = readLeft(isPending).filter(({ draft }) => draft !== null && existsSync(draft));
  const ids = idsOf(unnamed);
  // If a file that was to replace another is dropped, the other counts again.
  if (ids.length > 0) writeTransaction(warehouse, () => undoUploads(warehouse, { named: [], unnamed: ids }));
  return readLeft(and(or(isPending, isOfRun), isCounted));
}

function readWhere({ db }: Pick<Reader, "db">, where: SQL | undefined): UploadFile[] {
  return db.select().from(upload_files).where(where).orderBy(upload_files.upload_file_id).all();
}

export function isInPlace({ path, sha256 }: Pick<UploadFile, "path" | "sha256">): boolean {
  return hashFile(path) === sha256;
}

/** Returns the files with rows that count, and that are about to be overwritten. */
export function findReplacedUploads(warehouse: Pick<Reader, "db">, paths: readonly string[]) {
  const isMeant = and(inArray(upload_files.path, [...paths]), gt(upload_files.rows, 0), isCounted);
  return readWhere(warehouse, isMeant).filter(isInPlace);
}

/** Returns the files that count as uploaded and were overwritten by killed exports, which could not report it. */
export function findReplacedBy(
  warehouse: Pick<Reader, "db">,
  killed: readonly Pick<UploadFile, "path" | "replaced_sha256">[],
): UploadFile[] {
  return killed.flatMap(({ path, replaced_sha256 }) => {
    if (replaced_sha256 === null) return [];
    const isIt = and(eq(upload_files.path, path), eq(upload_files.sha256, replaced_sha256));
    return readWhere(warehouse, and(isIt, not(isPending), isCounted));
  });
}

export function forgetUploads({ db }: Warehouse, fileIds: readonly number[], now: string): void {
  db.update(upload_files)
    .set({ forgotten_at: now })
    .where(and(isOneOf(fileIds), isCounted))
    .run();
}

/** @throws CalltallyError (exit 7) if the key of existing digests is missing: earlier conversions would be reported again */
export function openUploadKey(warehouse: Pick<Reader, "db" | "path">): CallerHash {
  const { path } = warehouse;
  const keys = readUploadKeys(warehouse);
  const open = () => openCallerHash(path);
  if (keys.length === 0) return open();
  return openSameKey(path, open, ({ fingerprint }) => keys.every((each) => each === fingerprint), {
    use: "compare conversions with earlier uploads: the key of their digests",
    hint: "Put the key back from a backup. If it is lost for good, take back the files of `calltally uploads list` with `calltally uploads forget`; the next file then contains their conversions again.",
  });
}
