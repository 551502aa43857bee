import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { CHANNEL_RULES_VERSION } from "../../src/calls/attribution/channel-rules.ts";
import type { Call } from "../../src/calls/columns.ts";
import { encodeManifest, fingerprintOf } from "../../src/export/manifest.ts";
import { DEFAULT_DIMENSIONS, DIMENSIONS, type Dimension } from "../../src/figures/dimensions.ts";
import { draws } from "../support/draws.ts";
import {
  clockAt,
  type ExportOptions,
  exportToFolder,
  exportToStream,
  makeWarehouse,
  RUN_FINISHED_AT,
  type Target,
} from "../support/figures/produce-files.ts";
import { readLines } from "../support/figures/tables.ts";
import { listFiles, makeTempFolder, readFiles, readText } from "../support/temp-folder.ts";
import { arbitraryCalls, makeCall } from "../support/warehouses/calls.ts";

const METRICS =
  "calls,answered_calls,missed_calls,other_calls,answer_rate,unique_callers,first_time_callers,qualified_calls,qualified_rate,total_duration_seconds,average_duration_seconds,median_duration_seconds,first_call_at,last_call_at,calls_in_hours,missed_in_hours,answer_rate_in_hours";

const rollup = (...dimensions: Dimension[]): Target => ({ kind: "rollup", dimensions });
const DEFAULT_TARGETS = DEFAULT_DIMENSIONS.map((dimension) => rollup(dimension));

const CALLS: readonly Call[] = [
  makeCall({
    call_id: 1,
    caller_id: "+491",
    call_started: "2026-01-01T00:00:00.000Z",
    duration: 60,
    disposition: "ANSWERED",
    utm_source: "Google",
    utm_medium: "cpc",
    campaign_name: 'Autumn, "big"',
    campaign_id: "99",
    gclid: "CjABC",
  }),
  makeCall({
    call_id: 2,
    caller_id: "+491",
    call_started: "2026-01-02T00:00:00.000Z",
    duration: 1,
    disposition: "no-answer",
    utm_source: " google ",
    utm_medium: "CPC",
    campaign_name: 'Autumn, "big"',
    campaign_id: "99",
    gclid: "CjABC",
  }),
  makeCall({
    call_id: 3,
    caller_id: "+492",
    call_started: "2026-01-03T00:00:00.000Z",
    disposition: "TRANSFERRED",
    utm_source: "=1+1",
  }),
];

const GOOGLE =
  "2,1,1,0,0.5000,1,1,1,0.5000,61,30.5,30.5,2026-01-01T00:00:00.000Z,2026-01-02T00:00:00.000Z,,,\r\n";
const OTHER = "1,1,0,0,1.0000,1,1,0,0.0000,0,,,2026-01-03T00:00:00.000Z,2026-01-03T00:00:00.000Z,,,\r\n";
const SUMS = {
  calls: 3,
  answered_calls: 2,
  missed_calls: 1,
  other_calls: 0,
  first_time_callers: 2,
  qualified_calls: 1,
  total_duration_seconds: 61,
};

