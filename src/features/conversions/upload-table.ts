import { and, count, desc, eq, getTableColumns, inArray, not, sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { markProcess } from "../../base/process-mark.ts";
import { QUALIFY } from "../../config/request/option-values.ts";
import type { CallerHash } from "../../warehouse/calls/caller-hash.ts";
import { about, describeTable } from "../../warehouse/described.ts";
import type { Reader, Warehouse } from "../../warehouse/warehouse.ts";
import { NAMING_PEOPLE } from "./conversion-kinds.ts";
import {
  assertUnchanged,
  isCounted,
  isInPlace,
  isOneOf,
  relatedTo,
  state,
  type UploadContents,
  type UploadFile,
  upload_files,
} from "./upload-files.ts";

const columns = {
  upload_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the line."),
  upload_file_id: about(
    integer()
      .notNull()
      .references(() => upload_files.upload_file_id, { onDelete: "cascade" }),
    "The file in `upload_files`.",
  ),
  conversion_name: about(text().notNull(), "Name of the conversion action, or of the event."),
  call_id: about(integer().notNull(), "The call, which may be gone since."),
  key_digest: about(
    text(),
    "Keyed digest of the click id, phone number or client id in the file; null for adjustments.",
    "digest",
  ),
  order_id: about(
    text(),
    "Identifies the conversion in adjustments: `call-` and the call id, after a retraction with `-2` and so on; null if the file did not contain one.",
  ),
  action: about(
    text({ enum: ["convert", "retract", "restate"] }).notNull(),
    "convert, or of an earlier conversion: retract, or restate its value.",
  ),
  reason: about(text(), "Why it was retracted, e.g. not qualified; null for other lines."),
  value: about(text(), "The value in the file; null for none."),
  currency: about(text(), "The currency of the value, ISO 4217; null for none."),
  occurred_at: about(text().notNull(), "Time of conversion or adjustment as in the file, ISO 8601 UTC."),
  is_every: about(
    integer({ mode: "boolean" }).notNull(),
    "1 if each qualified call of a click or caller counted, not only the first.",
  ),
  qualify: about(
    text({ enum: QUALIFY }).notNull(),
    "What made the call a conversion: qualified, or a job that was booked or sold.",
  ),
};

export const uploads = sqliteTable("uploads", columns, (table) => [
  index("uploads_call").on(table.call_id),
  index("uploads_file").on(table.upload_file_id),
]);
export const UPLOADS = describeTable(
  uploads,
  "The lines of those files, in order. Contains no click ids and phone numbers, only keyed digests of them.",
);

export type UploadLine = Omit<typeof uploads.$inferSelect, "upload_id" | "upload_file_id">;
/** A line that counts, and the report run that its file was written for. */
export type KnownLine = UploadLine & Pick<UploadFile, "contents" | "report_run_id">;

/** A line with the click id, phone number or client id of its call; null for adjustments. */
export type NewLine = Omit<UploadLine, "key_digest"> & { key: string | null };

export interface UploadBatch
  extends Omit<UploadFile, "upload_file_id" | "written_at" | "process" | "caller_key" | "forgotten_at"> {
  lines: readonly NewLine[];
  /** Whether the lines depend on the ledger, so that nobody may have added to it since. */
  isChosen: boolean;
}

const { upload_id: _, upload_file_id: __, ...LINE } = getTableColumns(uploads);
const hasFile = eq(upload_files.upload_file_id, uploads.upload_file_id);

/** Returns lines in the order written. @param rewritten files that do not count, since the export writes them again */
export function readUploadLines(
  { db }: Pick<Reader, "db">,
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

export function readUploadsOfCall({ db }: Pick<Reader, "db">, callId: number) {
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

export type EnteredFile = ReturnType<typeof enterUploads>[number];

/**
 * Enters files before they are renamed. A line that an earlier file had is not entered again.
 * @param options.after the latest file when the lines were chosen
 * @param options.key makes the digests
 * @throws CalltallyError (exit 6) if another process has since entered a file on which the choice depends
 */
export function enterUploads(
  warehouse: Warehouse,
  batches: readonly UploadBatch[],
  { after, now, key }: { after: number; now: string; key: Pick<CallerHash, "seal" | "fingerprint"> },
) {
  const { db } = warehouse;
  for (const { contents, path, isChosen } of batches) {
    if (isChosen) assertUnchanged(warehouse, { contents, path, after });
  }
  return batches.map(({ lines, isChosen, ...file }) => {
    const isConversions = lines.some((line) => line.key !== null);
    const caller_key = isConversions ? key.fingerprint : null;
    const values = { ...file, written_at: now, process: markProcess() ?? "", caller_key };
    const row = db.insert(upload_files).values(values).returning().get();
    const isKnown = prepareIsKnown(warehouse, file.contents);
    const { upload_file_id } = row;
    let entered = 0;
    for (const { key: text, ...line } of lines) {
      const sealed = { ...line, upload_file_id, key_digest: text === null ? null : key.seal(text) };
      if (!isChosen && isKnown(sealed)) continue;
      db.insert(uploads).values(sealed).run();
      entered++;
    }
    return { row, entered, isChosen };
  });
}

function prepareIsKnown({ db }: Reader, contents: UploadContents): (line: UploadLine) => boolean {
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

/** Returns all files, latest first, with their state and number of lines in the ledger. */
export function readUploadFiles({ db }: Pick<Reader, "db">) {
  return db
    .select({ ...getTableColumns(upload_files), state, entered: count(uploads.upload_id) })
    .from(upload_files)
    .leftJoin(uploads, hasFile)
    .groupBy(upload_files.upload_file_id)
    .orderBy(desc(upload_files.upload_file_id))
    .all();
}

/** Returns unchanged files with hashed numbers or client ids of forgotten callers, or that may repeat such a file. */
export function findUploadsOf({ sqlite }: Pick<Reader, "sqlite">, pseudonyms: readonly string[]) {
  const files = sqlite.prepare<
    [{ kinds: string; pseudonyms: string }],
    { path: string; sha256: string }
  >(`SELECT DISTINCT f.path, f.sha256
    FROM upload_files AS f JOIN upload_files AS earlier ON earlier.contents = f.contents AND earlier.upload_file_id <= f.upload_file_id
      JOIN uploads AS u ON u.upload_file_id = earlier.upload_file_id
      JOIN call_facts AS facts ON facts.call_id = u.call_id JOIN callers AS c ON c.caller_id = facts.caller_id
      JOIN forgotten_callers AS g ON g.pseudonym = c.caller
    WHERE f.contents IN (SELECT value FROM json_each(@kinds)) AND f.written_at <= g.forgotten_at
      AND g.pseudonym IN (SELECT value FROM json_each(@pseudonyms))`);
  return files
    .all({ kinds: JSON.stringify(NAMING_PEOPLE), pseudonyms: JSON.stringify(pseudonyms) })
    .filter(isInPlace)
    .map(({ path }) => path);
}
