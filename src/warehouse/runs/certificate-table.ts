import { createHash } from "node:crypto";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { desc, eq, getTableColumns, lte, sql } from "drizzle-orm";
import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { about, describeTable } from "../described.ts";
import type { Tx } from "../transaction.ts";
import type { Reader } from "../warehouse.ts";
import { sync_runs } from "./runs.ts";

const columns = {
  run_id: about(
    integer()
      .primaryKey()
      .references(() => sync_runs.run_id, { onDelete: "cascade" }),
    "The full pass in `sync_runs`.",
  ),
  made_at: about(text().notNull(), "When the pass ended, ISO 8601 UTC."),
  sha256: about(text().notNull(), "SHA-256 of the lines, hexadecimal."),
  lines: about(
    blob({ mode: "buffer" }).notNull(),
    "The certificate, compressed by zstd; `calltally verify --write` writes it as text.",
  ),
};

export const certificates = sqliteTable("certificates", columns);
export const CERTIFICATES = describeTable(
  certificates,
  "What the verdicts of proven full passes are proven by: of the last one, and of those that files rest on.",
);

/** Certificates besides the last one, however many files there are. */
const MAX_KEPT = 100;
/** Of text: more than that of ten million calls. */
const MAX_BYTES = 1_000_000_000;

const { lines: _, ...SHOWN } = getTableColumns(certificates);
export type CertificateMark = Omit<typeof certificates.$inferSelect, "lines">;

/** Keeps the certificate of a pass that has ended, and those that the latest file at a path rests on. */
export function insertCertificate({ db }: Tx, runId: number, madeAt: string, lines: Iterable<string>): void {
  const texts: Buffer[] = [];
  const hash = createHash("sha256");
  for (const line of lines) {
    const bytes = Buffer.from(`${line}\n`);
    hash.update(bytes);
    texts.push(bytes);
  }
  const compressed = zstdCompressSync(Buffer.concat(texts));
  db.insert(certificates)
    .values({ run_id: runId, made_at: madeAt, sha256: hash.digest("hex"), lines: compressed })
    .run();
  db.run(sql`DELETE FROM certificates WHERE run_id NOT IN (
    SELECT max(run_id) FROM certificates
    UNION SELECT * FROM (
      SELECT DISTINCT (SELECT max(run_id) FROM certificates WHERE run_id <= latest.run_id) FROM (
        SELECT run_id, max(export_id) FROM exports WHERE exported_at IS NOT NULL GROUP BY path
      ) AS latest WHERE latest.run_id IS NOT NULL ORDER BY 1 DESC LIMIT ${MAX_KEPT}
    ))`);
}

/** Returns the certificate that a run rests on: its own, or that of the last proven pass before. @default the last run */
export function readCertificateMark({ db }: Reader, runId?: number): CertificateMark | undefined {
  const marks = db.select(SHOWN).from(certificates).orderBy(desc(certificates.run_id)).limit(1).$dynamic();
  return (runId === undefined ? marks : marks.where(lte(certificates.run_id, runId))).get();
}

/** Returns the text of a certificate. @throws Error if it is damaged */
export function readCertificate({ db }: Reader, runId: number): string {
  const row = db
    .select({ lines: certificates.lines })
    .from(certificates)
    .where(eq(certificates.run_id, runId))
    .get();
  if (row === undefined) throw new Error(`There is no certificate of run ${runId}`);
  return zstdDecompressSync(row.lines, { maxOutputLength: MAX_BYTES }).toString();
}
