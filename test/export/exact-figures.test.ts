import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { parquetMetadata } from "hyparquet";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { MAX_DURATION } from "../../src/calls/call.ts";
import { PRIVATE_COLUMNS } from "../../src/config/request/option-values.ts";
import { type ExportOptions, makeWarehouse, type Target } from "../support/figures/produce-files.ts";
import { readLines, readParquetObjects } from "../support/figures/tables.ts";
import { readText } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";

const ROLLUP: Target = { kind: "rollup", dimensions: ["utm_source"] };
const MILLISECONDS = { ...DEFAULT_RULES, duration_unit: "milliseconds" } as const;

describe("sums of durations", () => {
  it.each([
    { rules: DEFAULT_RULES, toText: (sum: bigint) => String(sum) },
    {
      rules: MILLISECONDS,
      toText: (sum: bigint) => `${sum / 1000n}.${String(sum % 1000n).padStart(3, "0")}`,
    },
  ])("sums of any durations are exact in $rules.duration_unit", async ({ rules, toText }) => {
    const duration = fc.oneof(
      fc.nat({ max: MAX_DURATION }),
      fc.integer({ min: MAX_DURATION - 9, max: MAX_DURATION }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(duration, { minLength: 1, maxLength: 2000, size: "max" }),
        async (durations) => {
          using warehouse = makeWarehouse(
            durations.map((duration, call_id) =>
              makeCall({ call_id, duration, utm_source: `${call_id % 3}` }),
            ),
          );
          const { manifest, folder } = await warehouse.export({ targets: [ROLLUP], rules, total: true });
          const [header = [], ...lines] = readLines(readText(folder, "utm_source.csv"));
          const total = header.indexOf("total_duration_seconds");
          const sum = durations.reduce((sum, duration) => sum + BigInt(duration), 0n);
          expect(lines.at(-1)?.[total]).toBe(toText(sum));
          expect(manifest.files[0]?.sums?.total_duration_seconds).toBe(Number(toText(sum)));
          const parts = lines.slice(0, -1).map((line) => BigInt((line[total] ?? "").replace(".", "")));
          expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(sum);
        },
      ),
      { numRuns: 5 },
    );
  });
});

const WEEKS = [
  makeCall({ call_id: 1, utm_source: "a", call_started: "2026-10-21T12:00:00.000Z" }),
  makeCall({ call_id: 2, utm_source: "a", call_started: "2026-10-25T22:59:59.999Z" }),
  makeCall({ call_id: 3, utm_source: "a", call_started: "2026-10-25T23:00:00.000Z" }),
  makeCall({ call_id: 4, utm_source: "a" }),
];
const BY_WEEK = { targets: [ROLLUP], grain: "week", total: true, timezone: "Europe/Berlin" } as const;

describe("period_start", () => {
  it.each([",", "\t"] as const)("CSV separated by %j has the first day of the period", async (delimiter) => {
    using warehouse = makeWarehouse(WEEKS);
    const read = async (options: Partial<ExportOptions>) => {
      const { folder } = await warehouse.export({ ...BY_WEEK, ...options });
      const text = readText(folder, "utm_source.csv").replace("\uFEFF", "");
      return readLines(text, delimiter).map((line) => line.slice(0, 4));
    };
    expect(await read({ format: { format: "csv", delimiter, profile: "excel" } })).toEqual([
      ["period", "period_start", "utm_source", "calls"],
      ["(not set)", "", "a", "1"],
      ["2026-W43", "2026-10-19", "a", "2"],
      ["2026-W44", "2026-10-26", "a", "1"],
      ["(total)", "", "", "4"],
    ]);
    expect(
      (await read({ format: { format: "csv", delimiter, profile: "excel" }, grain: "month" })).slice(2),
    ).toEqual([
      ['="2026-10"', "2026-10-01", "a", "3"],
      ["(total)", "", "", "4"],
    ]);
    expect(
      (await read({ format: { format: "csv", delimiter, profile: "excel" }, grain: undefined }))[0],
    ).toEqual(["utm_source", "calls", "answered_calls", "missed_calls"]);
    for (const profile of [undefined, "machine"] as const) {
      expect((await read({ format: { format: "csv", delimiter, profile } }))[2]).toEqual([
        ...["2026-W43", "2026-10-19", "a", "2"],
      ]);
    }
  });

  it("JSON has period_start as a text", async () => {
    using warehouse = makeWarehouse(WEEKS);
    for (const format of ["json", "ndjson"] as const) {
      const { folder } = await warehouse.export({ ...BY_WEEK, format: { format } });
      const text = readText(folder, `utm_source.${format}`);
      const rows: unknown[] =
        format === "json"
          ? JSON.parse(text)
          : text
              .trim()
              .split("\n")
              .map((line) => JSON.parse(line));
      expect(rows).toMatchObject([
        { period: "(not set)", period_start: null, utm_source: "a", calls: 1 },
        { period: "2026-W43", period_start: "2026-10-19", utm_source: "a", calls: 2 },
        { period: "2026-W44", period_start: "2026-10-26", utm_source: "a", calls: 1 },
        { period: "(total)", period_start: null, utm_source: null, calls: 4 },
      ]);
    }
  });

  it("Parquet has period_start as a date", async () => {
    using warehouse = makeWarehouse(WEEKS);
    const { folder } = await warehouse.export({ ...BY_WEEK, format: { format: "parquet" } });
    const rows = await readParquetObjects(readFileSync(join(folder, "utm_source.parquet")));
    expect(rows.map(({ period, period_start, calls }) => [period, period_start, calls])).toEqual([
      ["(not set)", null, 1n],
      ["2026-W43", new Date("2026-10-19"), 2n],
      ["2026-W44", new Date("2026-10-26"), 1n],
      ["(total)", null, 4n],
    ]);
  });
});

