import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/calls/columns.ts";
import { takeBack } from "../../../src/features/conversions/take-back.ts";
import { forgetUploads } from "../../../src/features/conversions/upload-files.ts";
import { readUploadFiles } from "../../../src/features/conversions/upload-table.ts";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { clockAt, makeWarehouse } from "../../support/figures/produce-files.ts";
import { readText } from "../../support/temp-folder.ts";
import {
  at,
  conversionCall,
  DAY_MS,
  forgetLast,
  HOUR_MS,
  NOW,
  type Options,
  ordersOf,
  readLedger,
  saidOf,
  sync,
  writeAdjustments,
  writeNew,
} from "./upload-files.ts";

describe("export --new", () => {
  it("writes conversions of no earlier file, with an order id, and counts the rest as uploaded", async () => {
    using warehouse = makeWarehouse([conversionCall(1), conversionCall(2, { gclid: null })]);
    const first = await writeNew(warehouse, { value: "40", currency: "EUR" });
    expect(first.rows).toEqual([
      {
        "Google Click ID": "CjABC_1-x",
        "Conversion Name": "Qualified call",
        "Conversion Time": "2026-10-21 13:00:00",
        "Conversion Value": "40",
        "Conversion Currency": "EUR",
        "Order ID": "call-1",
      },
    ]);
    sync(warehouse, [conversionCall(3)]);
    const second = await writeNew(warehouse);
    expect(ordersOf(second.rows)).toEqual(["call-3"]);
    expect(second.reasons).toEqual({ 1: "uploaded", 2: "no gclid" });
    expect(second.entry).toMatchObject({ only_new: true, excluded: { uploaded: 1, "no gclid": 1 } });
    expect((await writeNew(warehouse)).rows).toEqual([]);
    expect(readLedger(warehouse)).toMatchObject({
      files: [
        { contents: "google-ads", rows: 1, state: "written", forgotten_at: null, report_run_id: null },
        { rows: 1, state: "written" },
        { rows: 0, state: "written" },
      ],
      lines: [
        { call_id: 1, order_id: "call-1", action: "convert", value: "40", currency: "EUR" },
        { call_id: 3, order_id: "call-3", action: "convert", value: null, currency: null },
      ],
    });
  });

  it("leaves out conversions of a file without --new, whose bytes do not change, and records nothing twice", async () => {
    using warehouse = makeWarehouse([conversionCall(1)]);
    for (const _ of ["once", "again"]) {
      await warehouse.export({
        targets: [{ kind: "google-ads", conversion: { name: "Qualified call", every: false } }],
        clock: clockAt(NOW),
      });
    }
    expect(readText(warehouse.folder, "google-ads.csv").split("\n").slice(1)).toEqual([
      "Google Click ID,Conversion Name,Conversion Time,Conversion Value,Conversion Currency",
      "CjABC_1-x,Qualified call,2026-10-21 13:00:00,,",
      "",
    ]);
    expect(readLedger(warehouse).lines).toMatchObject([{ call_id: 1, order_id: null }]);
    const { rows, reasons } = await writeNew(warehouse);
    expect({ rows, reasons }).toEqual({ rows: [], reasons: { 1: "uploaded" } });
  });

  it("distinguishes names of conversions and platforms", async () => {
    using warehouse = makeWarehouse([conversionCall(1)]);
    await writeNew(warehouse);
    expect(ordersOf((await writeNew(warehouse, { name: "Other" })).rows)).toEqual(["call-1"]);
    const conversion = { name: "Qualified call", every: false, new: true };
    const { manifest } = await warehouse.export({
      targets: [
        { kind: "google-leads", conversion },
        { kind: "google-data-manager", conversion },
      ],
      clock: clockAt(NOW),
    });
    expect(manifest.files.filter(({ examined }) => examined).map(({ rows }) => rows)).toEqual([1, 1]);
  });

  it("repeats a call that was retracted and is qualified again, with another order id and another second", async () => {
    using warehouse = makeWarehouse([conversionCall(1)]);
    await writeNew(warehouse);
    for (const [round, second] of [
      ["call-1-2", "2026-10-21 13:00:01"],
      ["call-1-3", "2026-10-21 13:00:02"],
    ]) {
      sync(warehouse, [conversionCall(1, { disposition: "BUSY" })]);
      expect((await writeNew(warehouse)).reasons).toEqual({ 1: "not qualified" });
      expect((await writeAdjustments(warehouse)).rows).toHaveLength(1);
      sync(warehouse, [conversionCall(1)]);
      const { rows } = await writeNew(warehouse);
      expect(rows).toMatchObject([{ "Order ID": round, "Conversion Time": second }]);
    }
  });

  it("does not report a click again if its google-ads conversion is too old to retract, or has no order id", async () => {
    const click = { gclid: "CjABC" };
    using warehouse = makeWarehouse([conversionCall(1, click), conversionCall(2, click)]);
    await writeNew(warehouse);
    await writeNew(warehouse, { name: "Without", new: false });
    warehouse.markGone(1, at(NOW));
    const late = NOW + 50 * DAY_MS;
    expect((await writeNew(warehouse, { nowMs: late })).reasons).toEqual({ 2: "uploaded" });
    expect((await writeNew(warehouse, { name: "Without" })).reasons).toEqual({ 2: "uploaded" });
    expect(ordersOf((await writeNew(warehouse)).rows)).toEqual(["call-2"]);
  });

  it("writes no milliseconds in any conversion, not even before 1970", async () => {
    const kind = "ga4-events";
    const starts = ["1969-12-31T23:59:59.001Z", "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.999Z"];
    using warehouse = makeWarehouse(
      starts.map((call_started, id) => conversionCall(id, { call_started, google_analytics_cid: `1.${id}` })),
    );
    const conversion = { name: "Qualified call", every: false };
    const clock = clockAt(Date.parse("1970-01-01T12:00:00.000Z"));
    await warehouse.export({ targets: [{ kind, conversion }], clock });
    expect(readLedger(warehouse).lines.map(({ occurred_at }) => occurred_at)).toEqual([
      "1969-12-31T23:59:59.000Z",
      "1970-01-01T00:00:00.000Z",
      "1970-01-01T00:00:00.000Z",
    ]);
  });

  it("with --every reports a click again in another second, unless the first cannot be retracted", async () => {
    const kind = "google-data-manager";
    const call = (id: number, call_started: string) => conversionCall(id, { gclid: "CjABC", call_started });
    using warehouse = makeWarehouse([
      call(1, "2026-10-20T08:00:00.500Z"),
      call(2, "2026-10-20T08:00:01.000Z"),
    ]);
    const write = async (every: boolean) => {
      const conversion = { name: "Qualified call", every, new: true };
      const { manifest } = await warehouse.export({ targets: [{ kind, conversion }], clock: clockAt(NOW) });
      return { rows: manifest.files[0]?.rows, excluded: manifest.files[0]?.excluded };
    };
    expect(await write(true)).toEqual({ rows: 2, excluded: {} });
    sync(warehouse, [call(0, "2026-10-20T08:00:00.100Z"), call(3, "2026-10-20T08:00:02.000Z")]);
    expect(await write(true)).toEqual({ rows: 1, excluded: { uploaded: 2, duplicate: 1 } });
    expect(await write(false)).toEqual({ rows: 0, excluded: { uploaded: 1, duplicate: 3 } });
    expect(readLedger(warehouse).lines.map(({ call_id, is_every }) => [call_id, is_every])).toEqual([
      [1, true],
      [2, true],
      [3, true],
    ]);
  });

  it("writes nothing if another export has recorded conversions meanwhile", async () => {
    using warehouse = makeWarehouse([conversionCall(1)]);
    const other = `${warehouse.folder}-other`;
    const conversion = { name: "Qualified call", every: false, new: true };
    const failed = warehouse.export({
      targets: [{ kind: "google-ads", conversion }],
      meanwhile: () => writeNew(warehouse, { folder: other }),
      clock: clockAt(NOW),
    });
    await expect(failed).rejects.toMatchObject({
      exitCode: 6,
      message: expect.stringContaining("google-ads.csv"),
    });
    expect(() => readText(warehouse.folder, "google-ads.csv")).toThrow("ENOENT");
    expect(readLedger(warehouse)).toMatchObject({ files: [{ state: "written" }], lines: [{ call_id: 1 }] });
  });

  it("records nothing for a file that could not be renamed", async () => {
    using warehouse = makeWarehouse([conversionCall(1)]);
    mkdirSync(join(warehouse.folder, "google-ads.csv"), { recursive: true });
    await expect(writeNew(warehouse)).rejects.toMatchObject({ exitCode: 7 });
    rmSync(join(warehouse.folder, "google-ads.csv"), { recursive: true });
    expect(readLedger(warehouse)).toEqual({ files: [], lines: [] });
    expect(ordersOf((await writeNew(warehouse)).rows)).toEqual(["call-1"]);
  });
});

