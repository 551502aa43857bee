import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import Database from "better-sqlite3";
import type { Response } from "./service.ts";

interface Table {
  engine: string;
  /** Name, type and further properties of each column. */
  columns: string[][];
}

/**
 * A ClickHouse of one server in memory: it answers the statements of publications with SQLite. The version of a row
 * that counts is in the view of its table's name and `_final`; others remain until OPTIMIZE, as in ClickHouse.
 */
export class SimulatedCluster {
  /** The statement from now on after which the connection is lost, although it was executed. */
  cutAt = Number.POSITIVE_INFINITY;
  readonly #rows = new Database(":memory:");
  readonly #tables = new Map<string, Table>();

  constructor() {
    const define = (name: string, toValue: (...values: (string | number | null)[]) => unknown) =>
      this.#rows.function(name, { varargs: true, deterministic: true }, (...values) =>
        values.includes(null) ? null : toValue(...values),
      );
    // SQLite has a function of this name and two arguments.
    this.#rows.function("match", (text, pattern) => (new RegExp(String(pattern)).test(String(text)) ? 1 : 0));
    define("length", (text) => Buffer.byteLength(String(text)));
    define("concat", (...texts) => texts.join(""));
    define("toString", String);
    define("toInt64", Number);
    define("cityHash64", (...values) => halfMd5(JSON.stringify(values)));
    this.#rows.function("assumeNotNull", (value) => value ?? "");
    define("halfMD5", (text) => halfMd5(String(text)));
    // Hashes are texts with 64-bit sums.
    this.#rows.aggregate("sum", {
      start: null as number | string | null,
      step: (total: number | string | null, value: number | string | null) => {
        if (value === null) return total;
        if (typeof value === "number") return Number(total ?? 0) + value;
        return String(BigInt.asUintN(64, BigInt(total ?? 0) + BigInt(value)));
      },
    });
  }

  /** Returns the account's rows that count; all rows of an existing table. */
  read(sql: string): Record<string, unknown>[] {
    return this.#rows.prepare<[], Record<string, unknown>>(sql).all();
  }

  has(text: string): boolean {
    return this.#tables.has("calls") && this.#rows.serialize().includes(text);
  }

  respond(query: ReadonlyMap<string, string>, body: string): Response {
    const statement = query.get("query");
    const data = statement === undefined ? this.#answer(body) : this.#insert(statement, body);
    const isCut = --this.cutAt === 0;
    const headers = { "x-clickhouse-server-display-name": "simulated" };
    if (data === undefined) return { status: 200, headers, body: Buffer.alloc(0), tookMs: 5, isCut };
    const packed = gzipSync(JSON.stringify({ data }));
    return {
      status: 200,
      headers: { ...headers, "content-encoding": "gzip" },
      body: packed,
      tookMs: 5,
      isCut,
    };
  }

  /** Returns rows of values; undefined for a statement without a result. */
  #answer(sql: string): unknown[][] | undefined {
    if (sql.startsWith("CREATE DATABASE")) return undefined;
    if (sql.startsWith("CREATE TABLE")) return this.#create(sql);
    const [, optimized] = /^OPTIMIZE TABLE `\w+`\.`(\w+)_local` FINAL$/.exec(sql) ?? [];
    if (optimized !== undefined) {
      this.#rows.exec(
        `DELETE FROM ${optimized} WHERE rowid NOT IN (SELECT kept FROM ${optimized}_final); VACUUM`,
      );
      return undefined;
    }
    if (sql.startsWith("CREATE VIEW")) return undefined;
    if (sql.includes("FROM system.clusters")) return [[1, "simulated:9000", 1]];
    if (sql.includes("FROM system.databases")) return [["acme"]];
    if (sql.includes("FROM system.data_type_families")) return [];
    if (sql.includes("FROM system.tables"))
      return [...this.#tables].map(([name, { engine }]) => [name, engine, ""]);
    if (sql.includes("FROM system.columns"))
      return [...this.#tables].flatMap(([table, { columns }]) =>
        columns.map(([name, type]) => [table, name, type]),
      );
    const select = this.#rows.prepare<[], unknown[]>(
      sql
        .replace(/\nFORMAT JSONCompact$/, "")
        .replaceAll(/FROM `\w+`\.`(\w+?)(?:_local)?`( FINAL)?/g, (_, name, final) =>
          final === undefined ? `FROM ${name}` : `FROM ${name}_final`,
        )
        .replace(" LIMIT 1 BY account", " LIMIT 1"),
    );
    return select.raw().all();
  }

  #create(sql: string): undefined {
    const [, name = "", lines = "", engine = ""] =
      /^CREATE TABLE IF NOT EXISTS `\w+`\.`(\w+)` \(\n(.*)\n\) ENGINE = (.*?)\nFORMAT|$/s.exec(
        `${sql}\nFORMAT`,
      ) ?? [];
    const columns = lines.split(",\n").map((line) => line.trim().replaceAll("`", "").split(" "));
    this.#tables.set(name, { engine, columns });
    if (!name.endsWith("_local")) return undefined;
    const table = name.replace("_local", "");
    const key = /ORDER BY \(?(.*?)\)?$/.exec(engine)?.[1];
    this.#rows.exec(`CREATE TABLE ${table} (${columns.map(([column]) => column).join()});
      CREATE VIEW ${table}_final AS SELECT *, max(version), rowid AS kept FROM ${table} GROUP BY ${key}`);
    return undefined;
  }

  #insert(statement: string, body: string): undefined {
    const [, name = ""] = /^INSERT INTO `\w+`\.`(\w+)_local`/.exec(statement) ?? [];
    const columns = this.#tables.get(`${name}_local`)?.columns ?? [];
    for (const line of body.trim().split("\n")) {
      const row: Record<string, string | number | null> = JSON.parse(line);
      const values = columns.map(([column = "", type = ""]) => {
        const value = row[column] ?? (type.startsWith("Nullable") ? null : type === "String" ? "" : 0);
        return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
      });
      this.#rows.exec(`INSERT INTO ${name} VALUES (${values.join()})`);
    }
    return undefined;
  }
}

const halfMd5 = (text: string) => String(createHash("md5").update(text).digest().readBigUInt64BE());
