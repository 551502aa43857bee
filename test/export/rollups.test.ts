import { hash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Call } from "../../src/call.ts";
import { CalltallyError } from "../../src/errors.ts";
import { type ExportOptions, exportRollups } from "../../src/export/rollups.ts";
import { DEFAULT_DIMENSIONS, DIMENSIONS } from "../../src/rollup/dimensions.ts";
import { DEFAULT_RULES } from "../../src/rollup/rules.ts";
import { prepareUpsertCalls } from "../../src/warehouse/calls.ts";
import { openExistingWarehouse, openWarehouse } from "../../src/warehouse/open.ts";
import { startRun, updateRun } from "../../src/warehouse/runs.ts";
import { exports } from "../../src/warehouse/schema.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import { arbitraryCalls, makeCall } from "../calls.ts";
import { foldRollup } from "../rollup/fold.ts";
import { makeTempFolder } from "../temp-folder.ts";

const METRIC_NAMES =
  "calls,answered_calls,missed_calls,other_calls,answer_rate,unique_callers,first_time_callers,qualified_calls,total_duration_seconds,average_duration_seconds,first_call_at,last_call_at";

const clockAt = (now: number) => ({ now: () => now, sleep: () => Promise.resolve() });

/** A temporary folder with a warehouse of these calls, and how to export it. */
function makeWarehouse(calls: readonly Call[], { isDone = true } = {}) {
  const temp = makeTempFolder();
  const database = join(temp.path, "calls.db");
  {
    using warehouse = openWarehouse(database);
    const runId = startRun(warehouse, {
      started_at: "2026-10-01T00:00:00.000Z",
      mode: "full",
      plan_reason: "a test",
      pid: 1,
    });
    writeTransaction(warehouse, () => prepareUpsertCalls(warehouse, runId)(calls));
    if (isDone) {
      updateRun(warehouse, runId, {
        status: "done",
        finished_at: "2026-10-01T00:01:00.000Z",
        verdict: "exact",
        verdict_reason: "Each page met the next.",
      });
    }
  }
  const folder = join(temp.path, "exports");
  return {
    database,
    folder,
    run: (options: Partial<ExportOptions> = {}) =>
      exportRollups({
        database,
        folder,
        dimensions: DEFAULT_DIMENSIONS,
        rules: DEFAULT_RULES,
        raw: false,
        clock: clockAt(0),
        ...options,
      }),
    readExports: () => {
      using warehouse = openExistingWarehouse(database);
      return warehouse.db.select().from(exports).all();
    },
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  };
}

const readFolder = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]));
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

