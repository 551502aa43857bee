import { getTableColumns } from "drizzle-orm";
import { UsageError } from "../base/errors.ts";
import { call_facts } from "../warehouse/calls/facts.ts";
import type { ClickhouseNode, StatementOptions } from "./clickhouse-node.ts";
import { literal, quoted } from "./clickhouse-text.ts";
import type { Cluster } from "./cluster.ts";

/** Types of both ClickHouse 18.16 and current versions. */
type ColumnType =
  | "String"
  | "Nullable(String)"
  | "UInt8"
  | "UInt64"
  | "Int64"
  | "Nullable(Int32)"
  | "Nullable(Int64)";

/** A table of an account's rows, each identified by a number. */
export interface AccountTable {
  name: string;
  /** What identifies a row of an account. */
  key: string;
  /** The key comes first. */
  columns: Readonly<Record<string, ColumnType>>;
}

export const FACTS_TABLE: AccountTable = {
  name: "call_facts",
  key: "call_id",
  columns: Object.fromEntries(
    Object.entries(getTableColumns(call_facts)).map(([name, { dataType, notNull }]): [string, ColumnType] => {
      if (name === "caller_id") return ["caller", "Nullable(String)"];
      if (dataType === "boolean") return [name, "UInt8"];
      if (name === "duration") return [name, "Nullable(Int32)"];
      const type = dataType === "string" ? "String" : "Int64";
      return [name, notNull ? type : `Nullable(${type})`];
    }),
  ),
};

export const SPEND_TABLE = {
  name: "spend",
  key: "spend_id",
  columns: {
    spend_id: "Int64",
    day: "String",
    source: "String",
    medium: "String",
    campaign: "Nullable(String)",
    campaign_id: "Nullable(String)",
    cost_micros: "Int64",
    currency: "String",
    clicks: "Nullable(Int64)",
    impressions: "Nullable(Int64)",
    file: "String",
    imported_at: "String",
  },
} as const satisfies AccountTable;

/** The state of each account, one row per version; the greatest version counts. */
export const PUBLISHED_TABLE = "published";

const PUBLISHED_COLUMNS = {
  account: "String",
  warehouse_id: "String",
  version: "UInt64",
  published_at: "Nullable(String)",
  unfinished_since: "Nullable(String)",
  about: "String",
} as const satisfies Record<string, ColumnType>;

/** The name of the part of a table on one server. */
export function localName(name: string): string {
  return `${name}_local`;
}

/** A table as it should be, and as `system.tables` and `system.columns` show it. */
interface Definition {
  name: string;
  /** Columns and types in order; with an expression for a column that the server computes. */
  columns: readonly (readonly [name: string, type: string, expression?: string])[];
  engine: string;
}

/**
 * The text of rows, which both sides hash: null is `~`, a number ends with `;`, a text begins with its length in
 * bytes and `:`.
 */
export const NOTHING = "~";

/** The first half of the MD5 of a row's columns, computed and stored by the server from what it received. */
export function rowHashExpression(columns: AccountTable["columns"]): string {
  const texts = Object.entries(columns).map(([name, type]) => {
    const column = quoted(name);
    const text = type.includes("String")
      ? `concat(toString(length(${column})), ':', ${column})`
      : `concat(toString(${column}), ';')`;
    return type.startsWith("Nullable") ? `ifNull(${text}, '${NOTHING}')` : text;
  });
  return `halfMD5(concat(${texts.join(", ")}))`;
}

function definitionsOf({ address: { database, cluster } }: Pick<Cluster, "address">): Definition[] {
  const over = (name: string) =>
    `Distributed(${[cluster, database, localName(name)].map(literal).join(", ")})`;
  const ofRows = [FACTS_TABLE, SPEND_TABLE].flatMap(({ name, key, columns }): Definition[] => {
    const all = Object.entries({ account: "String", ...columns, version: "UInt64", is_deleted: "UInt8" });
    return [
      {
        name: localName(name),
        columns: [...all, ["row_hash", "UInt64 MATERIALIZED", rowHashExpression(columns)]],
        engine: `ReplacingMergeTree(version) ORDER BY (account, ${key})`,
      },
      // Without a sharding key it refuses rows: the server for each row is decided here.
      { name, columns: all, engine: over(name) },
    ];
  });
  const published = Object.entries(PUBLISHED_COLUMNS);
  return [
    ...ofRows,
    {
      name: localName(PUBLISHED_TABLE),
      columns: published,
      engine: "ReplacingMergeTree(version) ORDER BY account",
    },
    { name: PUBLISHED_TABLE, columns: published, engine: over(PUBLISHED_TABLE) },
  ];
}

/** Makes missing tables at each server. @throws UsageError for one that is defined differently */
export async function makeTables(cluster: Cluster, signal?: AbortSignal): Promise<void> {
  const { database } = cluster.address;
  const definitions = definitionsOf(cluster);
  await cluster.atEach(async (node) => {
    const options = { doing: `make the tables in ${database}`, signal };
    const known = await node.select(
      `SELECT name FROM system.databases WHERE name = ${literal(database)}`,
      options,
    );
    // A user without permission to create it can still use an existing one.
    if (known.length === 0) await node.run(`CREATE DATABASE IF NOT EXISTS ${quoted(database)}`, options);
    const stored = await readDefinitions(node, database, options);
    for (const definition of definitions) {
      const found = stored.get(definition.name);
      if (found === undefined) await node.run(createText(cluster, definition), options);
      else assertSame(node, database, definition, found);
    }
  });
}

function createText(cluster: Cluster, { name, columns, engine }: Definition): string {
  const lines = columns.map(([column, ...rest]) => [quoted(column), ...rest].join(" "));
  return `CREATE TABLE IF NOT EXISTS ${cluster.table(name)} (\n  ${lines.join(",\n  ")}\n) ENGINE = ${engine}`;
}

async function readDefinitions(node: ClickhouseNode, database: string, options: StatementOptions) {
  const within = `database = ${literal(database)}`;
  const tables = await node.select(`SELECT name, engine_full FROM system.tables WHERE ${within}`, options);
  const columns = await node.select(
    `SELECT table, concat(name, ' ', type, ' ', default_kind) AS text FROM system.columns WHERE ${within}`,
    options,
  );
  const texts = Map.groupBy(columns, ({ table }) => table);
  return new Map(
    tables.map(({ name, engine_full }) => {
      const found = texts.get(name)?.map(({ text }) => String(text).trim()) ?? [];
      return [name, { engine: String(engine_full), columns: found }];
    }),
  );
}

/** @throws UsageError that names the server, the table and the difference */
function assertSame(
  node: ClickhouseNode,
  database: string,
  { name, columns, engine }: Definition,
  found: { engine: string; columns: readonly string[] },
): void {
  const wanted = columns.map(([column, type]) => `${column} ${type}`);
  const missing = wanted.find((column) => !found.columns.includes(column));
  const unknown = found.columns.find((column) => !wanted.includes(column));
  // Versions quote names in engines differently, and add settings.
  const bare = (text: string) => text.replace(/['"`\s]/g, "");
  let what: string;
  if (missing !== undefined) what = `has no column ${missing}`;
  else if (unknown !== undefined) what = `has a column ${unknown}`;
  else if (!bare(found.engine).startsWith(bare(engine))) what = `has the engine ${found.engine}`;
  else return;
  throw new UsageError(`Cannot use the table ${name} in ${database} at ${node.name}: it ${what}`, {
    hint: "Another version of calltally or another program created it. Use another database, which the next publication fills; or drop the tables of this one on all servers.",
  });
}
