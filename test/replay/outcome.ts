import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { listFiles } from "../support/temp-folder.ts";
import { mailText } from "./mail-text.ts";
import { parquetLines } from "./parquet-lines.ts";
import { type Ended, opened, type Stand } from "./play.ts";
import { workbookLines } from "./workbook-lines.ts";

/** What a case did, as text that can be compared. */
export interface Outcome {
  runs: { command: string; code: number | null; stdout: string; stderr: string }[];
  /** Files that are new or others than in the fixture, and those that are gone. */
  files: Record<string, string>;
  /** Rows of warehouses that are new (+) or gone (-). */
  tables: string[];
  /** Requests to web hooks, and mails. */
  received: string[];
}

const MAGIC = "SQLite format 3\0";
const isWarehouse = (path: string) => readFileSync(path).subarray(0, MAGIC.length).toString() === MAGIC;
/** Files beside a warehouse that is open. */
const BESIDE = /-(wal|shm|journal)$/;
/** Columns that name a process of the machine, or a request to the sandbox. */
const OTHER_EACH_TIME = ["pid", "process", "request_id"];

/** Collects what a case does, run by run. */
export class Recorder {
  readonly #stand: Stand;
  readonly #folder: string;
  readonly #build: string;
  readonly #runs: Ended[] = [];
  /** Digests and sizes of files that are compared by what is in them. */
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
      if (!/\.(xlsx|parquet)$/.test(name)) continue;
      const bytes = readFileSync(join(this.#folder, name));
      this.#digests.add(createHash("sha256").update(bytes).digest("hex"));
      this.#sizes.add(String(bytes.length));
    }
  };

  /** @param fixture the folder that the case began with */
  async finish(fixture: string): Promise<Outcome> {
    const { posts, mails } = this.#stand.service;
    const all = listFiles(this.#folder).filter((name) => !BESIDE.test(name));
    const warehouses = all.filter((name) => isWarehouse(join(this.#folder, name)));
    const names = all.filter((name) => !warehouses.includes(name));
    const tables = warehouses.flatMap((name) =>
      changedRows(join(this.#folder, name), join(fixture, name)).map((row) => `${name} ${row}`),
    );
    const files: Record<string, string> = {};
    for (const name of names) {
      const path = join(this.#folder, name);
      const bytes = readFileSync(path);
      const before = join(fixture, name);
      if (existsSync(before) && readFileSync(before).equals(bytes)) continue;
      files[name] = `mode ${(statSync(path).mode & 0o777).toString(8)}\n${this.#plain(await toText(bytes))}`;
    }
    for (const name of listFiles(fixture)) {
      if (!all.includes(name) && !BESIDE.test(name)) files[name] = "(removed)";
    }
    for (const name of listEmptyFolders(this.#folder)) files[`${name}/`] = "(empty)";
    const runs = [];
    for (const { command, code, stdout, stderr } of this.#runs) {
      runs.push({ command, code, stdout: this.#plain(await toText(stdout)), stderr: this.#plain(stderr) });
    }
    const texts = await Promise.all(mails.map((mail) => mailText(mail, toText)));
    return {
      runs,
      files,
      tables: tables.map((row) => this.#plain(row)),
      received: [...posts, ...texts.sort()].map((text) => this.#plain(text)),
    };
  }

  /** Leaves out what may differ: where the build is, processes, and how many bytes of which digest a packed file has. */
  #plain(text: string): string {
    return (this.#stand.cluster?.plain(text) ?? text)
      .replaceAll(this.#build, "<build>")
      .replace(/"pid":\d+/g, '"pid":0')
      .replace(/"process":"\d+@\d+"/g, '"process":""')
      .replace(/("job":"[^"]*","run":")[0-9a-f]{8}"/g, '$1<run>"')
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

/** Returns the rows of a warehouse that it has now and did not have before (+), or had (-). */
function changedRows(path: string, before: string): string[] {
  using warehouse = opened(path);
  const { sqlite } = warehouse;
  const had = existsSync(before);
  if (had) sqlite.prepare("ATTACH ? AS before").run(before);
  const tablesOf = (schema: string) =>
    sqlite
      .prepare<[], string>(`SELECT name FROM ${schema}.sqlite_schema WHERE type = 'table' ORDER BY name`)
      .pluck()
      .all();
  const now = tablesOf("main");
  const then = had ? tablesOf("before") : [];
  return [...new Set([...now, ...then])].sort().flatMap((table) => {
    const isNow = now.includes(table);
    const columns = sqlite
      .prepare<[string, string], string>("SELECT name FROM pragma_table_info(?, ?)")
      .pluck()
      .all(table, isNow ? "main" : "before")
      .filter((name) => !OTHER_EACH_TIME.includes(name))
      .map((name) => `"${name}"`)
      .join(", ");
    const rows = (schema: string) => `SELECT ${columns} FROM ${schema}."${table}"`;
    const read = (sign: string, sql: string) =>
      sqlite
        .prepare<[], Record<string, unknown>>(sql)
        .all()
        .map((row) => `${sign} ${table} ${JSON.stringify(row, toShown)}`);
    if (!isNow) return read("-", rows("before"));
    if (!then.includes(table)) return read("+", rows("main"));
    return [
      ...read("-", `${rows("before")} EXCEPT ${rows("main")}`),
      ...read("+", `${rows("main")} EXCEPT ${rows("before")}`),
    ];
  });
}

function toShown(_: string, value: unknown): unknown {
  const isBlob = typeof value === "object" && value !== null && "type" in value && value.type === "Buffer";
  if (isBlob && "data" in value && Array.isArray(value.data))
    return `0x${Buffer.from(value.data).toString("hex")}`;
  return value;
}
