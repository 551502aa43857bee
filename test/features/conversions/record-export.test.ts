import { existsSync, globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { forgetCallers } from "../../../src/operate/forget/forget-callers.ts";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { clockAt, makeWarehouse, type Target } from "../../support/figures/produce-files.ts";
import { listFiles, readFiles, readText } from "../../support/temp-folder.ts";
import { locked } from "../../support/warehouses/warehouse.ts";
import {
  at,
  conversionCall,
  DAY_MS,
  HOUR_MS,
  NOW,
  ordersOf,
  readLedger,
  sync,
  uploadNotesOf,
  type Warehouse,
  writeNew,
} from "./upload-files.ts";

const CONVERSION = { name: "Qualified call", every: false, new: true };
const BOTH: Target[] = [
  { kind: "google-ads", conversion: CONVERSION },
  { kind: "ga4-events", conversion: CONVERSION },
];
const call = (id: number) =>
  conversionCall(id, { google_analytics_cid: `1.${id}`, call_started: at(NOW - 2 * DAY_MS + id * HOUR_MS) });

/** Makes SQLite refuse a change of a table, as on a full disk, until the returned function is called. */
function refuse({ execute }: Warehouse, change: string): () => void {
  execute(`CREATE TRIGGER refused BEFORE ${change} BEGIN SELECT RAISE(ABORT, 'no room'); END`);
  return () => execute("DROP TRIGGER refused");
}

describe("recording of an export", () => {
  it("fails before any file is renamed if the warehouse cannot record the files", async () => {
    using warehouse = makeWarehouse([call(1)]);
    await warehouse.export({ targets: BOTH, clock: clockAt(NOW) });
    const [files, ledger, exported] = [
      readFiles(warehouse.folder),
      readLedger(warehouse),
      warehouse.readExports(),
    ];
    sync(warehouse, [call(2)]);
    const mend = refuse(warehouse, "INSERT ON exports");
    await expect(warehouse.export({ targets: BOTH, clock: clockAt(NOW) })).rejects.toMatchObject({
      exitCode: 7,
    });
    mend();
    expect(readFiles(warehouse.folder)).toEqual(files);
    expect(readLedger(warehouse)).toEqual(ledger);
    expect(warehouse.readExports()).toEqual(exported);
    expect(ordersOf((await writeNew(warehouse)).rows)).toEqual(["call-2"]);
  });

  it("names the files in place if the warehouse cannot record the end, and the next export rewrites them", async () => {
    using warehouse = makeWarehouse([call(1)]);
    const targets: Target[] = [...BOTH, { kind: "rollup", dimensions: ["source"] }];
    const mend = refuse(warehouse, "UPDATE ON exports");
    const failed = await warehouse.export({ targets, clock: clockAt(NOW) }).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      exitCode: 7,
      hint: expect.stringContaining("run the same export again"),
    });
    for (const file of ["google-ads.csv", "google-ads.excluded.csv", "ga4-events.csv", "source.csv"]) {
      expect(String(failed)).toContain(join(warehouse.folder, file));
      expect(listFiles(warehouse.folder)).toContain(file);
    }
    mend();
    expect(warehouse.readExports()).toMatchObject(Array(5).fill({ exported_at: null }));
    expect(readLedger(warehouse)).toMatchObject({ files: [{ state: "pending" }, { state: "pending" }] });
    warehouse.execute("UPDATE upload_files SET process = '1@1'"); // it has ended by now
    const uploads = uploadNotesOf(await warehouse.export({ targets, clock: clockAt(NOW) }));
    expect(uploads).toEqual({
      rewritten: [
        expect.objectContaining({ contents: "google-ads", upload_file_id: 1 }),
        expect.objectContaining({ contents: "ga4-events", upload_file_id: 2 }),
      ],
    });
    expect(readText(warehouse.folder, "ga4-events.csv").trim().split("\n")).toHaveLength(2);
    expect(readLedger(warehouse).files.map(({ state }) => state)).toEqual([
      "replaced",
      "replaced",
      "written",
      "written",
    ]);
  });

  it("keeps the files that a failing export already renamed, and the next export rewrites them", async () => {
    using warehouse = makeWarehouse([call(1)]);
    const meanwhile = async () => {
      for (const file of globSync(".ga4-events.csv.*.tmp", { cwd: warehouse.folder })) {
        rmSync(join(warehouse.folder, file));
      }
    };
    const failed = warehouse.export({ targets: BOTH, meanwhile, clock: clockAt(NOW) });
    await expect(failed).rejects.toMatchObject({ code: "ENOENT" });
    expect(listFiles(warehouse.folder)).toEqual([
      "google-ads.csv",
      "google-ads.excluded.csv",
      "manifest.json",
    ]);
    expect(readLedger(warehouse).files).toMatchObject([{ contents: "google-ads", state: "pending" }]);
    expect(warehouse.readExports().map(({ path }) => path)).toEqual(
      ["google-ads.csv", "google-ads.excluded.csv"].map((file) => join(warehouse.folder, file)),
    );
    const { manifest, ...made } = await warehouse.export({ targets: BOTH, clock: clockAt(NOW) });
    expect(uploadNotesOf(made)).toEqual({ rewritten: [expect.objectContaining({ upload_file_id: 1 })] });
    expect(manifest.files.flatMap(({ examined, rows }) => (examined ? rows : []))).toEqual([1, 1]);
  });

  it("refuses to rewrite a file that was moved away meanwhile", async () => {
    using warehouse = makeWarehouse([call(1)]);
    await writeNew(warehouse);
    warehouse.execute("UPDATE upload_files SET draft = path || '.tmp', process = '1@1'");
    const meanwhile = async () => rmSync(join(warehouse.folder, "google-ads.csv"));
    const failed = warehouse.export({ targets: BOTH, meanwhile, clock: clockAt(NOW) });
    await expect(failed).rejects.toMatchObject({ exitCode: 6 });
    const uploads = uploadNotesOf(await warehouse.export({ targets: BOTH, clock: clockAt(NOW) }));
    expect(uploads).toMatchObject({ left: [{ upload_file_id: 1, written_at: at(NOW) }] });
    expect(readLedger(warehouse).lines.map(({ call_id }) => call_id)).toEqual([1, 1]);
    const next = uploadNotesOf(await warehouse.export({ targets: BOTH, clock: clockAt(NOW) }));
    expect(next?.left, "it is reported once").toBeUndefined();
  });

  it("names a file of a resumed report run that was moved away meanwhile", async () => {
    using warehouse = makeWarehouse([call(1)]);
    const reportRun = { runId: 7, isRepeated: false };
    const write = async () =>
      uploadNotesOf(await warehouse.export({ targets: BOTH, clock: clockAt(NOW), reportRun }));
    expect(await write()).toBeUndefined();
    expect(await write(), "nobody was sent them, and they are in place").toBeUndefined();
    rmSync(join(warehouse.folder, "ga4-events.csv"));
    expect(await write()).toEqual({ rewritten: [expect.objectContaining({ upload_file_id: 4, rows: 1 })] });
  });

  it("lists files without --new that count as uploaded from now on", async () => {
    using warehouse = makeWarehouse([call(1)]);
    const targets = BOTH.map((target) => ({
      ...target,
      conversion: { ...CONVERSION, new: false },
    })) as Target[];
    const write = async () => uploadNotesOf(await warehouse.export({ targets, clock: clockAt(NOW) }));
    expect(await write()).toMatchObject({
      counted: [
        { upload_file_id: 1, contents: "google-ads", rows: 1 },
        { upload_file_id: 2, contents: "ga4-events", rows: 1 },
      ],
    });
    expect(await write(), "it has the same").toBeUndefined();
    sync(warehouse, [conversionCall(2)]);
    expect(await write()).toMatchObject({
      counted: [{ upload_file_id: 5, contents: "google-ads", rows: 2 }],
    });
  });

  it("writes nothing if a caller was forgotten after the calls were read", async () => {
    using warehouse = makeWarehouse([call(1)]);
    const meanwhile = async () => {
      using open = openExistingWarehouse(warehouse.database);
      forgetCallers(locked(open), [{ caller: String(call(1).caller_id) }], { nowMs: NOW });
    };
    const targets: Target[] = [{ kind: "calls", with: ["caller_id"] }];
    await expect(warehouse.export({ targets, meanwhile })).rejects.toMatchObject({
      exitCode: 6,
      message: expect.stringContaining("callers were forgotten meanwhile"),
    });
    expect(existsSync(warehouse.folder)).toBe(false);
    await warehouse.export({ targets });
    expect(readText(warehouse.folder, "calls.csv")).not.toContain(call(1).caller_id);
  });
});
