import { parse } from "csv-parse/sync";

/*
 * The rules of ad platforms for their files, independent of how calltally makes them: it shares no code with it.
 */

export type CheckedKind =
  | "google-ads"
  | "google-leads"
  | "google-data-manager"
  | "google-ads-adjustments"
  | "microsoft-ads"
  | "ga4-events";

interface Format {
  /** The format of the first line, before the header. */
  parameters?: RegExp;
  /** The columns, in this order; names with a question mark are optional. */
  columns: Record<string, RegExp>;
  /** Columns that together identify a conversion: no two lines have the same. */
  unique: string[][];
  /** Accepted ages of a conversion, and the column with its time. */
  age?: { column: string; fromHours: number; toDays: number };
}

const TEXT = /^[^\r\n]+$/;
const LOCAL = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const AMOUNT = /^(\d+(\.\d+)?)?$/;
const CURRENCY = /^([A-Z]{3})?$/;
const CLICK = /^[A-Za-z0-9_-]+$/;
/** One of several columns has it. */
const ID = /^[A-Za-z0-9_-]*$/;
/** Digits alone are reported to fail; files of an earlier version had them, and adjustments repeat them. */
const ORDER = /^call--?\d+(-\d+)?$/;
const ADJUSTED_ORDER = /^(call-)?-?\d+(-\d+)?$/;
const CONSENT = /^(Granted|Denied)?$/;

const conversionColumns = {
  "Conversion Name": TEXT,
  "Conversion Time": LOCAL,
  "Conversion Value": AMOUNT,
  "Conversion Currency": CURRENCY,
  "Order ID?": ORDER,
  "Ad User Data?": CONSENT,
  "Ad Personalization?": CONSENT,
};
const ZONE = /^Parameters:TimeZone=\+0000$/;

const FORMATS: Record<CheckedKind, Format> = {
  "google-ads": {
    parameters: ZONE,
    columns: { "Google Click ID": CLICK, ...conversionColumns },
    unique: [["Google Click ID", "Conversion Name", "Conversion Time"], ["Order ID"]],
    age: { column: "Conversion Time", fromHours: 6, toDays: 90 },
  },
  "google-leads": {
    parameters: ZONE,
    columns: { "Phone Number": /^[0-9a-f]{64}$/, ...conversionColumns },
    unique: [["Phone Number", "Conversion Name", "Conversion Time"], ["Order ID"]],
    age: { column: "Conversion Time", fromHours: 0, toDays: 63 },
  },
  "google-data-manager": {
    columns: { "Google Click ID": ID, GBRAID: ID, WBRAID: ID, ...conversionColumns, "Conversion Time": UTC },
    unique: [["Google Click ID", "GBRAID", "WBRAID", "Conversion Name", "Conversion Time"], ["Order ID"]],
    age: { column: "Conversion Time", fromHours: 6, toDays: 90 },
  },
  "google-ads-adjustments": {
    parameters: ZONE,
    columns: {
      "Order ID": ADJUSTED_ORDER,
      "Conversion Name": TEXT,
      "Adjustment Time": LOCAL,
      "Adjustment Type": /^(RETRACT|RESTATE)$/,
      "Adjusted Value": AMOUNT,
      "Adjusted Value Currency": CURRENCY,
    },
    unique: [["Order ID", "Conversion Name"]],
  },
  "microsoft-ads": {
    parameters: /^Parameters:TimeZone=[+-]\d{4}$/,
    columns: {
      "Microsoft Click ID": /^[0-9a-f]{32}$/i,
      "Conversion Name": TEXT,
      "Conversion Time": LOCAL,
      "Conversion Value": AMOUNT,
      "Conversion Currency": CURRENCY,
    },
    unique: [["Microsoft Click ID", "Conversion Name", "Conversion Time"]],
  },
  "ga4-events": {
    columns: {
      measurement_id: /^G-[A-Z0-9]+$/,
      client_id: /^\d+\.\d+$/,
      event_name: /^[a-z][a-z0-9_]{0,39}$/i,
      timestamp_micros: /^\d{16}$/,
      "event_param.call_id?": /^-?\d+$/,
      "event_param.value?": AMOUNT,
      "event_param.currency?": CURRENCY,
    },
    unique: [],
  },
};

/** A line of a file by its columns. */
export type CheckedRow = Record<string, string>;

/**
 * Reads a file like its platform.
 *
 * @param toUtcMs converts a local time of the file, for the ages of conversions; without it they are not checked
 * @throws Error with the platform's reason to refuse
 */
export function readConversions(
  kind: CheckedKind,
  text: string,
  { nowMs, toUtcMs }: { nowMs?: number; toUtcMs?: (time: string) => number } = {},
): CheckedRow[] {
  const { parameters, columns, unique, age } = FORMATS[kind];
  assertThat(!text.startsWith("\uFEFF"), "a byte order mark");
  assertThat(text.endsWith("\n"), "a last line without its end");
  const lines = text.split("\n");
  const [first = ""] = lines;
  if (parameters !== undefined) assertThat(parameters.test(first), `the line ${first}`);
  const body = parameters === undefined ? text : lines.slice(1).join("\n");
  const [header = [], ...records] = parse(body, { record_delimiter: "\n" });
  assertThat(
    sameColumns(header, Object.keys(columns)),
    `the columns ${header.join()}, where ${Object.keys(columns).join()} are taken`,
  );
  const rows = records.map((record) =>
    Object.fromEntries(header.map((name, index) => [name, record[index] ?? ""])),
  );
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      const pattern = columns[name] ?? columns[`${name}?`];
      assertThat(pattern?.test(value) === true, `${name}: ${value}`);
    }
    const { "Adjustment Type": type, "Adjusted Value": value } = row;
    if (type !== undefined)
      assertThat((type === "RETRACT") === (value === ""), `${type} with the value ${value}`);
    if (age === undefined || nowMs === undefined || toUtcMs === undefined) continue;
    const ageMs = nowMs - toUtcMs(row[age.column] ?? "");
    const [from, to] = [age.fromHours * 3_600_000, age.toDays * 86_400_000];
    // Times are to the second.
    assertThat(ageMs + 1000 >= from && ageMs - 1000 <= to, `an age of ${ageMs} ms`);
  }
  for (const names of unique) {
    const keys = rows.flatMap((row) =>
      names.every((name) => name in row) ? JSON.stringify(names.map((name) => row[name])) : [],
    );
    assertThat(new Set(keys).size === keys.length, `two lines of one ${names.join(", ")}`);
  }
  return rows;
}

/** Whether the columns are those of the format, in order, except for optional ones. */
function sameColumns(header: readonly string[], names: readonly string[]): boolean {
  const known = names.map((name) => name.replace("?", ""));
  const required = names.filter((name) => !name.endsWith("?"));
  const places = header.map((name) => known.indexOf(name));
  const inOrder = places.every((place, index) => place > (places[index - 1] ?? -1));
  return inOrder && required.every((name) => header.includes(name));
}

function assertThat(holds: boolean, found: string): void {
  if (!holds) throw new Error(`The platform does not take ${found}`);
}
