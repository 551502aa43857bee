import { createHash, type Hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Warehouse } from "../warehouse.ts";

const BATCH_ROWS = 1000;
/** Below every identifier, which are safe integers. */
const BEFORE_ALL = Number.MIN_SAFE_INTEGER - 1;

/** Rows and SHA-256 of each table's content, by its name. */
export type Digest = ReadonlyMap<string, { rows: number; sha256: string }>;

/**
 * Returns a digest of every table but `transcripts`, whose text is part of the hashes in `calls` and too long to be read
 * twice. The digests of two warehouses are equal when their tables hold the same rows.
 */
export async function digestTables({ sqlite }: Warehouse, signal?: AbortSignal): Promise<Digest> {
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
    const rows = await hashRows({ sqlite }, name, hash, signal);
    digest.set(name, { rows, sha256: hash.digest("hex") });
  }
  return digest;
}

async function hashRows(
  { sqlite }: Pick<Warehouse, "sqlite">,
  table: string,
  hash: Hash,
  signal: AbortSignal | undefined,
): Promise<number> {
  const select = sqlite
    .prepare<[number], [number, ...unknown[]]>(
      `SELECT rowid, * FROM "${table}" WHERE rowid > ? ORDER BY rowid LIMIT ${BATCH_ROWS}`,
    )
    .raw();
  let count = 0;
  let last = BEFORE_ALL;
  for (;;) {
    const rows = select.all(last);
    for (const row of rows) {
      [last] = row;
      hash.update(JSON.stringify(row));
    }
    count += rows.length;
    if (rows.length < BATCH_ROWS) return count;
    await setImmediate();
    signal?.throwIfAborted();
  }
}