describe("takeBack", () => {
  it("names later files with rows of earlier ones, and none with only new rows", async () => {
    using warehouse = makeWarehouse([conversionCall(1)]);
    const mayBeIn = (id = "1") => {
      using store = openExistingWarehouse(warehouse.database);
      return takeBack(store, id, { folder: warehouse.folder, now: at(NOW), describe: String }).mayBeIn;
    };
    await writeNew(warehouse);
    sync(warehouse, [conversionCall(2)]);
    await writeNew(warehouse);
    expect(mayBeIn()).toEqual([]);
    warehouse.execute("UPDATE upload_files SET forgotten_at = NULL");
    await writeNew(warehouse, { new: undefined });
    expect(mayBeIn()).toEqual([3]);
    // The ledger has no line for the third, so that no later file lacks one.
    await writeNew(warehouse, { new: undefined });
    expect(mayBeIn("3")).toEqual([]);
  });
});

describe("export google-ads-adjustments", () => {
  it("retracts gone, unqualified and duplicate conversions once, and no others", async () => {
    const calls = [1, 2, 3, 4, 5].map((id) => conversionCall(id));
    using warehouse = makeWarehouse(calls);
    await writeNew(warehouse);
    warehouse.markGone(1, at(NOW));
    sync(warehouse, [
      conversionCall(2, { duration: 59 }),
      conversionCall(13, { gclid: "CjABC_3-x", call_started: at(NOW - 20 * DAY_MS) }), // came late
      conversionCall(6, { duration: 5 }), // never uploaded
    ]);
    const { rows, entry } = await writeAdjustments(warehouse, { nowMs: NOW + 40 * DAY_MS });
    expect(rows).toEqual(
      ["call-1", "call-2", "call-3"].map((id) => ({
        "Order ID": id,
        "Conversion Name": "Qualified call",
        "Adjustment Time": "2026-12-10 12:00:00",
        "Adjustment Type": "RETRACT",
        "Adjusted Value": "",
        "Adjusted Value Currency": "",
      })),
    );
    expect(entry).toMatchObject({ adjustments: { retract: 3, restate: 0 }, excluded: {} });
    expect((await writeAdjustments(warehouse)).rows).toEqual([]);
    expect(readLedger(warehouse).lines.slice(5)).toMatchObject([
      { call_id: 1, action: "retract", reason: "gone" },
      { call_id: 2, action: "retract", reason: "not qualified" },
      { call_id: 3, action: "retract", reason: "duplicate" },
    ]);
  });

  it("restates a value that differs from the last reported one, once, for conversions of this name", async () => {
    using warehouse = makeWarehouse([conversionCall(1), conversionCall(2)]);
    await writeNew(warehouse, { value: "40", currency: "EUR" });
    await writeNew(warehouse, { name: "Other", value: "40", currency: "EUR" });
    const restate = async (conversion: Options) =>
      saidOf((await writeAdjustments(warehouse, conversion)).rows);
    expect(await restate({})).toEqual([]);
    expect(await restate({ value: "40.00", currency: "EUR" })).toEqual([]);
    expect(await restate({ value: "40" })).toEqual([]);
    sync(warehouse, [conversionCall(2, { duration: 1 })]);
    expect(await restate({ value: "55.5", currency: "EUR" })).toEqual([
      ["call-1", "RESTATE", "55.5", "EUR"],
      ["call-2", "RETRACT", "", ""],
      ["call-2", "RETRACT", "", ""], // of the conversion with the other name
    ]);
    expect(await restate({ value: "55.5", currency: "EUR" })).toEqual([]);
    expect(await restate({ value: "55.5", currency: "USD" })).toEqual([["call-1", "RESTATE", "55.5", "USD"]]);
    const { lines } = readLedger(warehouse);
    // Google treats a second adjustment of the same time as the first one.
    const times = lines.filter(({ call_id, action }) => call_id === 1 && action === "restate");
    expect(times.map(({ occurred_at }) => occurred_at)).toEqual([at(NOW), at(NOW + 1000)]);
  });

  it("counts the conversions left out by reason", async () => {
    const calls = [1, 2, 3, 4, 5, 6].map((id) => conversionCall(id));
    using warehouse = makeWarehouse(calls.slice(0, 3));
    // A formula for a name stays a text.
    const name = "=1+1";
    await writeNew(warehouse, { name, new: false });
    sync(warehouse, calls);
    await writeNew(warehouse, { name, value: "40" });
    sync(
      warehouse,
      [1, 2, 4].map((id) => conversionCall(id, { duration: 1 })),
    );
    const { rows, rest, entry } = await writeAdjustments(warehouse, { name, value: "50", currency: "EUR" });
    expect(saidOf(rows)).toEqual([
      ["call-4", "RETRACT", "", ""],
      ["call-5", "RESTATE", "50", "EUR"],
      ["call-6", "RESTATE", "50", "EUR"],
    ]);
    expect(rest).toEqual([
      ["1", "'=1+1", "2026-10-21T13:00:00.000Z", "retract", "no order id"],
      ["2", "'=1+1", "2026-10-21T14:00:00.000Z", "retract", "no order id"],
      ["3", "'=1+1", "2026-10-21T15:00:00.000Z", "restate", "no order id"],
    ]);
    expect(entry?.excluded).toEqual({ "no order id": 3 });
    expect(entry?.adjustments).toEqual({ retract: 1, restate: 2 });
    // What no adjustment could report is still due; what was reported is not.
    const later = await writeAdjustments(warehouse, { name, value: "60", nowMs: NOW + 50 * DAY_MS });
    expect([later.rows, later.entry?.excluded]).toEqual([[], { "no order id": 3, "too old": 2 }]);
  });

  it("repeats the retraction of a file that was taken back, and retracts the older of two for one call", async () => {
    using warehouse = makeWarehouse([conversionCall(1)]);
    await writeNew(warehouse);
    sync(warehouse, [conversionCall(1, { duration: 1 })]);
    await writeAdjustments(warehouse);
    forgetLast(warehouse);
    expect(ordersOf((await writeAdjustments(warehouse)).rows)).toEqual(["call-1"]);
    sync(warehouse, [conversionCall(1)]);
    await writeNew(warehouse);
    {
      using opened = openExistingWarehouse(warehouse.database);
      const adjustments = readUploadFiles(opened).filter(
        ({ contents }) => contents === "google-ads-adjustments",
      );
      forgetUploads(
        opened,
        adjustments.map(({ upload_file_id }) => upload_file_id),
        at(NOW),
      );
    }
    expect(ordersOf((await writeAdjustments(warehouse)).rows)).toEqual(["call-1"]);
    expect(readLedger(warehouse).lines.at(-1)).toMatchObject({ action: "retract", reason: "duplicate" });
    expect((await writeAdjustments(warehouse)).rows).toEqual([]);
  });

  it("does not retract a conversion that is too old only by now, or that a wrong clock dated ahead", async () => {
    using warehouse = makeWarehouse([
      conversionCall(1, { call_started: at(NOW - 90 * DAY_MS) }),
      conversionCall(2, { call_started: at(NOW - 6 * HOUR_MS) }),
    ]);
    expect((await writeNew(warehouse)).rows).toHaveLength(2);
    for (const nowMs of [NOW - DAY_MS, NOW + DAY_MS, NOW + 40 * DAY_MS]) {
      expect(await writeAdjustments(warehouse, { nowMs })).toMatchObject({ rows: [], rest: [] });
    }
  });

  it("gives the reason of each retraction: other calls of its click, gone calls, and excluded callers", async () => {
    const click = (call_id: number, gclid: string, members: Partial<Call> = {}) =>
      conversionCall(call_id, { gclid, ...members });
    using warehouse = makeWarehouse([11, 12, 13, 14, 15, 16].map((id) => click(id, `Cj${id}`)));
    await writeNew(warehouse);
    warehouse.markGone(11, at(NOW));
    sync(warehouse, [
      click(1, "Cj12", { call_started: at(NOW - 20 * DAY_MS) }), // came late, of the same click
      click(13, "Cj13", { caller_id: "+49301" }),
      click(14, "Cj14", { gclid: null }),
      click(15, "Cj15", { gclsrc: "3p.ds" }),
    ]);
    const filter = { exclude_callers: ["+49301"] };
    const orders = ordersOf((await writeAdjustments(warehouse, { filter })).rows);
    const said = readLedger(warehouse).lines.filter(({ action }) => action === "retract");
    expect(said.map(({ order_id, reason }) => [order_id, reason])).toEqual([
      ["call-11", "gone"],
      ["call-12", "duplicate"],
      ["call-13", "excluded caller"],
      ["call-14", "no gclid"],
      ["call-15", "not Google Ads"],
    ]);
    expect(orders).toEqual(["call-11", "call-12", "call-13", "call-14", "call-15"]);
  });

  it("retracts no gone call if gone calls count, but one that no longer exists", async () => {
    using warehouse = makeWarehouse([conversionCall(1), conversionCall(2)]);
    await writeNew(warehouse);
    warehouse.markGone(1, at(NOW));
    const filter = { include_gone: true } as const;
    expect((await writeAdjustments(warehouse, { filter })).rows).toEqual([]);
    warehouse.execute("DELETE FROM calls WHERE call_id = 2");
    expect(ordersOf((await writeAdjustments(warehouse, { filter })).rows)).toEqual(["call-2"]);
    expect(readLedger(warehouse).lines.at(-1)).toMatchObject({
      call_id: 2,
      action: "retract",
      reason: "gone",
    });
  });

  it("restates a conversion by the rule it was uploaded under", async () => {
    using warehouse = makeWarehouse([1, 2, 3].map((id) => conversionCall(id, { gclid: "CjABC" })));
    expect(ordersOf((await writeNew(warehouse, { every: true })).rows)).toEqual([
      "call-1",
      "call-2",
      "call-3",
    ]);
    expect(ordersOf((await writeNew(warehouse, { name: "First" })).rows)).toEqual(["call-1"]);
    sync(warehouse, [conversionCall(0, { gclid: "CjABC", call_started: at(NOW - 20 * DAY_MS) })]);
    const { rows } = await writeAdjustments(warehouse);
    expect(rows.map((row) => [row["Order ID"], row["Conversion Name"]])).toEqual([["call-1", "First"]]);
    expect(readLedger(warehouse).lines.at(-1)).toMatchObject({
      is_every: false,
      reason: "duplicate",
      value: null,
    });
  });

  it("restates current values and currencies in whole seconds of UTC, and none without a value", async () => {
    using warehouse = makeWarehouse([1, 2, 3].map((id) => conversionCall(id)));
    await writeNew(warehouse); // without a value
    const say = async (conversion: Options) => {
      const nowMs = NOW + 999;
      const { rows } = await writeAdjustments(warehouse, {
        nowMs,
        timezone: "Asia/Kathmandu",
        ...conversion,
      });
      return [...new Set(rows.map((row) => Object.values(row).slice(1).join(" | ")))];
    };
    const [said, time] = ["Qualified call | 2026-10-31 12:00", "RESTATE"];
    expect(await say({ currency: "EUR" })).toEqual([]);
    expect(await say({ value: "0" })).toEqual([`${said}:00 | ${time} | 0 | `]);
    expect(await say({ value: "0.00" })).toEqual([]);
    expect(await say({ value: "0", currency: "EUR" })).toEqual([`${said}:01 | ${time} | 0 | EUR`]);
    expect(await say({ value: "1", currency: "EUR", name: "qualified call" })).toEqual([]);
    expect(await say({ value: "1" })).toEqual([`${said}:02 | ${time} | 1 | `]);
    const { lines } = readLedger(warehouse);
    expect(lines.slice(3).every(({ reason }) => reason === null)).toBe(true);
    expect(lines.at(-1)).toMatchObject({
      call_id: 3,
      action: "restate",
      value: "1",
      currency: null,
      is_every: false,
    });
    const times = lines.slice(3).map(({ occurred_at }) => Date.parse(occurred_at) - NOW);
    expect(times).toEqual([0, 0, 0, 1000, 1000, 1000, 2000, 2000, 2000]);
  });
});

