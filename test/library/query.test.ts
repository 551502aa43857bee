import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CallQuestion, SqlParameters, Warehouse } from "../../src/library/index.ts";
import { openWarehouse } from "../support/library.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { fillWarehouse } from "../support/warehouses/warehouse.ts";

const folder = makeTempFolder();
const database = join(folder.path, "calls.db");
/** More calls than one batch has, alternately of two sources, two a day. */
const COUNT = 1200;
let warehouse: Warehouse;

beforeAll(() => {
  const day = (index: number) => new Date(Date.UTC(2026, 0, 1 + Math.floor(index / 2), 12)).toISOString();
  const calls = Array.from({ length: COUNT }, (_, index) =>
    makeCall({
      call_id: COUNT - index,
      call_started: day(COUNT - 1 - index),
      utm_source: index % 2 === 0 ? "google" : "bing",
      utm_medium: "cpc",
    }),
  );
  fillWarehouse(database, calls);
  warehouse = openWarehouse(database);
});
afterAll(async () => {
  await warehouse[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const rowsOf = (sql: string, parameters?: SqlParameters) => Array.fromAsync(warehouse.query(sql, parameters));
const failureOf = (sql: string, parameters?: unknown) =>
  rowsOf(sql, parameters as SqlParameters).catch((error) => {
    const { exitCode, message, hint } = error;
    return { exitCode, message, hint };
  });

describe("query", () => {
  it.each<[string, SqlParameters, unknown]>([
    ["SELECT ? AS a, ? AS b", ["x'; --", null], { a: "x'; --", b: null }],
    ["SELECT typeof(?) AS a, typeof(?) AS b, 7 / ? AS c", [3, 0.5, 2], { a: "integer", b: "real", c: 3 }],
    ["SELECT ? AS a", [2n ** 63n - 1n], { a: 2n ** 63n - 1n }],
    [
      "SELECT typeof(?) AS a, ? AS b",
      [Uint8Array.of(1), Uint8Array.of(2)],
      { a: "blob", b: Uint8Array.of(2) },
    ],
    ["SELECT :a AS a, @b AS b, $c AS c, :a AS d", { a: 1, b: "b", c: null }, { a: 1, b: "b", c: null, d: 1 }],
    ["SELECT ?2 AS a, ?1 AS b", { 1: "one", 2: "two" }, { a: "two", b: "one" }],
    ["SELECT 1 AS a", {}, { a: 1 }],
  ])("binds values of %s", async (sql, parameters, row) => {
    expect(await rowsOf(sql, parameters)).toEqual([row]);
  });

  const FEWER = "Write a ? for each, or leave some out.";

  it.each<[string, unknown, string, string]>([
    [
      "SELECT ?",
      undefined,
      "it has more parameters than values, which are 0",
      "Pass a value for each ?, in their order.",
    ],
    ["SELECT ?", [1, 2], "it has fewer parameters than values, which are 2", FEWER],
    ["SELECT :a", [1], "it has fewer parameters than values, which is 1", FEWER],
    [
      "SELECT :a",
      [],
      "its parameters have names, and the values have none",
      "Pass a record, { name: value }.",
    ],
    ["SELECT :source", { sorce: 1 }, "its parameter source has no value", "Did you mean sorce?"],
    ["SELECT :a", {}, "its parameter a has no value", "Pass its value by name, { a: … }."],
    ["SELECT :a", { a: 1, b: 2 }, "it has no parameter b", "Write it as :b, or leave out its value."],
    ["SELECT ?", { a: 1 }, "it has a parameter ?, and the values have names", "Pass an array."],
  ])("refuses %s with %j", async (sql, parameters, state, hint) => {
    const message = `Cannot run this SQL: ${state}`;
    expect(await failureOf(sql, parameters)).toEqual({ exitCode: 2, message, hint });
  });

  it.each<[string, unknown, string]>([
    ["parameters.0: is true", [true], "Pass 1, which SQLite has for true"],
    ["parameters.0: is undefined", [undefined], "Pass null for no value"],
    ["parameters.day: is a Date", { day: new Date(0) }, "Pass its text, as in toISOString()"],
    ["parameters.0: is NaN", [Number.NaN], "Pass a finite number, or null"],
    ["parameters.0: is beyond the 64 bits of an SQLite integer", [2n ** 63n], "Pass it as text"],
    ["parameters.0: cannot be bound", [() => 1], "Pass a string, a number, a bigint, null or a Uint8Array"],
    ['parameters: must be a list or keys and values, not "x"', "x", "Correct this option."],
  ])("says of a value: %s", async (state, parameters, hint) => {
    const message = `Cannot use ${state}`;
    expect(await failureOf("SELECT ?", parameters)).toEqual({ exitCode: 2, message, hint });
  });

  it("reads all rows of many batches, in order", async () => {
    const rows = await rowsOf("SELECT call_id FROM attributed_calls ORDER BY call_id");
    expect(rows.map(({ call_id }) => call_id)).toEqual(
      Array.from({ length: COUNT }, (_, index) => index + 1),
    );
  });

  it("reads no more rows than its reader takes", async () => {
    const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    const first = [];
    for await (const { i } of warehouse.query(endless)) {
      first.push(i);
      if (first.length === 700) break;
    }
    expect(first.at(-1)).toBe(700);
    expect(await warehouse.readBasis()).toMatchObject({ calls: COUNT });
  });
});

describe("calls", () => {
  const idsOf = async (question?: CallQuestion) =>
    (await Array.fromAsync(warehouse.calls(question))).map(({ call_id }) => call_id);

  it.each<[CallQuestion]>([
    [{}],
    [{ filter: { source: ["google"] } }],
    [{ filter: { source: ["GOOGLE", "bing"] } }],
    [{ range: { from: "2026-03-01", to: "2026-03-31" } }],
    [
      {
        range: { from: "2026-03-02", to: "2026-03-02" },
        timezone: "Pacific/Auckland",
        filter: { source: ["bing"] },
      },
    ],
    [{ range: { from: "2040-01-01" } }],
  ])("returns the calls that a rollup counts, by id: %j", async (question) => {
    const ids = await idsOf(question);
    const { rows } = await warehouse.rollup({ by: [], ...question });
    expect(ids.length).toBe(rows[0]?.calls ?? 0);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    if (question.filter === undefined && question.range === undefined) expect(ids).toHaveLength(COUNT);
    else expect(ids.length).toBeLessThanOrEqual(COUNT);
  });

  it("returns the rows of the view", async () => {
    const [call] = await Array.fromAsync(
      warehouse.calls({ range: { from: "2026-01-01", to: "2026-01-01" }, filter: { source: ["bing"] } }),
    );
    expect([call]).toEqual(
      await rowsOf("SELECT * FROM attributed_calls WHERE call_id = ?", [call?.call_id ?? 0]),
    );
    expect(call).toMatchObject({ source: "bing", channel: "Paid Search" });
  });

  it.each<[unknown, string, string]>([
    [
      { filter: { source: ["gogle"] } },
      "Cannot use filter.source gogle: no call in the warehouse has this value",
      "Did you mean google?",
    ],
    [{ grain: "day" }, "Cannot use grain: is not a known key", "Known are range, timezone, filter"],
    [
      { filter: { include_gone: true } },
      "Cannot use filter.include_gone: is not a known key",
      expect.any(String),
    ],
    [
      { range: { from: "today" } },
      expect.stringContaining('Cannot use range.from: "today" is not a date'),
      expect.any(String),
    ],
  ])("refuses %j", async (question, message, hint) => {
    const failure = await idsOf(question as CallQuestion).catch((error) => error);
    expect(failure).toMatchObject({ exitCode: 2, message, hint });
  });
});
