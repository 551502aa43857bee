import { createHash } from "node:crypto";
import { closeSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { fsyncPath } from "../../base/folder.ts";
import { paced } from "../../base/paced.ts";
import { findDamagedCalls } from "../../warehouse/attribution/check-calls.ts";
import { describeDamaged } from "../../warehouse/attribution/named-calls.ts";
import { DamagedError } from "../../warehouse/file/damage.ts";
import { findDamage } from "../../warehouse/file/integrity.ts";
import { connect, openReader } from "../../warehouse/file/open.ts";
import { adviseOnSqlite, isDamage, sqliteErrorOf } from "../../warehouse/file/sqlite-errors.ts";
import { readCertificateMark } from "../../warehouse/runs/certificate-table.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { verifyCertificate } from "../verify/verify-warehouse.ts";

const PAGES_A_STEP = 1000;

type Digest = ReadonlyMap<string, { rows: number; sha256: string }>;

export interface CopySummary {
  bytes: number;
  calls: number;
  runs: number;
}

/**
 * Copies a warehouse that may be in use into a new file without a log. The copy is synced to disk and checked: by
 * SQLite's own check, the rows of every table, the recomputed hash of every call, and the last certificate.
 * @throws CalltallyError (exit 7) if one of the two cannot be read or written, or the source is damaged
 */
export async function copyWarehouse(
  source: string,
  draft: string,
  signal?: AbortSignal,
): Promise<CopySummary> {
  try {
    const digest = await copyPages(source, draft, signal);
    leaveWal(draft);
    fsyncPath(draft);
    return await checkCopy(source, draft, digest, signal);
  } catch (error) {
    const cause = sqliteErrorOf(error);
    if (cause === undefined) throw error;
    if (isDamage(cause)) throw new DamagedError(source, `${cause.message} (${cause.code})`);
    throw new CalltallyError(EXIT.storage, `Cannot copy ${source} into ${dirname(draft)} (${cause.code})`, {
      cause,
      hint: adviseOnSqlite(cause, [draft, source]),
    });
  }
}

/** In a read transaction: otherwise SQLite restarts after each write of another process, forever during a long sync. */
async function copyPages(source: string, draft: string, signal: AbortSignal | undefined): Promise<Digest> {
  using reader = openReader(source, { anySchema: true });
  reader.sqlite.exec("BEGIN");
  const digest = await digestTables(reader, signal);
  // SQLite would make it readable for others.
  closeSync(openSync(draft, "wx", 0o600));
  const progress = () => {
    signal?.throwIfAborted();
    return PAGES_A_STEP;
  };
  await reader.sqlite.backup(draft, { progress });
  return digest;
}

function leaveWal(draft: string): void {
  const sqlite = new Database(draft);
  try {
    sqlite.pragma("journal_mode = DELETE");
  } finally {
    sqlite.close();
  }
}

async function checkCopy(
  source: string,
  draft: string,
  digest: Digest,
  signal: AbortSignal | undefined,
): Promise<CopySummary> {
  using copy = connect({ path: draft });
  const damage = findDamage(copy);
  if (damage !== undefined) throw new DamagedError(source, damage);
  const copied = await digestTables(copy, signal);
  for (const [table, { sha256 }] of digest) {
    if (copied.get(table)?.sha256 === sha256) continue;
    throw new CalltallyError(EXIT.storage, `The copy of ${source} differs from it in the table ${table}`, {
      hint: "Run it again; if it differs again, check the disks and the memory of this machine.",
    });
  }
  const damaged = await findDamagedCalls(copy, signal);
  if (damaged.length > 0) throw new DamagedError(source, describeDamaged(damaged));
  const mark = readCertificateMark(copy);
  for (const { holds, message } of mark === undefined ? [] : verifyCertificate(copy, mark))
    if (!holds) throw new DamagedError(source, message);
  const rowsOf = (table: string) => copied.get(table)?.rows ?? 0;
  return { bytes: statSync(draft).size, calls: rowsOf("calls"), runs: rowsOf("sync_runs") };
}

/** Omits `transcripts`, which the hashes in `calls` cover. Nothing may be written meanwhile: each table is one long read. */
async function digestTables({ sqlite }: Reader, signal?: AbortSignal): Promise<Digest> {
  const names = sqlite
    .prepare<[], string>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        AND name <> 'transcripts' ORDER BY name`,
    )
    .pluck()
    .all();
  const digest = new Map<string, { rows: number; sha256: string }>();
  for (const name of names) {
    const hash = createHash("sha256");
    let rows = 0;
    const read = sqlite.prepare<[], unknown[]>(`SELECT rowid, * FROM "${name}" ORDER BY rowid`).raw();
    for await (const row of paced(read.iterate(), signal)) {
      hash.update(JSON.stringify(row));
      rows++;
    }
    digest.set(name, { rows, sha256: hash.digest("hex") });
  }
  return digest;
}
