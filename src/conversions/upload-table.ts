import { hash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import {
  and,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  max,
  not,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { CalltallyError, EXIT } from "../base/errors.ts";
import { hasEnded, markProcess } from "../base/process-mark.ts";
import { upload_files, uploads } from "../warehouse/schema.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

/** A file of conversions, as the ledger has it. */
export type UploadFile = typeof upload_files.$inferSelect;
export type UploadContents = UploadFile["contents"];
/** What a file says of one call. */
export type UploadLine = Omit<typeof uploads.$inferSelect, "upload_id" | "upload_file_id">;
/** A line that counts, and the run of a report that its file was written for. */
export type KnownLine = UploadLine & Pick<UploadFile, "contents" | "report_run_id">;
/** pending: its export has not ended, or was killed; replaced: of a killed export, and overwritten. */
export type UploadState = "pending" | "written" | "replaced" | "taken back";
/** A line and its file. */
export type UploadOfCall = Omit<UploadLine, "key_digest"> &
  Pick<UploadFile, "contents" | "path" | "written_at" | "forgotten_at"> & { state: UploadState };

/** A line with the click id, phone number or client id of its call; null for adjustments. */
export type NewLine = Omit<UploadLine, "key_digest"> & { key: string | null };

/** A file that is about to get its name. */
export interface UploadBatch
  extends Omit<UploadFile, "upload_file_id" | "written_at" | "process" | "caller_key" | "forgotten_at"> {
  lines: readonly NewLine[];
  /** Whether the lines were chosen by what the ledger had, so that nobody may have added to it since. */
  isChosen: boolean;
}

const { upload_id: _, upload_file_id: __, ...LINE } = getTableColumns(uploads);
const isReplaced = sql`${upload_files.upload_file_id} IN (SELECT rewrites FROM upload_files WHERE rewrites IS NOT NULL)`;
const isCounted = and(isNull(upload_files.forgotten_at), not(isReplaced));
const isPending = isNotNull(upload_files.draft);
const state = sql<UploadState>`CASE WHEN ${upload_files.forgotten_at} IS NOT NULL THEN 'taken back'
  WHEN ${isReplaced} THEN 'replaced' WHEN ${isPending} THEN 'pending' ELSE 'written' END`;
const hasFile = eq(upload_files.upload_file_id, uploads.upload_file_id);
const isOneOf = (fileIds: readonly number[]) => inArray(upload_files.upload_file_id, [...fileIds]);

/** Adjustments are of the conversions of google-ads. */
function relatedTo(contents: UploadContents): UploadContents[] {
  const adjusted: UploadContents[] = ["google-ads", "google-ads-adjustments"];
  return adjusted.includes(contents) ? adjusted : [contents];
}

/** Returns the number of the latest file, 0 for none: {@link enterUploads} asks for it. */
export function readLastUploadFile({ db }: Pick<Warehouse, "db">): number {
  return (
    db
      .select({ last: max(upload_files.upload_file_id) })
      .from(upload_files)
      .get()?.last ?? 0
  );
}

/**
 * Returns what counts as said of conversions, and adjustments of them, in the order in which it was written.
 *
 * @param rewritten files that do not count, since the export writes them again
 */
export function readUploadLines(
  { db }: Pick<Warehouse, "db">,
  contents: UploadContents,
  rewritten: readonly number[],
): KnownLine[] {
  return db
    .select({ ...LINE, contents: upload_files.contents, report_run_id: upload_files.report_run_id })
    .from(uploads)
    .innerJoin(upload_files, hasFile)
    .where(and(inArray(upload_files.contents, relatedTo(contents)), isCounted, not(isOneOf(rewritten))))
    .orderBy(uploads.upload_id)
    .all();
}

/** Returns what files have said of one call, in the order in which they were written; those that do not count as well. */
export function readUploadsOfCall({ db }: Pick<Warehouse, "db">, callId: number): UploadOfCall[] {
  const { contents, path, written_at, forgotten_at } = upload_files;
  const { key_digest: _, ...line } = LINE;
  return db
    .select({ ...line, contents, path, written_at, state, forgotten_at })
    .from(uploads)
    .innerJoin(upload_files, hasFile)
    .where(eq(uploads.call_id, callId))
    .orderBy(uploads.upload_id)
    .all();
}

/** Whether a run of a report has written a file of these contents that counts; `rewritten` as in {@link readUploadLines}. */
export function hasUploadFile(
  { db }: Pick<Warehouse, "db">,
  contents: UploadContents,
  reportRunId: number,
  rewritten: readonly number[],
): boolean {
  const isOfRun = and(eq(upload_files.report_run_id, reportRunId), eq(upload_files.contents, contents));
  const where = and(isOfRun, isCounted, not(isOneOf(rewritten)));
  return db.select().from(upload_files).where(where).get() !== undefined;
}

/** Returns the fingerprints of the keys that the digests of lines that count were made with. */
export function readUploadKeys({ db }: Pick<Warehouse, "db">): string[] {
  const { caller_key } = upload_files;
  const where = and(isCounted, isNotNull(caller_key));
  const rows = db.selectDistinct({ caller_key }).from(upload_files).where(where).all();
  return rows.flatMap((row) => row.caller_key ?? []);
}

/**
 * Enters files before they get their names. A line that an earlier file had is not entered again.
 *
 * @param after the latest file when the lines were chosen
 * @param key what digests are made with
 * @returns the number of each file, and how many of its lines were entered
 * @throws CalltallyError (exit 6) where another process has entered a file since on which the choice depends
 */
export function enterUploads(
  warehouse: Warehouse,
  batches: readonly UploadBatch[],
  {
    after,
    now,
    key,
  }: { after: number; now: string; key: { seal: (text: string) => string; fingerprint: string } },
): { upload_file_id: number; entered: number }[] {
  const { db } = warehouse;
  for (const { contents, path, isChosen } of batches) {
    if (isChosen) assertUnchanged(warehouse, { contents, path, after });
  }
  return batches.map(({ lines, isChosen, ...file }) => {
    const isConversions = lines.some((line) => line.key !== null);
    const { upload_file_id } = db
      .insert(upload_files)
      .values({
        ...file,
        written_at: now,
        process: markProcess() ?? "",
        caller_key: isConversions ? key.fingerprint : null,
      })
      .returning({ upload_file_id: upload_files.upload_file_id })
      .get();
    const isKnown = prepareIsKnown(warehouse, file.contents);
    let entered = 0;
    for (const { key: text, ...line } of lines) {
      const sealed = { ...line, key_digest: text === null ? null : key.seal(text) };
      if (!isChosen && isKnown(sealed)) continue;
      db.insert(uploads)
        .values({ upload_file_id, ...sealed })
        .run();
      entered++;
    }
    return { upload_file_id, entered };
  });
}

function assertUnchanged(
  { db }: Warehouse,
  { contents, path, after }: Pick<UploadBatch, "contents" | "path"> & { after: number },
): void {
  const isNewer = and(
    inArray(upload_files.contents, relatedTo(contents)),
    gt(upload_files.upload_file_id, after),
  );
  const newer = db.select().from(upload_files).where(isNewer).get();
  if (newer === undefined) return;
  throw new CalltallyError(
    EXIT.locked,
    `Cannot write ${path}: another export has just written ${newer.path}, and their conversions could be the same`,
    { hint: "Nothing was written. Run this again: it leaves out what that file has." },
  );
}

function prepareIsKnown({ db }: Warehouse, contents: UploadContents): (line: UploadLine) => boolean {
  const select = db
    .select({ one: sql`1` })
    .from(uploads)
    .innerJoin(upload_files, hasFile)
    .where(
      and(
        eq(uploads.call_id, sql.placeholder("call_id")),
        eq(uploads.conversion_name, sql.placeholder("conversion_name")),
        eq(uploads.key_digest, sql.placeholder("key_digest")),
        eq(upload_files.contents, contents),
        isCounted,
      ),
    )
    .prepare();
  return ({ call_id, conversion_name, key_digest }) =>
    select.get({ call_id, conversion_name, key_digest }) !== undefined;
}

/** Records that files have their names, and that nothing is left to find out about them. */
export function settleUploads({ db }: Warehouse, fileIds: readonly number[]): void {
  db.update(upload_files).set({ draft: null }).where(isOneOf(fileIds)).run();
}

/** Removes files that did not get their names, and lets the next export recover the others. */
export function undoUploads(
  { db }: Warehouse,
  { named, unnamed }: { named: readonly number[]; unnamed: readonly number[] },
): void {
  db.delete(upload_files).where(isOneOf(unnamed)).run();
  db.update(upload_files).set({ process: "" }).where(isOneOf(named)).run();
}

/**
 * Removes files of killed exports that never got their names, and returns the others, which somebody may have uploaded.
 *
 * @param resumedRunId a run of a report that was cut short before anybody was sent its files: these are returned as well
 */
export function recoverUploads(warehouse: Warehouse, resumedRunId?: number): UploadFile[] {
  const isOfRun = resumedRunId === undefined ? undefined : eq(upload_files.report_run_id, resumedRunId);
  const { db } = warehouse;
  const readLeft = (where: SQL | undefined) =>
    db
      .select()
      .from(upload_files)
      .where(where)
      .all()
      .filter(({ draft, process }) => draft === null || hasEnded(process));
  const unnamed = readLeft(isPending).filter(({ draft }) => draft !== null && existsSync(draft));
  const ids = unnamed.map(({ upload_file_id }) => upload_file_id);
  // Where one that was to replace another is dropped, the other counts again.
  if (ids.length > 0) writeTransaction(warehouse, () => undoUploads(warehouse, { named: [], unnamed: ids }));
  return readLeft(and(or(isPending, isOfRun), isCounted));
}

/** Whether a file is where it was written, as it was written. */
export function isInPlace({ path, sha256 }: Pick<UploadFile, "path" | "sha256">): boolean {
  return hashFile(path) === sha256;
}

/** Returns the SHA-256 of a file in hex; undefined where there is none. */
export function hashFile(path: string): string | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  return hash("sha256", readFileSync(path));
}

/** Returns files by their numbers. */
export function readUploadFilesById({ db }: Pick<Warehouse, "db">, fileIds: readonly number[]): UploadFile[] {
  return db.select().from(upload_files).where(isOneOf(fileIds)).all();
}

/** Returns all files, the latest first, what became of each, and how many lines of it are in the ledger. */
export function readUploadFiles({
  db,
}: Pick<Warehouse, "db">): (UploadFile & { state: UploadState; entered: number })[] {
  return db
    .select({ ...getTableColumns(upload_files), state, entered: count(uploads.upload_id) })
    .from(upload_files)
    .leftJoin(uploads, hasFile)
    .groupBy(upload_files.upload_file_id)
    .orderBy(desc(upload_files.upload_file_id))
    .all();
}

/** Returns the files with rows that count, and are still in place where others are about to be written. */
export function findReplacedUploads({ db }: Pick<Warehouse, "db">, paths: readonly string[]): UploadFile[] {
  return db
    .select()
    .from(upload_files)
    .where(and(inArray(upload_files.path, [...paths]), gt(upload_files.rows, 0), isCounted))
    .orderBy(upload_files.upload_file_id)
    .all()
    .filter(isInPlace);
}

/** Returns the files that count as uploaded and were replaced by those of killed exports, which could not say so. */
export function findReplacedBy(
  { db }: Pick<Warehouse, "db">,
  killed: readonly Pick<UploadFile, "path" | "replaced_sha256">[],
): UploadFile[] {
  return killed.flatMap(({ path, replaced_sha256 }) =>
    replaced_sha256 === null
      ? []
      : db
          .select()
          .from(upload_files)
          .where(
            and(
              eq(upload_files.path, path),
              eq(upload_files.sha256, replaced_sha256),
              not(isPending),
              isCounted,
            ),
          )
          .all(),
  );
}

/**
 * Returns the files that still stand as they were written, and tell, or may tell again what an earlier file did, of calls of
 * some forgotten callers by what those were told by: hashes of numbers, and client ids.
 */
export function findUploadsOf(
  { sqlite }: Pick<Warehouse, "sqlite">,
  pseudonyms: readonly string[],
): string[] {
  const files = sqlite.prepare<[string], { path: string; sha256: string }>(`SELECT DISTINCT f.path, f.sha256
    FROM upload_files AS f JOIN upload_files AS told ON told.contents = f.contents AND told.upload_file_id <= f.upload_file_id
      JOIN uploads AS u ON u.upload_file_id = told.upload_file_id
      JOIN call_facts AS c ON c.call_id = u.call_id
      JOIN forgotten_callers AS g ON g.pseudonym = c.caller
    WHERE f.contents IN ('google-leads', 'ga4-events') AND f.written_at <= g.forgotten_at
      AND g.pseudonym IN (SELECT value FROM json_each(?))`);
  return files
    .all(JSON.stringify(pseudonyms))
    .filter(isInPlace)
    .map(({ path }) => path);
}

/** Takes files back: what they have said counts as never said. */
export function forgetUploads({ db }: Warehouse, fileIds: readonly number[], now: string): void {
  db.update(upload_files)
    .set({ forgotten_at: now })
    .where(and(isOneOf(fileIds), isCounted))
    .run();
}
