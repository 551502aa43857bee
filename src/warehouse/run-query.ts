import { SqliteError, type Statement } from "better-sqlite3";
import { UsageError } from "../base/errors.ts";
import { didYouMean } from "../base/text/nearest.ts";
import { nameFile } from "./file/sqlite-errors.ts";
import type { Reader } from "./warehouse.ts";

/** An SQLite value: integers are bigint, and numbers are REAL. */
export type SqlValue = string | bigint | number | Buffer | null;

/** The rows are read while they are iterated, and only once. */
export interface QueryResult {
  columns: readonly string[];
  rows: Iterable<readonly SqlValue[]>;
}

type QueryParameter = string | number | bigint | Uint8Array | null;
/** In order for `?`, or by name for `:name`, `@name` and `$name`; whole numbers are bound as INTEGER. */
export type QueryParameters = readonly QueryParameter[] | Readonly<Record<string, QueryParameter>>;

/** How a query may begin. PRAGMA takes effect while SQLite compiles it, even after EXPLAIN. */
const QUERIES = new Set(["SELECT", "WITH", "VALUES"]);
/** SQLite codes for errors in the SQL; any other concerns the file. */
const SQL_FAULT = /^SQLITE_(ERROR|TOOBIG|MISMATCH|RANGE|AUTH|CONSTRAINT)/;

/**
 * Runs one statement that can only read. Even a read-only connection would execute `VACUUM INTO` and `ATTACH`.
 * @param reader a connection used for this statement only
 * @throws UsageError for other statements and for invalid SQL, now or while the rows are read
 * @throws CalltallyError (exit 7) if the file cannot be read
 */
export function runQuery(reader: Reader, sql: string, parameters?: QueryParameters): QueryResult {
  assertReads(sql);
  const { sqlite } = reader;
  sqlite.pragma("query_only = ON");
  sqlite.pragma("trusted_schema = OFF");
  const explained = <T>(attempt: () => T): T => {
    try {
      return attempt();
    } catch (error) {
      throw explain(error, reader, sql);
    }
  };
  const statement = explained(() => sqlite.prepare<[], SqlValue[]>(sql));
  if (!statement.reader || !statement.readonly) throw refused("it would change something");
  statement.raw().safeIntegers();
  if (parameters !== undefined) bind(statement, parameters);

  function* rows(): Generator<SqlValue[]> {
    const iterator = explained(() => statement.iterate());
    try {
      for (let next = explained(() => iterator.next()); !next.done; next = explained(() => iterator.next())) {
        yield next.value;
      }
    } finally {
      iterator.return?.();
    }
  }
  return { columns: statement.columns().map(({ name }) => name), rows: rows() };
}

function assertReads(sql: string): void {
  // SQLite would stop reading there, but this check would not.
  if (sql.includes("\0")) throw refused("it has a NUL character");
  const [first = "", second = "", third = "", fourth = ""] = leadingWords(sql).take(4);
  const isPlan = second === "QUERY" && third === "PLAN";
  const verb = first === "EXPLAIN" ? (isPlan ? fourth : second) : first;
  if (!QUERIES.has(verb)) throw refused("it is not SELECT, WITH, VALUES or EXPLAIN of one of these");
}

/** Yields words in upper case as long as only white space and comments separate them. */
function* leadingWords(sql: string): Generator<string> {
  const next = /(?:\s+|--[^\n]*|\/\*[\s\S]*?\*\/)*(\w*)/y;
  for (let word = next.exec(sql)?.[1]; word; word = next.exec(sql)?.[1]) yield word.toUpperCase();
}

function refused(reason: string): UsageError {
  return new UsageError(`Cannot run this SQL: ${reason}`, {
    hint: "Write one statement that reads, such as SELECT * FROM rollup_campaign LIMIT 5",
  });
}

function explain(error: unknown, reader: Reader, sql: string): unknown {
  if (error instanceof SqliteError) {
    if (!SQL_FAULT.test(error.code)) return nameFile(error, reader.path);
    const hint = hintFor(error.message, reader, sql);
    return new UsageError(`Cannot run this SQL: ${error.message}`, { hint });
  }
  // These are better-sqlite3's own errors.
  if (!(error instanceof RangeError || error instanceof TypeError)) return error;
  if (error.message.includes("more than one statement")) return refused("it has more than one statement");
  if (error.message.includes("parameter"))
    return refused("it has a parameter, such as ?, instead of a value");
  return refused(error.message);
}