describe("exportToFolder", () => {
  it("writes exactly these bytes for these calls, and their basis into the manifest", async () => {
    using warehouse = makeWarehouse(CALLS);
    const { manifest, folder } = await warehouse.export({
      targets: [...DEFAULT_TARGETS, rollup("utm_source", "utm_medium")],
    });
    const contents = {
      utm_source: `utm_source,${METRICS}\r\ngoogle,${GOOGLE}'=1+1,${OTHER}`,
      campaign: `campaign,campaign_id,${METRICS}\r\n"Autumn, ""big""",99,${GOOGLE}(not set),,${OTHER}`,
      gclid: `gclid,${METRICS}\r\nCjABC,${GOOGLE}(not set),${OTHER}`,
      "utm_source,utm_medium": `utm_source,utm_medium,${METRICS}\r\ngoogle,cpc,${GOOGLE}'=1+1,(not set),${OTHER}`,
    };
    const files = Object.entries(contents).map(([name, content]) => ({
      contents: name,
      file: `${name.replace(",", "-")}.csv`,
      bytes: Buffer.byteLength(content),
      sha256: hash("sha256", content),
      rows: 2,
      sums: SUMS,
    }));
    expect(manifest).toEqual({
      run: {
        run_id: 1,
        finished_at: RUN_FINISHED_AT,
        verdict: "exact",
        verdict_reason: "Each page met the next.",
      },
      origin: {
        base_url: null,
        org_unit_id: null,
        account: null,
        warehouse_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
      statements: [
        { id: "short_history", level: "caution", values: { up_to: null } },
        { id: "provisional", level: "caution", values: {} },
      ],
      timezone: "UTC",
      filter: { gone_calls: "left out" },
      range: { provisional: true, short_history: true },
      rules: {
        ...DEFAULT_RULES,
        channels: CHANNEL_RULES_VERSION,
        aliases: 0,
        own_channels: 0,
        topics: 0,
        utm_values: "folded",
      },
      files,
      fingerprint: fingerprintOf(manifest),
    });
    expect(folder).toBe(warehouse.folder);
    expect(readFiles(folder)).toEqual({
      "utm_source.csv": contents.utm_source,
      "campaign.csv": contents.campaign,
      "gclid.csv": contents.gclid,
      "utm_source-utm_medium.csv": contents["utm_source,utm_medium"],
      "manifest.json": encodeManifest(manifest),
    });
  });

  it("describes filter, zone, periods and comparison in the manifest, and counts excluded callers", async () => {
    using warehouse = makeWarehouse(CALLS);
    const { manifest, folder } = await warehouse.export({
      targets: [rollup("source")],
      timezone: "Europe/Berlin",
      range: { from: "2026-03-29", to: "2026-03-30" },
      grain: "day",
      compare: "previous",
      raw: true,
      rules: { ...DEFAULT_RULES, aliases: { fb: "facebook" } },
      filter: { source: ["Google"], has_gclid: true, include_gone: true, exclude_callers: ["+4930123456"] },
    });
    expect(manifest).toMatchObject({
      timezone: "Europe/Berlin",
      filter: { gone_calls: "counted", source: ["Google"], has_gclid: true, excluded_callers: 1 },
      range: {
        from: "2026-03-29",
        to: "2026-03-30",
        starts_at: "2026-03-28T23:00:00.000Z",
        ends_at: "2026-03-30T22:00:00.000Z",
      },
      compared_with: [
        { as: "previous", from: "2026-03-27", to: "2026-03-28", starts_at: "2026-03-26T23:00:00.000Z" },
      ],
      periods: [
        { period: "2026-03-29", ends_at: "2026-03-29T22:00:00.000Z" },
        { period: "2026-03-30", ends_at: "2026-03-30T22:00:00.000Z" },
      ],
      rules: { aliases: 1, utm_values: "as stored" },
    });
    const text = readText(folder, "manifest.json");
    expect(text).not.toContain("4930123456");
    expect(text).not.toContain("provisional");
    expect(warehouse.readExports().map(({ filter }) => JSON.parse(filter))).toEqual([
      { ...manifest.filter, ...manifest.range },
    ]);
  });

  it("marks a period as provisional that ends less than the look-back before the last sync", async () => {
    using warehouse = makeWarehouse(CALLS);
    const spans = async (lookbackHours: number) => {
      const { manifest } = await warehouse.export({
        targets: [rollup("source")],
        range: { from: "2026-09-29", to: "2026-09-30" },
        grain: "day",
        lookbackHours,
      });
      return [manifest.range, ...(manifest.periods ?? [])].map(({ provisional = false }) => provisional);
    };
    // The sync ended at 00:01 on 1 October.
    expect(await spans(0)).toEqual([false, false, false]);
    expect(await spans(1)).toEqual([true, false, true]);
    expect(await spans(24)).toEqual([true, false, true]);
    expect(await spans(25)).toEqual([true, true, true]);
  });

  it("writes the sums of every file to the manifest, and equal numbers of calls for every file of a filter", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCalls(40), fc.boolean(), fc.boolean(), async (calls, raw, fill) => {
        using warehouse = makeWarehouse(calls);
        const { manifest, folder } = await warehouse.export({
          targets: [...DIMENSIONS.map((dimension) => rollup(dimension)), rollup("source", "campaign")],
          rules: { ...DEFAULT_RULES, duration_unit: "milliseconds" },
          timezone: "America/New_York",
          grain: "month",
          raw,
          fill,
          total: true,
        });
        const durations = calls.reduce((sum, call) => sum + (call.duration ?? 0), 0);
        for (const { file, bytes, sha256, rows, sums = {} } of manifest.files) {
          const content = readFileSync(join(folder, file));
          const [header = [], ...lines] = readLines(content);
          const total = lines.pop() ?? [];
          expect([content.length, hash("sha256", content), lines.length]).toEqual([bytes, sha256, rows]);
          for (const [name, sum] of Object.entries(sums)) {
            const place = header.indexOf(name);
            const added = lines.reduce((before, line) => before + Number(line[place]), 0);
            expect(added).toBeCloseTo(sum, 6);
            expect(Number(total[place])).toBe(sum);
          }
          expect([sums.calls, sums.total_duration_seconds]).toEqual([calls.length, durations / 1000]);
        }
      }),
      { numRuns: draws(10) },
    );
  });

  it("writes the same bytes for the same warehouse, at any time and into any folder", async () => {
    using warehouse = makeWarehouse(CALLS);
    const targets: Target[] = [...DEFAULT_TARGETS, { kind: "calls", with: [] }];
    const first = await warehouse.export({ targets, clock: clockAt(1), grain: "day", total: true });
    const second = await warehouse.export({
      targets,
      clock: clockAt(2e12),
      grain: "day",
      total: true,
      folder: join(warehouse.folder, "..", "second"),
    });
    expect(listFiles(second.folder)).toEqual([
      "calls.csv",
      "campaign.csv",
      "gclid.csv",
      "manifest.json",
      "utm_source.csv",
    ]);
    expect(readFiles(second.folder)).toEqual(readFiles(first.folder));
  });

  it("records the files in the warehouse", async () => {
    using warehouse = makeWarehouse(CALLS);
    const { manifest } = await warehouse.export({
      targets: DEFAULT_TARGETS,
      range: { to: "2026-01-02" },
      clock: clockAt(Date.UTC(2026, 9, 2)),
    });
    expect(warehouse.readExports()).toEqual(
      manifest.files.map(({ file, sha256, rows }, index) => ({
        export_id: index + 1,
        exported_at: "2026-10-02T00:00:00.000Z",
        path: join(warehouse.folder, file),
        sha256,
        rows,
        filter:
          '{"gone_calls":"left out","to":"2026-01-02","ends_at":"2026-01-03T00:00:00.000Z","short_history":true}',
        run_id: 1,
        caller_key: null,
        manifest_sha256: hash("sha256", encodeManifest(manifest)),
      })),
    );
  });

  it("writes only headers for an empty warehouse", async () => {
    using warehouse = makeWarehouse([]);
    const { manifest, folder } = await warehouse.export({
      targets: DEFAULT_TARGETS,
      grain: "day",
      fill: true,
    });
    expect(manifest).toMatchObject({ range: { provisional: true }, periods: [] });
    expect(manifest.files.map(({ rows, sums }) => [rows, sums?.calls])).toEqual(Array(3).fill([0, 0]));
    expect(readFiles(folder)).toMatchObject({
      "utm_source.csv": `period,period_start,utm_source,${METRICS}\r\n`,
      "campaign.csv": `period,period_start,campaign,campaign_id,${METRICS}\r\n`,
      "gclid.csv": `period,period_start,gclid,${METRICS}\r\n`,
    });
    expect(warehouse.readExports().map(({ run_id }) => run_id)).toEqual([1, 1, 1]);
  });

  it("writes headers, and a total of zero calls on request, if nothing matches the filter", async () => {
    using warehouse = makeWarehouse(CALLS);
    const { manifest, folder } = await warehouse.export({
      targets: [rollup("utm_source")],
      filter: { source: ["bing"] },
      isEmptyAllowed: true,
      total: true,
    });
    expect(manifest.files).toMatchObject([{ rows: 0, total_line: true, sums: { calls: 0 } }]);
    expect(readText(folder, "utm_source.csv")).toBe(
      `utm_source,${METRICS}\r\n(total),0,0,0,0,,0,0,0,,0,,,,,,,\r\n`,
    );
  });

  const BREAKS: {
    cause: string;
    prepare: (warehouse: ReturnType<typeof makeWarehouse>) => void;
    options: Partial<ExportOptions>;
    error: object;
  }[] = [
    {
      cause: "it was stopped",
      prepare: () => {},
      options: { signal: AbortSignal.abort(new Error("Stopped by SIGINT")) },
      error: { message: "Stopped by SIGINT" },
    },
    {
      cause: "the warehouse fails at its second file",
      prepare: ({ execute }) => execute("DROP TABLE transcripts"),
      options: { targets: [rollup("gclid"), { kind: "calls", with: ["summary"] }] },
      error: { exitCode: 7, message: expect.stringContaining("calls.db (SQLITE_ERROR)") },
    },
  ];

  it.each(BREAKS)("keeps the old files, and no drafts, if $cause", async ({ prepare, options, error }) => {
    using warehouse = makeWarehouse(CALLS);
    await warehouse.export({ targets: [...DEFAULT_TARGETS, { kind: "calls", with: [] }] });
    prepare(warehouse);
    const before = readFiles(warehouse.folder);
    warehouse.execute("DELETE FROM calls WHERE call_id = 1");

    await expect(warehouse.export({ targets: DEFAULT_TARGETS, ...options })).rejects.toMatchObject(error);

    expect(readFiles(warehouse.folder)).toEqual(before);
    expect(warehouse.readExports()).toHaveLength(4);
    expect(listFiles(join(warehouse.folder, "..")).filter((file) => !file.startsWith("exports/"))).toEqual([
      "calls.db",
      "calls.db.caller-key",
    ]);
  });

  it("refuses to fill more periods than a file can hold, and leaves nothing", async () => {
    const calls = Array.from({ length: 600 }, (_, index) =>
      makeCall({ call_id: index, gclid: `C${index}`, call_started: "1970-01-01T00:00:00.000Z" }),
    );
    using warehouse = makeWarehouse(calls);
    const range = { from: "1970-01-01", to: "1979-12-31" };
    const filled = warehouse.export({ targets: [rollup("gclid")], grain: "day", fill: true, range });
    await expect(filled).rejects.toThrow("--fill would write 2191200 rows: 600 keys in 3652 periods");
    await expect(filled).rejects.toMatchObject({ exitCode: 2 });
    expect(listFiles(join(warehouse.folder, ".."))).toEqual(["calls.db"]);
  });

  it("stops in the middle of a file when aborted, and leaves no part of it", async () => {
    const calls = Array.from({ length: 3000 }, (_, index) =>
      makeCall({ call_id: index, gclid: `C${index}` }),
    );
    using warehouse = makeWarehouse(calls);
    const stop = new AbortController();
    const chunks: string[] = [];
    const stopped = exportToStream({
      database: warehouse.database,
      timezone: "UTC",
      lookbackHours: 72,
      rules: DEFAULT_RULES,
      targets: [rollup("gclid")],
      signal: stop.signal,
      writeChunk: async (chunk) => {
        chunks.push(chunk.toString());
        if (chunks.length === 2) stop.abort(new Error("Stopped by SIGTERM"));
      },
    });
    await expect(stopped).rejects.toThrow("Stopped by SIGTERM");
    expect(chunks).toHaveLength(2);
    await expect(warehouse.export({ targets: [rollup("gclid")], signal: stop.signal })).rejects.toThrow(
      "Stopped by SIGTERM",
    );
    expect(listFiles(join(warehouse.folder, ".."))).toEqual(["calls.db"]);
  });

  it("refuses a missing warehouse with exit code 7, and creates nothing", async () => {
    using temp = makeTempFolder();
    const run = exportToFolder({
      database: join(temp.path, "calls.db"),
      folder: join(temp.path, "exports"),
      timezone: "UTC",
      lookbackHours: 72,
      rules: DEFAULT_RULES,
      targets: DEFAULT_TARGETS,
    });
    await expect(run).rejects.toMatchObject({ name: "CalltallyError", exitCode: 7 });
    expect(readdirSync(temp.path)).toEqual([]);
  });
});

describe("exportToStream", () => {
  it("writes the same bytes as to a file, without a file or a record", async () => {
    using warehouse = makeWarehouse(CALLS);
    const { manifest, folder } = await warehouse.export({ targets: [rollup("campaign")] });
    const chunks: Buffer[] = [];
    const streamed = await exportToStream({
      database: warehouse.database,
      timezone: "UTC",
      lookbackHours: 72,
      rules: DEFAULT_RULES,
      targets: [rollup("campaign")],
      writeChunk: async (chunk) => void chunks.push(chunk),
    });
    expect(Buffer.concat(chunks).toString()).toBe(readText(folder, "campaign.csv"));
    expect(streamed.manifest).toEqual(manifest);
    expect(warehouse.readExports()).toHaveLength(1);
  });
});