const CALLS: readonly Call[] = [
  makeCall({
    call_id: 1,
    caller_id: "+491",
    call_started: "2026-01-01T00:00:00.000Z",
    duration: 60,
    disposition: "ANSWERED",
    utm_source: "Google",
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

describe("exportRollups", () => {
  it("writes these bytes for these calls", async () => {
    using warehouse = makeWarehouse(CALLS);
    const { manifest, folder } = await warehouse.run();
    const google = "2,1,1,0,0.5000,1,1,1,61,30.5,2026-01-01T00:00:00.000Z,2026-01-02T00:00:00.000Z\r\n";
    const other = "1,1,0,0,1.0000,1,1,0,0,,2026-01-03T00:00:00.000Z,2026-01-03T00:00:00.000Z\r\n";
    const files = {
      "utm_source.csv": `utm_source,${METRIC_NAMES}\r\ngoogle,${google}'=1+1,${other}`,
      "campaign.csv": `campaign,campaign_id,${METRIC_NAMES}\r\n"Autumn, ""big""",99,${google}(not set),,${other}`,
      "gclid.csv": `gclid,${METRIC_NAMES}\r\nCjABC,${google}(not set),${other}`,
    };
    const sums = {
      calls: 3,
      answered_calls: 2,
      missed_calls: 1,
      other_calls: 0,
      first_time_callers: 2,
      qualified_calls: 1,
      total_duration_seconds: 61,
    };
    const describeFile = (dimension: keyof typeof files extends `${infer D}.csv` ? D : never) => {
      const content = files[`${dimension}.csv`];
      return {
        dimension,
        file: `${dimension}.csv`,
        bytes: Buffer.byteLength(content),
        sha256: hash("sha256", content),
        rows: 2,
        sums,
      };
    };
    expect(manifest).toEqual({
      run: {
        run_id: 1,
        finished_at: "2026-10-01T00:01:00.000Z",
        verdict: "exact",
        verdict_reason: "Each page met the next.",
      },
      timezone: "UTC",
      filter: { gone_calls: "left out", utm_values: "folded" },
      rules: DEFAULT_RULES,
      files: [describeFile("utm_source"), describeFile("campaign"), describeFile("gclid")],
    });
    expect(folder).toBe(warehouse.folder);
    expect(readFolder(folder)).toEqual({
      ...files,
      "manifest.json": `${JSON.stringify(manifest, null, 2)}\n`,
    });
  });

  it("writes what the fold in memory tallies, and the manifest adds it up", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCalls(40), fc.boolean(), async (calls, raw) => {
        using warehouse = makeWarehouse(calls);
        const rules = { ...DEFAULT_RULES, duration_unit: "milliseconds" } as const;
        const { manifest, folder } = await warehouse.run({ dimensions: DIMENSIONS, rules, raw });
        expect(manifest.files.map(({ dimension }) => dimension)).toEqual(DIMENSIONS);
        const durations = calls.reduce((sum, call) => sum + (call.duration ?? 0), 0);
        for (const { dimension, file, bytes, sha256, rows, sums } of manifest.files) {
          const content = readFileSync(join(folder, file));
          const [header = [], ...lines] = parse(content, { record_delimiter: "\r\n" });
          const keys = header.length - METRIC_NAMES.split(",").length;
          const folded = foldRollup(calls, dimension, rules, { raw });
          expect(header.slice(keys).join(",")).toBe(METRIC_NAMES);
          expect(
            lines.map((line) => line.slice(keys).map((cell) => (/[TZ]/.test(cell) ? cell : Number(cell)))),
          ).toEqual(
            folded.map((row) =>
              row.slice(keys).map((cell) => (typeof cell === "string" ? cell : Number(cell))),
            ),
          );
          expect({ bytes, sha256, rows }).toEqual({
            bytes: content.length,
            sha256: hash("sha256", content),
            rows: folded.length,
          });
          expect([sums.calls, sums.total_duration_seconds]).toEqual([calls.length, durations / 1000]);
        }
      }),
      { numRuns: 25 },
    );
  });

  it("writes the same bytes of the same warehouse, whenever and wherever to", async () => {
    using warehouse = makeWarehouse(CALLS);
    const first = await warehouse.run({ clock: clockAt(1) });
    const second = await warehouse.run({ clock: clockAt(2e12), folder: join(warehouse.folder, "second") });
    const bytes = readFolder(second.folder);
    expect(Object.keys(bytes)).toEqual(["campaign.csv", "gclid.csv", "manifest.json", "utm_source.csv"]);
    for (const [file, content] of Object.entries(bytes)) {
      expect(readFileSync(join(first.folder, file), "utf8")).toBe(content);
    }
  });

  it("lists the files in the warehouse", async () => {
    using warehouse = makeWarehouse(CALLS);
    const { manifest } = await warehouse.run({ clock: clockAt(Date.UTC(2026, 9, 2)), raw: true });
    expect(warehouse.readExports()).toEqual(
      manifest.files.map(({ file, sha256, rows }, index) => ({
        export_id: index + 1,
        exported_at: "2026-10-02T00:00:00.000Z",
        path: join(warehouse.folder, file),
        sha256,
        rows,
        filter: '{"gone_calls":"left out","utm_values":"as stored"}',
        run_id: 1,
      })),
    );
  });

  it("leaves files that only their owner may read, and no drafts", async () => {
    using warehouse = makeWarehouse(CALLS);
    await warehouse.run();
    const files = readdirSync(warehouse.folder);
    expect(files).toEqual(["campaign.csv", "gclid.csv", "manifest.json", "utm_source.csv"]);
    expect(files.map((file) => modeOf(join(warehouse.folder, file)))).toEqual(["600", "600", "600", "600"]);
    expect(modeOf(warehouse.folder)).toBe("700");
  });

  it("writes headers alone for an empty warehouse that no run has finished", async () => {
    using warehouse = makeWarehouse([], { isDone: false });
    const { manifest, folder } = await warehouse.run();
    expect(manifest.run).toBeNull();
    expect(manifest.files.map(({ rows, sums }) => [rows, ...Object.values(sums)])).toEqual([
      [0, 0, 0, 0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0, 0, 0, 0],
    ]);
    expect(readFolder(folder)).toMatchObject({
      "utm_source.csv": `utm_source,${METRIC_NAMES}\r\n`,
      "campaign.csv": `campaign,campaign_id,${METRIC_NAMES}\r\n`,
      "gclid.csv": `gclid,${METRIC_NAMES}\r\n`,
    });
    expect(warehouse.readExports().map(({ run_id }) => run_id)).toEqual([null, null, null]);
  });

  it("leaves gone calls out", async () => {
    using warehouse = makeWarehouse(CALLS);
    {
      using opened = openExistingWarehouse(warehouse.database);
      opened.sqlite.exec("UPDATE calls SET gone_at = '2026-10-02T00:00:00.000Z' WHERE call_id = 3");
    }
    const { manifest } = await warehouse.run();
    expect(manifest.files.map(({ rows, sums }) => [rows, sums.calls])).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
  });

  it("groups utm values as they are stored when raw", async () => {
    using warehouse = makeWarehouse(CALLS);
    const { folder } = await warehouse.run({ dimensions: ["utm_source"], raw: true });
    const lines: string[][] = parse(readFileSync(join(folder, "utm_source.csv")), {
      record_delimiter: "\r\n",
    });
    expect(lines.map(([key, calls]) => [key, calls])).toEqual([
      ["utm_source", "calls"],
      [" google ", "1"],
      ["'=1+1", "1"],
      ["Google", "1"],
    ]);
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
      prepare: ({ database }) => {
        using opened = openExistingWarehouse(database);
        opened.sqlite.exec("DROP TABLE utm_values");
      },
      options: { dimensions: ["gclid", "utm_source"] },
      error: { code: "SQLITE_ERROR" },
    },
    {
      cause: "a folder stands where its first file goes",
      prepare: ({ folder }) => mkdirSync(join(folder, "org_unit.csv")),
      options: { dimensions: ["org_unit", "gclid"] },
      error: { syscall: "rename" },
    },
  ];

  it.each(BREAKS)("leaves the old files and no drafts when $cause", async ({ prepare, options, error }) => {
    using warehouse = makeWarehouse(CALLS);
    await warehouse.run();
    prepare(warehouse);
    const listed = readdirSync(warehouse.folder);
    const readFiles = () =>
      ["campaign.csv", "gclid.csv", "manifest.json", "utm_source.csv"].map((file) =>
        readFileSync(join(warehouse.folder, file), "utf8"),
      );
    const before = readFiles();
    {
      using opened = openExistingWarehouse(warehouse.database);
      opened.sqlite.exec("DELETE FROM calls WHERE call_id = 1");
    }

    await expect(warehouse.run(options)).rejects.toMatchObject(error);

    expect(readFiles()).toEqual(before);
    expect(readdirSync(warehouse.folder)).toEqual(listed);
    expect(warehouse.readExports()).toHaveLength(3);
    expect(readdirSync(join(warehouse.folder, "..")).sort()).toEqual(["calls.db", "exports"]);
  });

  it("refuses a warehouse that is not there with exit 7, and makes nothing", async () => {
    using temp = makeTempFolder();
    const run = exportRollups({
      database: join(temp.path, "calls.db"),
      folder: join(temp.path, "exports"),
      dimensions: DEFAULT_DIMENSIONS,
      rules: DEFAULT_RULES,
      raw: false,
    });
    await expect(run).rejects.toBeInstanceOf(CalltallyError);
    await expect(run).rejects.toMatchObject({ exitCode: 7 });
    expect(readdirSync(temp.path)).toEqual([]);
  });

  it("throws when the folder is a file, and leaves that file alone", async () => {
    using warehouse = makeWarehouse(CALLS);
    writeFileSync(warehouse.folder, "not a folder");
    await expect(warehouse.run()).rejects.toMatchObject({ code: "EEXIST" });
    expect(readFileSync(warehouse.folder, "utf8")).toBe("not a folder");
    expect(warehouse.readExports()).toEqual([]);
  });
});
