import { UsageError } from "../../base/errors.ts";
import { CALLS_TABLE, localName, PUBLISHED_TABLE, SPEND_TABLE } from "./account-tables.ts";
import type { ClickhouseNode } from "./clickhouse-node.ts";
import { type ClusterRow, literal, quoted } from "./clickhouse-text.ts";
import type { Cluster } from "./cluster.ts";
import { viewsOf } from "./cluster-views.ts";

const PUBLISHED_COLUMNS = {
  account: "String",
  warehouse_id: "String",
  version: "UInt64",
  published_at: "Nullable(String)",
  unfinished_since: "Nullable(String)",
  about: "String",
};

/** A table or a view. */
interface Definition {
  name: string;
  /** With types, unless they follow from other tables. */
  columns: readonly string[];
  /** The end of the statement that creates it. */
  text: string;
  /** What its engine, or its SELECT, contains. */
  contains: string;
}

/** @param toType returns a type for the server's version */
function definitionsOf(cluster: Cluster, toType: (type: string) => string): Definition[] {
  const { address, isSingle } = cluster;
  const tables = [CALLS_TABLE, SPEND_TABLE].map(({ name, key, columns }) => ({
    name,
    order: `(account, ${key})`,
    columns: { account: "String", ...columns, version: "UInt64", is_deleted: "UInt8" },
  }));
  const published = { name: PUBLISHED_TABLE, order: "account", columns: PUBLISHED_COLUMNS };
  const ofRows = [...tables, published].flatMap(({ name, order, columns }) => {
    const lines = Object.entries(columns).map(([column, type]) => `${column} ${toType(type)}`);
    const define = (table: string, engine: string): Definition => {
      const text = `TABLE IF NOT EXISTS ${cluster.table(table)} (\n  ${lines.join(",\n  ")}\n) ENGINE = ${engine}`;
      return { name: table, columns: lines, text, contains: engine };
    };
    const local = define(localName(name), `ReplacingMergeTree(version) ORDER BY ${order}`);
    const of = [address.cluster, address.database, localName(name)].map(literal).join(", ");
    // Without a sharding key it refuses rows: the server for each row is decided here.
    return isSingle ? [local] : [local, define(name, `Distributed(${of})`)];
  });
  const views = viewsOf(cluster).map(({ name, columns, from, sql }) => ({
    name,
    columns,
    text: `VIEW IF NOT EXISTS ${cluster.table(name)} AS ${sql}`,
    contains: `FROM ${from}`,
  }));
  return [...ofRows, ...views];
}

/** Makes missing tables and views at each server. @throws UsageError for one that is defined differently */
export async function makeTables(cluster: Cluster, signal?: AbortSignal): Promise<void> {
  const { database } = cluster.address;
  await cluster.atEach(async (node) => {
    const options = { doing: `make the tables in ${database}`, signal };
    const ask = (columns: string, from: string) =>
      node.select(`SELECT ${columns} FROM system.${from}`, options);
    // A user without permission to create it can still use an existing one.
    if ((await ask("name", `databases WHERE name = ${literal(database)}`)).length === 0)
      await node.run(`CREATE DATABASE IF NOT EXISTS ${quoted(database)}`, options);
    const within = `database = ${literal(database)}`;
    const tables = await ask("name, engine_full, create_table_query", `tables WHERE ${within}`);
    const columns = await ask("table, name, type", `columns WHERE ${within}`);
    const isCurrent = (await ask("name", "data_type_families WHERE name = 'DateTime64'")).length > 0;
    for (const definition of definitionsOf(cluster, isCurrent ? (type) => type : toOldType)) {
      const existing = tables.find(([name]) => name === definition.name);
      const ofTable = columns.filter(([table]) => table === definition.name);
      if (existing === undefined) await node.run(`CREATE ${definition.text}`, options);
      else assertSame(node, database, definition, { text: existing.join(), columns: ofTable });
    }
  });
}

/** Times are texts there; LowCardinality was an experiment in 18.16. */
function toOldType(type: string): string {
  return type.replace("DateTime64(3, 'UTC')", "String").replace(/LowCardinality\((.*)\)/, "$1");
}

/** @throws UsageError that names the server, the table and the difference */
function assertSame(
  node: ClickhouseNode,
  database: string,
  { name, columns, contains }: Definition,
  existing: { text: string; columns: readonly ClusterRow[] },
): void {
  const isTyped = columns.some((column) => column.includes(" "));
  const stored = existing.columns.map(([_, column, type]) =>
    isTyped ? `${column} ${type}` : String(column),
  );
  // Versions quote names differently.
  const bare = (text: string) => text.replace(/['"`\\\s]/g, "");
  const [what] = [
    ...columns.filter((column) => !stored.includes(column)).map((column) => `has no column ${column}`),
    ...stored.filter((column) => !columns.includes(column)).map((column) => `has a column ${column}`),
    ...(bare(existing.text).includes(bare(contains)) ? [] : [`is not ${contains}`]),
  ];
  if (what === undefined) return;
  throw new UsageError(`Cannot use the table ${name} in ${database} at ${node.name}: it ${what}`, {
    hint: "Another version of calltally or another program created it. Use another database, which the next publication fills; or drop the tables of this one on all servers.",
  });
}
