import { createHash, type Hash } from "node:crypto";
import type { Database } from "better-sqlite3";
import { paced } from "../../base/paced.ts";
import type { Warehouse } from "../warehouse.ts";

export type Digest = ReadonlyMap<string, { rows: number; sha256: string }>;

/** Omits `transcripts`, which the hashes in `calls` cover. Nothing may be written meanwhile: each table is one long read. */
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
    const rows = await hashRows(sqlite, name, hash, signal);
    digest.set(name, { rows, sha256: hash.digest("hex") });
  }
  return digest;
}

async function hashRows(
  sqlite: Database,
  table: string,
  hash: Hash,
  signal: AbortSignal | undefined,
): Promise<number> {
  const rows = sqlite.prepare<[], unknown[]>(`SELECT rowid, * FROM "${table}" ORDER BY rowid`).raw();
  let count = 0;
  for await (const row of paced(rows.iterate(), signal)) {
    hash.update(JSON.stringify(row));
    count++;
  }
  return count;
}
