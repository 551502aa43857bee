import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { and, count, desc, eq, getTableColumns, gt, inArray, isNull, max, sql } from "drizzle-orm";
import { CalltallyError, EXIT } from "../errors.ts";
import { hasEnded, markProcess } from "../process-mark.ts";
import type { Warehouse } from "./open.ts";
import { upload_files, uploads } from "./schema.ts";
import { writeTransaction } from "./transaction.ts";

/** A file of conversions, as the ledger has it. */
export type UploadFile = typeof upload_files.$inferSelect;
export type UploadContents = UploadFile["contents"];
/** What a file says of one call. */
export type UploadLine = Omit<typeof uploads.$inferSelect, "upload_id" | "upload_file_id">;
/** A line that counts, and the run of a report that its file was written for. */
export type KnownLine = UploadLine & Pick<UploadFile, "contents" | "report_run_id">;
/** A line and its file. */
export type UploadOfCall = UploadLine &
  Pick<UploadFile, "contents" | "path" | "written_at" | "state" | "forgotten_at">;

/** A file that is about to get its name. */
export interface UploadBatch extends Pick<UploadFile, "contents" | "path" | "sha256" | "rows"> {
  lines: readonly UploadLine[];
  /** Whether the lines were chosen by what the ledger had, so that nobody may have added to it since. */
  isChosen: boolean;
  /** Null for an export by hand. */
  reportRunId: number | null;
}

const { upload_id: _, upload_file_id: __, ...LINE } = getTableColumns(uploads);
const isCounted = isNull(upload_files.forgotten_at);
const hasFile = eq(upload_files.upload_file_id, uploads.upload_file_id);

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

/** Returns what counts as said of conversions, and adjustments of them, in the order in which it was written. */
export function readUploadLines({ db }: Pick<Warehouse, "db">, contents: UploadContents): KnownLine[] {
  return db
    .select({ ...LINE, contents: upload_files.contents, report_run_id: upload_files.report_run_id })
    .from(uploads)
    .innerJoin(upload_files, hasFile)
    .where(and(inArray(upload_files.contents, relatedTo(contents)), isCounted))
    .orderBy(uploads.upload_id)
    .all();
}

/** Returns what files have said of one call, in the order in which they were written; those that were taken back as well. */
export function readUploadsOfCall({ db }: Pick<Warehouse, "db">, callId: number): UploadOfCall[] {
  const { contents, path, written_at, state, forgotten_at } = upload_files;
  return db
    .select({ ...LINE, contents, path, written_at, state, forgotten_at })
    .from(uploads)
    .innerJoin(upload_files, hasFile)
    .where(eq(uploads.call_id, callId))
    .orderBy(uploads.upload_id)
    .all();
}

/** Whether a run of a report has written a file of these contents that counts. */
export function hasUploadFile(
  { db }: Pick<Warehouse, "db">,
  contents: UploadContents,
  reportRunId: number,
): boolean {
  const isOfRun = and(eq(upload_files.report_run_id, reportRunId), eq(upload_files.contents, contents));
  return db.select().from(upload_files).where(and(isOfRun, isCounted)).get() !== undefined;
}

/**
 * Records files before they get their names, so that whatever is killed then leaves no conversion that nobody knows of.
 * What an earlier file had is not entered again.
 *
 * @param after the latest file when the lines were chosen
 * @returns the numbers of the files
 * @throws CalltallyError (exit 6) where another process has recorded one since on which the choice depends
 */
export function enterUploads(
  warehouse: Warehouse,
  batches: readonly UploadBatch[],
  { after, now }: { after: number; now: string },
): number[] {
  const { db } = warehouse;
  return writeTransaction(warehouse, () => {
    for (const { contents, path, isChosen } of batches) {
      if (isChosen) assertUnchanged(warehouse, { contents, path, after });
    }
    return batches.map(({ lines, isChosen, reportRunId, ...file }) => {
      const { upload_file_id } = db
        .insert(upload_files)
        .values({
          ...file,
          written_at: now,
          state: "pending",
          process: markProcess() ?? "",
          report_run_id: reportRunId,
        })
        .returning({ upload_file_id: upload_files.upload_file_id })
        .get();
      const isKnown = prepareIsKnown(warehouse, file.contents);
      for (const line of lines) {
        if (isChosen || !isKnown(line))
          db.insert(uploads)
            .values({ upload_file_id, ...line })
            .run();
      }
      return upload_file_id;
    });
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
        eq(uploads.action, "convert"),
        eq(upload_files.contents, contents),
        isCounted,
      ),
    )
    .prepare();
  return ({ call_id, conversion_name }) => select.get({ call_id, conversion_name }) !== undefined;
}

