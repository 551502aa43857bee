import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { listFiles } from "../support/temp-folder.ts";
import type { Ended } from "./case.ts";
import { parquetLines } from "./parquet-lines.ts";
import { openFile, type Stand } from "./play.ts";
import { changedRows, type Rows } from "./warehouse-rows.ts";
import { workbookLines } from "./workbook-lines.ts";

/** What a case did, as text that can be compared. */
export interface Outcome {
  runs: { command: string; code: number | null; stdout: string; stderr: string; peakKb?: number }[];
  /** Files that are new or changed since the fixture, and those that are gone. */
  files: Record<string, string>;
  /** Rows of SQLite files that are new (+) or gone (-), by file and table. */
  tables: Record<string, Rows>;
  /** Requests to web hooks. */
  posts: string[];
}

const MAGIC = "SQLite format 3\0";
const isSqlite = (path: string) => {
  const file = openSync(path, "r");
  const start = Buffer.alloc(MAGIC.length);
  readSync(file, start);
  closeSync(file);
  return start.toString() === MAGIC;
};
/** Files next to a warehouse that is open. */
const OF_OPEN_FILE = /-(wal|shm|journal)$/;

/** Collects what a case does, run by run. */
export class Recorder {
  readonly #stand: Stand;
  readonly #folder: string;
  readonly #build: string;
  readonly #runs: Ended[] = [];
  /** Digests and sizes of files that are compared by their content. */
  readonly #digests = new Set<string>();
  readonly #sizes = new Set<string>();

  constructor(stand: Stand, build: string) {
    this.#stand = stand;
    this.#folder = stand.folder;
    this.#build = build;
  }

  readonly onEnded = (ended: Ended): void => {
    this.#runs.push(ended);
    for (const name of listFiles(this.#folder)) {
      if (!/\.(xlsx|parquet|sqlite)$/.test(name)) continue;
      const bytes = readFileSync(join(this.#folder, name));
      this.#digests.add(createHash("sha256").update(bytes).digest("hex"));
      this.#sizes.add(String(bytes.length));
    }
  };

  /** @param fixture the folder that the case began with; none for a case about the fixture itself */
  async finish(fixture: string | undefined): Promise<Outcome> {
    const before = (name: string) => (fixture === undefined ? undefined : join(fixture, name));
    const all = listFiles(this.#folder).filter((name) => !OF_OPEN_FILE.test(name));
    const databases = all.filter((name) => isSqlite(join(this.#folder, name)));
    const tables: Record<string, Rows> = {};
    for (const name of databases) {
      using file = openFile(join(this.#folder, name));
      for (const [table, { columns, rows }] of changedRows(file.sqlite, before(name))) {
        tables[`${name} ${table}`] = { columns, rows: rows.map((row) => this.#plain(row)) };
      }
    }
    const files: Record<string, string> = {};
    for (const name of all.filter((each) => !databases.includes(each))) {
      const path = join(this.#folder, name);
      const bytes = readFileSync(path);
      const old = before(name);
      if (old !== undefined && existsSync(old) && readFileSync(old).equals(bytes)) continue;
      files[name] = `mode ${(statSync(path).mode & 0o777).toString(8)}\n${this.#plain(await toText(bytes))}`;
    }
    for (const name of fixture === undefined ? [] : listFiles(fixture)) {
      if (!all.includes(name) && !OF_OPEN_FILE.test(name)) files[name] = "(removed)";
    }
    for (const name of listEmptyFolders(this.#folder)) files[`${name}/`] = "(empty)";
    const runs = [];
    for (const { stdout, stderr, ...run } of this.#runs) {
      runs.push({ ...run, stdout: this.#plain(await toText(stdout)), stderr: this.#plain(stderr) });
    }
    return { runs, files, tables, posts: this.#stand.service.posts.map((text) => this.#plain(text)) };
  }

  /**
   * Replaces what may differ: the folder of the build, processes, the seal of a sync, which covers its process, digests
   * and sizes of packed files, free disk space, hosts of the cluster.
   */
  #plain(text: string): string {
    return (this.#stand.cluster?.plain(text) ?? text)
      .replaceAll(this.#build, "<build>")
      .replace(/"pid":\d+/g, '"pid":0')
      .replace(/"process":"\d+@\d+"/g, '"process":""')
      .replace(/(row_hash\\?":\\?")[\w-]{86}/g, "$1<seal>")
      .replace(/("job":"[^"]*","run":")[0-9a-f]{8}"/g, '$1<run>"')
      .replace(/[\d.]+ [KMGT]B free/g, "<space> free")
      .replace(/[0-9a-f]{64}/g, (digest) =>
        this.#digests.has(digest) ? "<digest of a packed file>" : digest,
      )
      .replace(/(bytes\\?"?:\s*)(\d+)/g, (all, name, size) =>
        this.#sizes.has(size) ? `${name}<bytes>` : all,
      );
  }
}

function listEmptyFolders(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readdirSync(path).length === 0)
    .map((path) => relative(folder, path))
    .sort();
}

async function toText(bytes: Buffer): Promise<string> {
  const magic = bytes.subarray(0, 4).toString("latin1");
  if (magic === "PK\u0003\u0004") return workbookLines(bytes).join("\n");
  if (magic === "PAR1") return (await parquetLines(bytes)).join("\n");
  return isUtf8(bytes) ? bytes.toString() : bytes.toString("base64").replace(/.{100}/g, "$&\n");
}
