import { createHmac } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { namesOf } from "../../src/base/records.ts";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { COLUMNS } from "../../src/calls/columns.ts";
import { PRIVATE_COLUMNS } from "../../src/config/request/option-values.ts";
import { type ExportOptions, makeWarehouse, type Target } from "../support/figures/produce-files.ts";
import { readLines, readParquetObjects } from "../support/figures/tables.ts";
import { listFiles, readText } from "../support/temp-folder.ts";
import { arbitraryCalls, FULL_CALL, makeCall } from "../support/warehouses/calls.ts";

const CALLS: Target = { kind: "calls" };
const KEY = "00".repeat(32);
const KEY_BYTES = Buffer.alloc(32);
const hmac = (digits: string) => createHmac("sha256", KEY_BYTES).update(digits).digest("hex");

type Options = Partial<ExportOptions> & Pick<Target, "with">;

/** Exports the calls of a warehouse as CSV; returns the rows under their columns' names. */
async function exportRows(
  warehouse: ReturnType<typeof makeWarehouse>,
  { with: columns = [], ...options }: Options = {},
): Promise<Record<string, string>[]> {
  const { folder } = await warehouse.export({ targets: [{ kind: "calls", with: columns }], ...options });
  const [header = [], ...lines] = readLines(readText(folder, "calls.csv"));
  return lines.map((line) => Object.fromEntries(header.map((name, index) => [name, line[index] ?? ""])));
}

const membersShown = () => namesOf(COLUMNS).filter((name) => "shown" in COLUMNS[name] && COLUMNS[name].shown);
const readParquet = (folder: string, file: string) => readParquetObjects(readFileSync(join(folder, file)));

describe("export calls", () => {
  it("writes every member that lists show, private ones on request", async () => {
    using warehouse = makeWarehouse([FULL_CALL]);
    const [row = {}] = await exportRows(warehouse, { with: PRIVATE_COLUMNS });
    const lacking = membersShown().filter((name) => !(name in row));
    // The duration has its unit in its name; its lines are in the transcription.
    expect(lacking).toEqual(["duration", "transcription_details"]);
  });

  it("writes every column of a call, private ones on request", async () => {
    using warehouse = makeWarehouse([{ ...FULL_CALL, caller_id: "+49 (30) 12-34.56" }]);
    writeFileSync(`${warehouse.database}.caller-key`, KEY);
    const [row, ...others] = await exportRows(warehouse, {
      timezone: "Europe/Berlin",
      with: PRIVATE_COLUMNS,
      format: { format: "csv", profile: "machine" },
    });
    expect(others).toEqual([]);
    const expected = {
      call_id: "731000005",
      call_started: "2026-09-15T14:30:00.125Z",
      call_started_local: "2026-09-15 16:30:00",
      utc_offset: "+02:00",
      local_day: "2026-09-15",
      local_week: "2026-W38",
      local_weekday: "Tuesday",
      local_hour: "16",
      source: "google",
      medium: "cpc",
      campaign: "Autumn sale",
      campaign_as_tagged: "Autumn sale",
      channel: "Paid Search",
      insight_name: "Google Ads",
      tracking_number: "+4989654321",
      caller_hash: hmac("+4930123456"),
      duration_seconds: "61",
      disposition: "ANSWERED",
      outcome: "answered",
      topic: "",
      qualified: "1",
      in_hours: "",
      first_time_caller: "1",
      org_unit_id: "7",
      org_unit_name: "Munich",
      referring_host: "google.com",
      utm_source_folded: "google",
      utm_medium_folded: "cpc",
      utm_campaign_folded: "autumn",
      utm_content_folded: "headline",
      utm_term_folded: "plumber",
      utm_source: "Google",
      utm_medium: "cpc",
      utm_campaign: "Autumn",
      utm_content: "headline",
      utm_term: "plumber",
      gclid: "CjABC_def-1",
      gclsrc: "aw.ds",
      google_analytics_cid: "123.456",
      referring_url: "https://www.google.com/",
      campaign_name: "Autumn sale",
      campaign_id: "99",
      gone_at: "",
      changed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      caller_id: "+49 (30) 12-34.56",
      summary: "A leaking tap.",
      transcription: "Hello. My tap leaks.",
      recording_url: "https://recordings.example.com/5.mp3?Expires=1&Signature=one",
    };
    expect(row).toEqual(expected);
    expect(Object.keys(row ?? {})).toEqual(Object.keys(expected));
  });

  it("contains no personal data unless requested", async () => {
    using warehouse = makeWarehouse([FULL_CALL]);
    for (const asked of [[], ...PRIVATE_COLUMNS.map((column) => [column])]) {
      const { folder } = await warehouse.export({ targets: [{ kind: "calls", with: asked }] });
      const text = readText(folder, "calls.csv") + readText(folder, "manifest.json");
      const told = PRIVATE_COLUMNS.filter((column) => text.includes(String(FULL_CALL[column])));
      expect(told).toEqual(asked);
      expect(text).not.toContain('"channel":"caller"');
    }
  });

  it("writes milliseconds as seconds if the rules define that unit", async () => {
    using warehouse = makeWarehouse([makeCall({ duration: 61_500, disposition: "answered" })]);
    const rules = { ...DEFAULT_RULES, duration_unit: "milliseconds" } as const;
    const rows = await exportRows(warehouse, { rules });
    expect(rows.map(({ duration_seconds, qualified }) => [duration_seconds, qualified])).toEqual([
      ["61.500", "1"],
    ]);
  });
});