/** @throws UsageError for a parameter without a value, and for a value without a parameter */
function bind(statement: Statement<unknown[]>, parameters: QueryParameters): void {
  const byName = Object.entries(isList(parameters) ? {} : parameters);
  const used = new Set<string>();
  const observed = byName.map(([name, value]) => {
    const get = () => {
      used.add(name);
      return toBound(value);
    };
    return [name, { get }] as const;
  });
  try {
    if (isList(parameters)) statement.bind(parameters.map(toBound));
    else statement.bind(Object.defineProperties({}, Object.fromEntries(observed)));
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    throw unboundError(error.message, parameters);
  }
  const unused = byName.find(([name]) => !used.has(name));
  if (unused === undefined) return;
  throw new UsageError(`Cannot run this SQL: it has no parameter ${unused[0]}`, {
    hint: `Write it as :${unused[0]}, or leave out its value.`,
    option: `parameters.${unused[0]}`,
  });
}

const isList = (parameters: QueryParameters): parameters is readonly QueryParameter[] =>
  Array.isArray(parameters);

/** SQLite divides and compares REAL in other ways, and shows it with a decimal point. */
function toBound(value: QueryParameter): QueryParameter {
  return Number.isSafeInteger(value) ? BigInt(Number(value)) : value;
}

/** @param problem in the words of better-sqlite3 */
function unboundError(problem: string, parameters: QueryParameters): UsageError {
  const names = isList(parameters) ? [] : Object.keys(parameters);
  const [, missing] = /^Missing named parameter "(.*)"$/s.exec(problem) ?? [];
  const fail = (state: string, hint: string) => new UsageError(`Cannot run this SQL: ${state}`, { hint });
  if (missing !== undefined)
    return fail(
      `its parameter ${missing} has no value`,
      didYouMean(missing, names) ?? `Pass its value by name, { ${missing}: … }.`,
    );
  if (!isList(parameters)) return fail("it has a parameter ?, and the values have names", "Pass an array.");
  if (problem.startsWith("Missing"))
    return fail("its parameters have names, and the values have none", "Pass a record, { name: value }.");
  const count = `${parameters.length === 1 ? "is" : "are"} ${parameters.length}`;
  return problem.startsWith("Too few")
    ? fail(`it has more parameters than values, which ${count}`, "Pass a value for each ?, in their order.")
    : fail(`it has fewer parameters than values, which ${count}`, "Write a ? for each, or leave some out.");
}

/** What people call the columns of calls. */
const LOCAL_START = { column: "call_started_local", what: "local day and time" };
const COMMON_WORDS: ReadonlyMap<string, { column: string; what: string }> = new Map([
  ["date", LOCAL_START],
  ["day", LOCAL_START],
  ["time", LOCAL_START],
  ["timestamp", { column: "call_started", what: "UTC time" }],
]);

function hintFor(message: string, reader: Reader, sql: string): string {
  const [, kind, name] = /^no such (table|column): "?(?:\w+\.)*([^".]+)/.exec(message) ?? [];
  if (name === undefined) return "Correct the SQL; `calltally schema` names tables, views and columns.";
  const known = reader.sqlite
    .prepare<[], { table: string; column: string }>(
      `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c
      WHERE t.type IN ('table', 'view') AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!'`,
    )
    .all();
  const meant = kind === "column" ? COMMON_WORDS.get(name.toLowerCase()) : undefined;
  const owners = known.filter(({ column }) => kind === "column" && column === name.toLowerCase());
  // The columns of tables that the SQL names, or else of all.
  const words = new Set(sql.toLowerCase().match(/\w+/g));
  const mentioned = known.filter(({ table }) => words.has(table));
  const columns = (mentioned.length > 0 ? mentioned : known).map(({ column }) => column);
  const names = kind === "table" ? known.map(({ table }) => table) : columns;
  const suggestions = [
    meant !== undefined && columns.includes(meant.column)
      ? `${meant.column} has the ${meant.what} of a call.`
      : didYouMean(name, [...new Set(names)]),
    owners.length > 0 && meant === undefined
      ? `It is a column of ${owners.map(({ table }) => table).join(", ")}.`
      : undefined,
    "`calltally schema` names tables, views and columns.",
  ];
  return suggestions.filter((suggestion) => suggestion !== undefined).join(" ");
}