/** Records that an export has come to its end, and its files count. */
export function settleUploads({ db }: Warehouse, fileIds: readonly number[]): void {
  db.update(upload_files)
    .set({ state: "written" })
    .where(inArray(upload_files.upload_file_id, [...fileIds]))
    .run();
}

/**
 * Tidies up after exports that did not come to their end. A file that has its name counts, and stays pending: whoever
 * started that export may not know of it, and starts it again. What has no name, or is about to be replaced by such an
 * export, is taken out of the ledger.
 *
 * @param replaced paths of files that are about to be written
 * @param own files of this process that did not get their names. @default those of processes that have ended
 */
export function recoverUploads(
  warehouse: Warehouse,
  { replaced = [], own }: { replaced?: readonly string[]; own?: readonly number[] } = {},
): void {
  const { db } = warehouse;
  const isPending = eq(upload_files.state, "pending");
  // Nearly always there is none: no reason to wait for another process that writes.
  if (db.select().from(upload_files).where(isPending).get() === undefined) return;
  writeTransaction(warehouse, () => {
    const left = db.select().from(upload_files).where(isPending).all();
    const dropped = left.filter(({ upload_file_id, path, sha256, process }) => {
      const isLeft = own?.includes(upload_file_id) ?? hasEnded(process);
      return isLeft && (replaced.includes(path) || hashFile(path) !== sha256);
    });
    db.delete(upload_files)
      .where(
        inArray(
          upload_files.upload_file_id,
          dropped.map(({ upload_file_id }) => upload_file_id),
        ),
      )
      .run();
  });
}

/** Returns the SHA-256 of a file in hex; undefined where there is none. */
export function hashFile(path: string): string | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  return hash("sha256", readFileSync(path));
}

/** Returns all files, the latest first, and how many lines of each are in the ledger. */
export function readUploadFiles({ db }: Pick<Warehouse, "db">): (UploadFile & { entered: number })[] {
  return db
    .select({ ...getTableColumns(upload_files), entered: count(uploads.upload_id) })
    .from(upload_files)
    .leftJoin(uploads, hasFile)
    .groupBy(upload_files.upload_file_id)
    .orderBy(desc(upload_files.upload_file_id))
    .all();
}

/** Returns the files with rows, not taken back, that still stand where others are about to be written. */
export function findReplacedUploads({ db }: Pick<Warehouse, "db">, paths: readonly string[]): UploadFile[] {
  return db
    .select()
    .from(upload_files)
    .where(and(inArray(upload_files.path, [...paths]), gt(upload_files.rows, 0), isCounted))
    .orderBy(upload_files.upload_file_id)
    .all()
    .filter(({ path, sha256 }) => hashFile(path) === sha256);
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
    .filter(({ path, sha256 }) => hashFile(path) === sha256)
    .map(({ path }) => path);
}

/** Takes files back: what they have said counts as never said. */
export function forgetUploads({ db }: Warehouse, fileIds: readonly number[], now: string): void {
  db.update(upload_files)
    .set({ forgotten_at: now })
    .where(and(inArray(upload_files.upload_file_id, [...fileIds]), isCounted))
    .run();
}

/** Takes back the files of a run of a report that nobody has been sent. */
export function forgetUploadsOfRun({ db }: Warehouse, reportRunId: number, now: string): void {
  db.update(upload_files)
    .set({ forgotten_at: now })
    .where(and(eq(upload_files.report_run_id, reportRunId), isCounted))
    .run();
}