/** What a resumed run of an interrupted report writes. */
const again = (runId: number) => ({ reportRun: { runId, isRepeated: true } });
const run = (runId: number) => ({ reportRun: { runId, isRepeated: false } });

describe("resumed run of a report", () => {
  it("repeats exactly the conversions of its file, and records none twice", async () => {
    using warehouse = makeWarehouse([
      conversionCall(1),
      conversionCall(2),
      conversionCall(3, { duration: 5 }),
    ]);
    const [value, currency] = ["40", "EUR"];
    sync(warehouse, [conversionCall(2, { duration: 59 })]);
    expect(ordersOf((await writeNew(warehouse, { ...run(5) })).rows)).toEqual(["call-1"]);
    sync(warehouse, [conversionCall(2)]);
    const first = await writeNew(warehouse, { ...run(7), value, currency });
    expect(first).toMatchObject({
      rows: [{ "Order ID": "call-2" }],
      reasons: { 1: "uploaded", 3: "not qualified" },
    });
    sync(warehouse, [conversionCall(3), conversionCall(4)]);
    const second = await writeNew(warehouse, { ...again(7), value, currency });
    expect(second.rows).toEqual(first.rows);
    expect(second.reasons).toEqual({ 1: "uploaded", 3: "next file", 4: "next file" });
    expect(second.entry).toMatchObject({ excluded: { uploaded: 1, "next file": 2 } });
    expect(readLedger(warehouse).lines).toMatchObject([{ call_id: 1 }, { call_id: 2, value, currency }]);
    // For a run that has written no file yet, it is the first one.
    expect(ordersOf((await writeNew(warehouse, again(8))).rows)).toEqual(["call-3", "call-4"]);
    // If nobody received its files, it writes them again, with new conversions.
    sync(warehouse, [conversionCall(4, { duration: 5 }), conversionCall(5)]);
    expect(ordersOf((await writeNew(warehouse, run(8))).rows)).toEqual(["call-3", "call-5"]);
    expect(ordersOf((await writeNew(warehouse, again(8))).rows)).toEqual(["call-3", "call-5"]);
    expect(
      readLedger(warehouse)
        .files.map(({ state }) => state)
        .slice(-3),
    ).toEqual(["replaced", "written", "written"]);
  });

  it("repeats exactly the adjustments of its file, with the same seconds", async () => {
    using warehouse = makeWarehouse([1, 2, 3].map((id) => conversionCall(id)));
    await writeNew(warehouse, run(7));
    sync(warehouse, [conversionCall(1, { duration: 5 })]);
    const first = await writeAdjustments(warehouse, run(7));
    expect(saidOf(first.rows)).toEqual([["call-1", "RETRACT", "", ""]]);
    sync(warehouse, [conversionCall(2, { duration: 5 })]);
    const later = { nowMs: NOW + DAY_MS };
    const second = await writeAdjustments(warehouse, { ...again(7), ...later });
    expect(second.rows).toEqual(first.rows);
    expect(second.entry).toMatchObject({ rows: 1, examined: 1, adjustments: { retract: 1, restate: 0 } });
    const third = await writeAdjustments(warehouse, { ...run(7), ...later });
    expect(saidOf(third.rows)).toEqual([["call-2", "RETRACT", "", ""]]);
    sync(warehouse, [conversionCall(3, { duration: 5 })]);
    const fourth = await writeAdjustments(warehouse, { ...again(8), ...later });
    expect(saidOf(fourth.rows)).toEqual([["call-3", "RETRACT", "", ""]]);
    expect(
      saidOf((await writeAdjustments(warehouse, { ...again(7), ...later })).rows).map(([id]) => id),
    ).toEqual(["call-1", "call-2"]);
    const { lines } = readLedger(warehouse);
    expect(lines.map(({ call_id, action }) => `${action} ${call_id}`)).toEqual([
      "convert 1",
      "convert 2",
      "convert 3",
      "retract 1",
      "retract 2",
      "retract 3",
    ]);
  });
});
