import { copyFileSync, existsSync } from "node:fs";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { makeTempFolder } from "../support/temp-folder.ts";

/** The contents of a warehouse: rows of each table as JSON, in the order of its key; and its contradictions. */
export type Dump = Record<Table | "contradictions", string[]>;

type Table = keyof typeof KEYS;

const KEYS = {
  calls: "call_id",
  transcripts: "call_id",
  call_facts: "call_id",
  callers: "caller",
  counts: "name",
  rejected_calls: "row_key",
} as const;
const KINDS = [
  "calls",
  "transcripts",
  "call_facts",
  "callers",
  "counts",
  "rejected_calls",
  "contradictions",
] as const satisfies readonly (keyof Dump)[];

/** Columns that name the run or the moment of a change, which do not matter here. */
const BOOKKEEPING = new Set(["first_run_id", "changed_run_id", "last_run_id", "changed_ms"]);

/** With the names of callers in place of their ids. */
const SOURCES: Partial<Record<Table, string>> = {
  call_facts: "SELECT * FROM call_facts LEFT JOIN callers USING (caller_id)",
};

/** Each finds rows that a warehouse must not have, whenever its process was killed. */
const CONTRADICTIONS = {
  "pages name calls that do not exist": `SELECT page.run_id, page.seq, id.value
    FROM sync_pages AS page, json_each(page.call_ids) AS id
    WHERE id.value NOT IN (SELECT call_id FROM calls)
      AND id.value NOT IN (SELECT call_id FROM rejected_calls WHERE call_id IS NOT NULL)`,
  "runs that are done have read more calls than there are": `SELECT run_id, calls_read
    FROM sync_runs WHERE status = 'done' AND calls_read >
      (SELECT count(*) FROM calls) + (SELECT count(*) FROM rejected_calls WHERE call_id IS NOT NULL)`,
  "calls have no facts, or facts of another time": `SELECT c.call_id FROM calls AS c
    LEFT JOIN call_facts AS f ON f.call_id = c.call_id
    WHERE f.call_id IS NULL OR f.call_started IS NOT c.call_started OR f.is_live <> (c.gone_at IS NULL)`,
  "callers are not those of the calls": `SELECT caller_id FROM callers
    WHERE NOT EXISTS (SELECT 1 FROM counts WHERE name = 'unsettled_calls')
    EXCEPT SELECT caller_id FROM call_facts EXCEPT SELECT caller_id FROM fact_changes`,
  "callers have no first call, or several": `SELECT caller_id FROM call_facts
    WHERE caller_id IS NOT NULL GROUP BY caller_id HAVING sum(is_first_call) <> max(is_live)
      AND NOT EXISTS (SELECT 1 FROM counts WHERE name = 'unsettled_calls')`,
  "calls are not counted": `SELECT value FROM counts WHERE name = 'calls' AND value <> (SELECT count(*) FROM calls)`,
};

/** @throws Error if the file is damaged */
export function dumpWarehouse(path: string): Dump {
  return readCopy(path, (database) => {
    const rows = (table: Table) => dumpTable(database, table);
    return {
      calls: rows("calls"),
      transcripts: rows("transcripts"),
      call_facts: rows("call_facts"),
      callers: rows("callers"),
      counts: rows("counts"),
      rejected_calls: rows("rejected_calls"),
      contradictions: findContradictions(database),
    };
  });
}

/** A file that an export has recorded. */
export interface RecordedFile {
  path: string;
  sha256: string;
  exported_at: string | null;
}

/** Returns the recorded files, the last ones last. @throws Error if the warehouse is damaged */
export function readRecorded(path: string): RecordedFile[] {
  const sql = "SELECT path, sha256, exported_at FROM exports ORDER BY export_id";
  return readCopy(path, (database) => database.prepare<[], RecordedFile>(sql).all());
}

/** Reads a copy, so that the next run finds the files as the last one left them. */
function readCopy<T>(path: string, read: (database: Database.Database) => T): T {
  using folder = makeTempFolder();
  const copy = join(folder.path, basename(path));
  for (const suffix of ["", "-wal", "-journal"]) {
    if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
  }
  const database = new Database(copy, { fileMustExist: true });
  try {
    const integrity = database.pragma("integrity_check", { simple: true });
    if (integrity !== "ok") throw new Error(`${path} is damaged: ${integrity}`);
    return read(database);
  } finally {
    database.close();
  }
}

/** Returns the differences of two dumps, one line per row; nothing if they are equal. */
export function compareDumps(expected: Dump, found: Dump): string[] {
  return KINDS.flatMap((kind) => {
    const wanted = new Set(expected[kind]);
    const there = new Set(found[kind]);
    return [
      ...expected[kind].filter((row) => !there.has(row)).map((row) => `${kind} lacks ${row}`),
      ...found[kind].filter((row) => !wanted.has(row)).map((row) => `${kind} has ${row}`),
    ];
  });
}

function findContradictions(database: Database.Database): string[] {
  return Object.entries(CONTRADICTIONS).flatMap(([title, sql]) => {
    const rows = database.prepare(sql).all();
    return rows.length > 0 ? [`${title}: ${rows.length}, the first ${JSON.stringify(rows[0])}`] : [];
  });
}

function dumpTable(database: Database.Database, table: Table): string[] {
  const rows = database.prepare<[], Record<string, unknown>>(
    `${SOURCES[table] ?? `SELECT * FROM ${table}`} ORDER BY ${KEYS[table]}`,
  );
  // The order of callers determines their ids, which are numbers, unlike `caller_id` of calls.
  const isLeftOut = (key: string, value: unknown) =>
    BOOKKEEPING.has(key) || (key === "caller_id" && typeof value === "number");
  return rows
    .all()
    .map((row) => JSON.stringify(row, (key, value) => (isLeftOut(key, value) ? undefined : value)));
}