describe("Parquet", () => {
  /** The types of all columns of some files, as a reader of Parquet names them. */
  function readTypes(folder: string, files: readonly string[]): Map<string, string> {
    return new Map(
      files.flatMap((file) => {
        const { schema } = parquetMetadata(new Uint8Array(readFileSync(join(folder, file))).buffer);
        return schema.slice(1).map(({ name, type, logical_type: logical }): [string, string] => {
          if (logical?.type !== "TIMESTAMP") return [name, logical?.type ?? type ?? ""];
          return [name, `TIMESTAMP(${logical.isAdjustedToUTC ? "UTC" : "local"}, ${logical.unit})`];
        });
      }),
    );
  }

  /** The columns of each type, without durations; all others are texts. */
  const COLUMNS = {
    INT64:
      "call_id org_unit_id calls answered_calls missed_calls other_calls unique_callers first_time_callers qualified_calls calls_in_hours missed_in_hours recovered_after_seconds local_hour clicks impressions",
    DOUBLE:
      "answer_rate qualified_rate answer_rate_in_hours average_duration_seconds median_duration_seconds cost cost_per_call cost_per_qualified_call cost_per_first_time_caller …_change",
    BOOLEAN: "qualified first_time_caller recovered",
    "TIMESTAMP(UTC, MILLIS)": "call_started gone_at changed_at first_call_at last_call_at",
    "TIMESTAMP(local, MILLIS)": "call_started_local",
    DATE: "local_day period_start",
  };
  const typed = new Map(
    Object.entries(COLUMNS).flatMap(([type, names]) =>
      names.split(" ").map((name): [string, string] => [name, type]),
    ),
  );

  it.each([
    { rules: DEFAULT_RULES, duration: "INT64" },
    { rules: MILLISECONDS, duration: "DOUBLE" },
  ])("each column of Parquet has a type, in $rules.duration_unit", async ({ rules, duration }) => {
    using warehouse = makeWarehouse([makeCall({ call_started: "2026-10-21T12:00:00.000Z" })]);
    const { folder, manifest } = await warehouse.export({
      targets: [
        { kind: "calls", with: PRIVATE_COLUMNS },
        { kind: "callers" },
        { kind: "rollup", dimensions: ["org_unit", "weekday", "hour"] },
      ],
      range: { from: "2026-10-01", to: "2026-10-31" },
      grain: "day",
      compare: "previous",
      format: { format: "parquet" },
      rules,
    });
    const costs = await warehouse.export({
      targets: [{ kind: "rollup", dimensions: ["source"] }],
      folder: `${folder}-of-costs`,
      spend: true,
      format: { format: "parquet" },
      rules,
    });
    const types = new Map(
      [{ folder, manifest }, costs].flatMap((each) => [
        ...readTypes(
          each.folder,
          each.manifest.files.map(({ file }) => file),
        ),
      ]),
    );
    const expected = [...types.keys()].map((name) => {
      if (/^(total_)?duration_seconds(_previous)?$/.test(name)) return [name, duration];
      return [name, typed.get(name.replace(/_previous$/, "").replace(/.*_change$/, "…_change")) ?? "STRING"];
    });
    expect(Object.fromEntries(types)).toEqual(Object.fromEntries(expected));
    expect([...typed.keys()].filter((name) => !types.has(name))).toEqual(["…_change"]);
    expect(new Set(types.values()).size).toBe(7);
  });
});