describe("export calls as Parquet", () => {
  const parquet = { format: "parquet" } as const;
  const at = (call_id: number, call_started: string | null) => makeCall({ call_id, call_started });

  it("writes a file for each local month, and replaces those of the previous export", async () => {
    using warehouse = makeWarehouse([
      at(1, "2026-08-31T21:59:59.999Z"),
      at(2, "2026-08-31T22:00:00.000Z"),
      at(3, "2026-09-15T12:00:00.000Z"),
      at(4, null),
    ]);
    const options = { targets: [CALLS], format: parquet, timezone: "Europe/Berlin" };
    const { manifest, folder } = await warehouse.export(options);
    const files = ["2026-08", "2026-09", "__HIVE_DEFAULT_PARTITION__"].map(
      (month) => `calls/month=${month}/calls.parquet`,
    );
    expect(listFiles(folder)).toEqual([...files, "manifest.json"]);
    expect(manifest.files.map(({ file, rows }) => [file, rows])).toEqual([
      [files[0], 1],
      [files[1], 2],
      [files[2], 1],
    ]);
    const read = await Promise.all(files.map((file) => readParquet(folder, file)));
    expect(read.map((rows) => rows.map(({ call_id, call_started }) => ({ call_id, call_started })))).toEqual([
      [{ call_id: 1n, call_started: new Date("2026-08-31T21:59:59.999Z") }],
      [
        { call_id: 2n, call_started: new Date("2026-08-31T22:00:00.000Z") },
        { call_id: 3n, call_started: new Date("2026-09-15T12:00:00.000Z") },
      ],
      [{ call_id: 4n, call_started: null }],
    ]);

    const fewer = { ...options, range: { from: "2026-09-02" } };
    await expect(warehouse.export(fewer)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining("would remove the calls of 2026-08, which these days do not include"),
    });
    const known = { ...options, range: { from: "2026-08-31", to: "2026-09-30" } };
    await expect(warehouse.export(known)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining("would remove the calls whose start is unknown"),
    });
    expect(listFiles(folder)).toEqual([...files, "manifest.json"]);
    await warehouse.export({ ...known, replace: true });
    expect(listFiles(folder)).toEqual([files[0], files[1], "manifest.json"]);

    await warehouse.export({ ...fewer, replace: true });
    expect(listFiles(folder)).toEqual([files[1], "manifest.json"]);
    expect(existsSync(join(folder, "calls/month=2026-08"))).toBe(false);
    expect((await readParquet(folder, files[1] ?? "")).map(({ call_id }) => call_id)).toEqual([3n]);
  });

  it("writes one file with columns and no rows for an empty selection, and removes it once there are calls", async () => {
    using warehouse = makeWarehouse([at(1, "2026-08-01T12:00:00.000Z")]);
    const options = { targets: [CALLS], format: parquet };
    const { folder } = await warehouse.export(options);
    const filtered = { ...options, filter: { has_gclid: true } } as const;
    await expect(warehouse.export(filtered)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining("would remove calls that this filter leaves out"),
    });
    const { manifest } = await warehouse.export({ ...filtered, replace: true });
    await warehouse.export(filtered);
    const empty = "calls/month=__HIVE_DEFAULT_PARTITION__/calls.parquet";
    expect(listFiles(folder)).toEqual([empty, "manifest.json"]);
    expect(await readParquet(folder, empty)).toEqual([]);
    expect(manifest.files).toMatchObject([{ contents: "calls", file: empty, rows: 0 }]);

    await warehouse.export(options);
    expect(listFiles(folder)).toEqual(["calls/month=2026-08/calls.parquet", "manifest.json"]);
  });

  it("writes each month once even if clocks fell back into the month before", async () => {
    using warehouse = makeWarehouse([
      at(1, "2009-11-01T02:30:30.000Z"), // 00:00:30 on the 1st
      at(2, "2009-11-01T02:45:00.000Z"), // 23:15 on the 31st, once more
      at(3, "2009-11-01T12:00:00.000Z"),
    ]);
    const { manifest, folder } = await warehouse.export({
      targets: [CALLS],
      format: parquet,
      timezone: "America/St_Johns",
    });
    expect(manifest.files.map(({ file, rows }) => [file, rows])).toEqual([
      ["calls/month=2009-11/calls.parquet", 3],
    ]);
    const rows = await readParquet(folder, "calls/month=2009-11/calls.parquet");
    expect(rows.map(({ call_started_local }) => call_started_local)).toEqual([
      new Date("2009-11-01T00:00:30Z"),
      new Date("2009-10-31T23:15:00Z"),
      new Date("2009-11-01T08:30:00Z"),
    ]);
  });

  it("writes the same values as the CSV file for any calls", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCalls(60), async (calls) => {
        using warehouse = makeWarehouse(calls);
        const lines = await exportRows(warehouse, {
          with: PRIVATE_COLUMNS,
          format: { format: "csv", profile: "machine" },
        });
        const { manifest, folder } = await warehouse.export({
          targets: [{ kind: "calls", with: PRIVATE_COLUMNS }],
          format: parquet,
        });
        const rows = [];
        for (const { file } of manifest.files) rows.push(...(await readParquet(folder, file)));
        const toText = (name: string, value: unknown) => {
          if (value === null) return "";
          if (typeof value === "boolean") return value ? "1" : "0";
          if (!(value instanceof Date)) return String(value);
          const time = value.toISOString();
          if (name === "local_day") return time.slice(0, 10);
          return name === "call_started_local" ? time.slice(0, 19).replace("T", " ") : time;
        };
        expect(
          rows.map((row) =>
            Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toText(name, value)])),
          ),
        ).toEqual(lines);
      }),
      { numRuns: 5 },
    );
  });
});
