import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Call } from "../../src/call.ts";
import type { ConversionOptions } from "../../src/export/conversion-kinds.ts";
import type { Target } from "../../src/export/write-export.ts";
import type { CallFilter } from "../../src/rollup/call-filter.ts";
import { seededRandom } from "../../src/sandbox/random.ts";
import { prepareUpsertCalls } from "../../src/warehouse/call-table.ts";
import { clearAbsence } from "../../src/warehouse/gone.ts";
import { openExistingWarehouse } from "../../src/warehouse/open.ts";
import { upload_files, uploads } from "../../src/warehouse/schema.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import { forgetUploads, readUploadFiles } from "../../src/warehouse/upload-table.ts";
import { makeCall } from "../calls.ts";
import { type CheckedRow, readConversions } from "./conversion-checker.ts";
import { readLines } from "./tables.ts";
import { clockAt, makeWarehouse, readText } from "./warehouse.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.parse("2026-10-31T12:00:00.000Z");
const at = (ms: number) => new Date(ms).toISOString();
const toUtcMs = (time: string) => Date.parse(`${time.replace(" ", "T")}Z`);

/** A call that is a conversion. */
const conversionCall = (call_id: number, members: Partial<Call> = {}): Call =>
  makeCall({
    call_id,
    caller_id: `+4930${1000 + call_id}`,
    call_started: at(NOW - 10 * DAY_MS + call_id * HOUR_MS),
    duration: 60,
    disposition: "ANSWERED",
    gclid: `CjABC_${call_id}-x`,
    ...members,
  });

type Warehouse = ReturnType<typeof makeWarehouse>;

/** Writes calls as a sync does that reads them now; those that were gone have come back. */
function sync({ database }: Warehouse, calls: readonly Call[]): void {
  using warehouse = openExistingWarehouse(database);
  const ids = calls.map(({ call_id }) => call_id);
  writeTransaction(warehouse, () => {
    prepareUpsertCalls(warehouse, 1)(calls);
    clearAbsence(warehouse, ids);
  });
}

interface Options extends Partial<ConversionOptions> {
  nowMs?: number;
  folder?: string;
}

/** Writes a file of google-ads with --new, and returns its lines as Google reads them. */
async function writeNew(warehouse: Warehouse, { nowMs = NOW, folder, ...conversion }: Options = {}) {
  const target: Target = {
    kind: "google-ads",
    conversion: { name: "Qualified call", every: false, isNew: true, ...conversion },
  };
  const result = await warehouse.export({
    targets: [target],
    clock: clockAt(nowMs),
    ...(folder && { folder }),
  });
  const { manifest } = result;
  const rest = readLines(readText(result.folder, "google-ads.excluded.csv")).slice(1);
  const rows = readConversions("google-ads", readText(result.folder, "google-ads.csv"), { nowMs, toUtcMs });
  expect(manifest.files[0]).toMatchObject({ rows: rows.length, examined: rows.length + rest.length });
  return {
    rows,
    reasons: Object.fromEntries(rest.map(([id, , reason]) => [id, reason])),
    entry: manifest.files[0],
  };
}

async function writeAdjustments(
  warehouse: Warehouse,
  { nowMs = NOW, filter, ...conversion }: Options & { filter?: CallFilter } = {},
) {
  const target: Target = {
    kind: "google-ads-adjustments",
    conversion: { name: "Qualified call", ...conversion },
  };
  const { manifest, folder } = await warehouse.export({
    targets: [target],
    clock: clockAt(nowMs),
    ...(filter && { filter }),
    folder: `${warehouse.folder}-adjustments`,
  });
  const rest = readLines(readText(folder, "google-ads-adjustments.excluded.csv")).slice(1);
  const rows = readConversions("google-ads-adjustments", readText(folder, "google-ads-adjustments.csv"));
  expect(manifest.files[0]).toMatchObject({ rows: rows.length, examined: rows.length + rest.length });
  return { rows, rest, entry: manifest.files[0] };
}

const ordersOf = (rows: readonly CheckedRow[]) => rows.map((row) => row["Order ID"]);
const saidOf = (rows: readonly CheckedRow[]) =>
  rows.map((row) => [
    row["Order ID"],
    row["Adjustment Type"],
    row["Adjusted Value"],
    row["Adjusted Value Currency"],
  ]);

function readLedger({ database }: Warehouse) {
  using warehouse = openExistingWarehouse(database);
  const { db } = warehouse;
  return { files: db.select().from(upload_files).all(), lines: db.select().from(uploads).all() };
}

describe("export --new", () => {
  it("writes what no earlier file had, with an order id, and says of the rest that it was uploaded", async () => {
    using warehouse = makeWarehouse([conversionCall(1), conversionCall(2, { gclid: null })]);
    const first = await writeNew(warehouse, { value: "40", currency: "EUR" });
    expect(first.rows).toEqual([
      {
        "Google Click ID": "CjABC_1-x",
        "Conversion Name": "Qualified call",
        "Conversion Time": "2026-10-21 13:00:00",
        "Conversion Value": "40",
        "Conversion Currency": "EUR",
        "Order ID": "1",
      },
    ]);
    sync(warehouse, [conversionCall(3)]);
    const second = await writeNew(warehouse);
    expect(ordersOf(second.rows)).toEqual(["3"]);
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
        { call_id: 1, order_id: "1", action: "convert", value: "40", currency: "EUR" },
        { call_id: 3, order_id: "3", action: "convert", value: null, currency: null },
      ],
    });
  });

  it("leaves out what a file without --new had, whose bytes are those of before, and enters nothing twice", async () => {
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

  it("keeps names of conversions and platforms apart", async () => {
    using warehouse = makeWarehouse([conversionCall(1)]);
    await writeNew(warehouse);
    expect(ordersOf((await writeNew(warehouse, { name: "Other" })).rows)).toEqual(["1"]);
    const conversion = { name: "Qualified call", every: false, isNew: true };
    const { manifest } = await warehouse.export({
      targets: [
        { kind: "google-leads", conversion },
        { kind: "google-data-manager", conversion },
      ],
      clock: clockAt(NOW),
    });
    expect(manifest.files.filter(({ examined }) => examined).map(({ rows }) => rows)).toEqual([1, 1]);
  });

  it("has what is too recent in the next file", async () => {
    using warehouse = makeWarehouse([conversionCall(1, { call_started: at(NOW - HOUR_MS) })]);
    expect((await writeNew(warehouse)).reasons).toEqual({ 1: "too recent" });
    expect(ordersOf((await writeNew(warehouse, { nowMs: NOW + 6 * HOUR_MS })).rows)).toEqual(["1"]);
  });

  it("has a call again, by another order id and another second, that was retracted and is qualified again", async () => {
    using warehouse = makeWarehouse([conversionCall(1)]);
    await writeNew(warehouse);
    for (const [round, second] of [
      ["1-2", "2026-10-21 13:00:01"],
      ["1-3", "2026-10-21 13:00:02"],
    ]) {
      sync(warehouse, [conversionCall(1, { disposition: "BUSY" })]);
      expect((await writeNew(warehouse)).reasons).toEqual({ 1: "not qualified" });
      expect((await writeAdjustments(warehouse)).rows).toHaveLength(1);
      sync(warehouse, [conversionCall(1)]);
      const { rows } = await writeNew(warehouse);
      expect(rows).toMatchObject([{ "Order ID": round, "Conversion Time": second }]);
    }
  });

  it("tells of another call of a click in another second than that of the first one, which was retracted", async () => {
    const started = at(NOW - 5 * DAY_MS);
    const calls = [1, 2].map((id) => conversionCall(id, { gclid: "CjABC", call_started: started }));
    using warehouse = makeWarehouse(calls);
    await writeNew(warehouse);
    warehouse.markGone(1, at(NOW));
    const { rows } = await writeNew(warehouse);
    expect(rows).toMatchObject([{ "Order ID": "2", "Conversion Time": "2026-10-26 12:00:01" }]);
    expect(saidOf((await writeAdjustments(warehouse)).rows)).toEqual([["1", "RETRACT", "", ""]]);
  });

  it("does not tell of a click again by an earlier call that came late, where no adjustment takes the first one back", async () => {
    const click = { gclid: "CjABC", google_analytics_cid: "1.2", caller_id: "+49301234567" };
    using warehouse = makeWarehouse([
      conversionCall(2, { ...click, referring_url: `https://x.test/?msclkid=${"0a".repeat(16)}` }),
    ]);
    const kinds = ["google-leads", "google-data-manager", "microsoft-ads", "ga4-events"] as const;
    const write = async (options: Partial<ConversionOptions> = {}) => {
      const conversion = { name: "Qualified call", every: false, isNew: true, ...options };
      const targets = kinds.map((kind): Target => ({ kind, conversion }));
      const { manifest } = await warehouse.export({ targets, clock: clockAt(NOW) });
      return manifest.files.flatMap(({ examined, rows }) => (examined === undefined ? [] : rows));
    };
    expect(await write()).toEqual([1, 1, 1, 1]);
    sync(warehouse, [
      conversionCall(1, { ...click, referring_url: `https://x.test/?msclkid=${"0a".repeat(16)}` }),
    ]);
    expect(await write()).toEqual([0, 0, 0, 0]);
    expect(await write({ every: true })).toEqual([1, 1, 1, 1]);
  });

  it("does not tell of a click again whose conversion in google-ads is too old to be retracted, or has no order id", async () => {
    const click = { gclid: "CjABC" };
    using warehouse = makeWarehouse([conversionCall(1, click), conversionCall(2, click)]);
    await writeNew(warehouse);
    await writeNew(warehouse, { name: "Without", isNew: false });
    warehouse.markGone(1, at(NOW));
    const late = NOW + 50 * DAY_MS;
    expect((await writeNew(warehouse, { nowMs: late })).reasons).toEqual({ 2: "uploaded" });
    expect((await writeNew(warehouse, { name: "Without" })).reasons).toEqual({ 2: "uploaded" });
    expect(ordersOf((await writeNew(warehouse)).rows)).toEqual(["2"]);
  });

  it("has again what was in a file that was taken back", async () => {
    using warehouse = makeWarehouse([conversionCall(1)]);
    await writeNew(warehouse);
    forgetLast(warehouse);
    expect(ordersOf((await writeNew(warehouse)).rows)).toEqual(["1"]);
  });

  it("writes nothing where another export has entered conversions meanwhile", async () => {
    using warehouse = makeWarehouse([conversionCall(1)]);
    const other = `${warehouse.folder}-other`;
    const conversion = { name: "Qualified call", every: false, isNew: true };
    const failed = warehouse.export({
      targets: [
        { kind: "google-ads", conversion },
        {
          kind: "custom",
          write: async () => {
            await writeNew(warehouse, { folder: other });
            return [];
          },
        },
      ],
      clock: clockAt(NOW),
    });
    await expect(failed).rejects.toMatchObject({
      exitCode: 6,
      message: expect.stringContaining("google-ads.csv"),
    });
    expect(() => readText(warehouse.folder, "google-ads.csv")).toThrow("ENOENT");
    expect(readLedger(warehouse)).toMatchObject({ files: [{ state: "written" }], lines: [{ call_id: 1 }] });
  });

  it("remembers nothing of a file that could not get its name", async () => {
    using warehouse = makeWarehouse([conversionCall(1)]);
    mkdirSync(join(warehouse.folder, "google-ads.csv"), { recursive: true });
    await expect(writeNew(warehouse)).rejects.toMatchObject({ exitCode: 7 });
    rmSync(join(warehouse.folder, "google-ads.csv"), { recursive: true });
    expect(readLedger(warehouse)).toEqual({ files: [], lines: [] });
    expect(ordersOf((await writeNew(warehouse)).rows)).toEqual(["1"]);
  });
});

function forgetLast({ database }: Warehouse): void {
  using warehouse = openExistingWarehouse(database);
  const [last] = readUploadFiles(warehouse);
  forgetUploads(warehouse, [last?.upload_file_id ?? 0], at(NOW));
}

describe("export google-ads-adjustments", () => {
  it("retracts, once, what is gone, not qualified or a duplicate, and nothing else", async () => {
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
      ["1", "2", "3"].map((id) => ({
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

  it("retracts calls of a caller who is left out since, and says so", async () => {
    using warehouse = makeWarehouse([
      conversionCall(1),
      conversionCall(2),
      conversionCall(3, { gclid: "CjABC_1-x" }),
    ]);
    await writeNew(warehouse);
    const filter = { exclude_callers: ["+49301001"] };
    expect(ordersOf((await writeAdjustments(warehouse, { filter })).rows)).toEqual(["1"]);
    expect(readLedger(warehouse).lines.at(-1)).toMatchObject({ call_id: 1, reason: "excluded caller" });
    expect((await writeAdjustments(warehouse, { filter })).rows).toEqual([]);
  });

  it("restates a value that differs from what was said last, once, of conversions of this name", async () => {
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
      ["1", "RESTATE", "55.5", "EUR"],
      ["2", "RETRACT", "", ""],
      ["2", "RETRACT", "", ""], // of the conversion of the other name
    ]);
    expect(await restate({ value: "55.5", currency: "EUR" })).toEqual([]);
    expect(await restate({ value: "55.5", currency: "USD" })).toEqual([["1", "RESTATE", "55.5", "USD"]]);
    const { lines } = readLedger(warehouse);
    // Google takes a second adjustment of the same time for the first one.
    const times = lines.filter(({ call_id, action }) => call_id === 1 && action === "restate");
    expect(times.map(({ occurred_at }) => occurred_at)).toEqual([at(NOW), at(NOW + 1000)]);
  });

  it("leaves out what has no order id, and what is older than Google adjusts", async () => {
    using warehouse = makeWarehouse([conversionCall(1)]);
    await writeNew(warehouse, { isNew: false });
    sync(warehouse, [conversionCall(2)]);
    await writeNew(warehouse);
    sync(warehouse, [conversionCall(1, { duration: 1 }), conversionCall(2, { duration: 1 })]);
    const { rows, rest, entry } = await writeAdjustments(warehouse, { nowMs: NOW + 54 * DAY_MS });
    expect(rows).toEqual([]);
    expect(rest).toEqual([
      ["1", "Qualified call", "2026-10-21T13:00:00.000Z", "retract", "no order id"],
      ["2", "Qualified call", "2026-10-21T14:00:00.000Z", "retract", "too old"],
    ]);
    expect(entry).toMatchObject({ examined: 2, excluded: { "no order id": 1, "too old": 1 } });
    expect(ordersOf((await writeAdjustments(warehouse, { nowMs: NOW + 40 * DAY_MS })).rows)).toEqual(["2"]);
  });

  it("does not take calls of one click back that --every told of", async () => {
    using warehouse = makeWarehouse([1, 2].map((id) => conversionCall(id, { gclid: "CjABC" })));
    expect((await writeNew(warehouse, { every: true })).rows).toHaveLength(2);
    expect((await writeAdjustments(warehouse)).rows).toEqual([]);
  });

  it("retracts again what a file said that was taken back, and the older of two that stand for one call", async () => {
    using warehouse = makeWarehouse([conversionCall(1)]);
    await writeNew(warehouse);
    sync(warehouse, [conversionCall(1, { duration: 1 })]);
    await writeAdjustments(warehouse);
    forgetLast(warehouse);
    expect(ordersOf((await writeAdjustments(warehouse)).rows)).toEqual(["1"]);
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
    expect(ordersOf((await writeAdjustments(warehouse)).rows)).toEqual(["1"]);
    expect((await writeAdjustments(warehouse)).rows).toEqual([]);
  });
});

/** What Google knows: it is told by files alone, and complains of what it would complain of, or drop without a word. */
class Google {
  readonly #orders = new Map<string, { callId: number; isRetracted: boolean; value: string }>();
  readonly #moments = new Set<string>();
  retracted = 0;

  convert(rows: readonly CheckedRow[]): void {
    for (const row of rows) {
      const order = row["Order ID"] ?? "";
      const moment = JSON.stringify([row["Google Click ID"], row["Conversion Time"], row["Conversion Name"]]);
      if (this.#orders.has(order)) throw new Error(`The order id ${order} was used before`);
      if (this.#moments.has(moment)) throw new Error(`${moment} is there already`);
      this.#moments.add(moment);
      const callId = Number(order.split("-")[0]);
      this.#orders.set(order, { callId, isRetracted: false, value: row["Conversion Value"] ?? "" });
    }
  }

  adjust(rows: readonly CheckedRow[]): void {
    for (const row of rows) {
      const order = this.#orders.get(row["Order ID"] ?? "");
      if (order === undefined) throw new Error(`There is no conversion ${row["Order ID"]}`);
      if (order.isRetracted) throw new Error(`The conversion ${row["Order ID"]} is retracted already`);
      if (row["Adjustment Type"] === "RETRACT") {
        order.isRetracted = true;
        this.retracted++;
      } else {
        if (order.value === row["Adjusted Value"]) throw new Error("It has this value already");
        order.value = row["Adjusted Value"] ?? "";
      }
    }
  }

  get standing() {
    return [...this.#orders.values()].filter(({ isRetracted }) => !isRetracted);
  }
}

/** The calls that are conversions at a moment, found by hand. */
function findConversions(calls: ReadonlyMap<number, Call & { isGone: boolean }>, nowMs: number): number[] {
  const qualified = [...calls.values()]
    .filter(({ isGone, disposition }) => !isGone && disposition === "ANSWERED")
    .toSorted((a, b) => (a.call_started ?? "").localeCompare(b.call_started ?? "") || a.call_id - b.call_id);
  const clicks = new Set<string | null>();
  return qualified
    .filter(({ gclid }) => !clicks.has(gclid) && clicks.add(gclid))
    .filter(({ call_started }) => Date.parse(call_started ?? "") <= nowMs - 6 * HOUR_MS)
    .map(({ call_id }) => call_id)
    .sort((a, b) => a - b);
}

describe("30 days of syncs, corrections and uploads", () => {
  it.each([1, 2, 3])(
    "tell Google of each conversion once, retract each that is none once, and no other: seed %i",
    async (seed) => {
      const random = seededRandom(seed);
      const chance = (share: number) => random() < share;
      const draw = (below: number) => Math.floor(random() * below);
      const calls = new Map<number, Call & { isGone: boolean }>();
      const google = new Google();
      using warehouse = makeWarehouse([]);
      const counts = { thrownAway: 0, again: 0 };
      let [nextId, value] = [1, "40"];
      for (let day = 0; day < 30; day++) {
        const nowMs = NOW + day * DAY_MS;
        const synced: Call[] = [];
        const put = (call: Call) => {
          calls.set(call.call_id, { ...call, isGone: false });
          synced.push(call);
        };
        for (let call = draw(4); call > 0; call--) {
          // Some come late, and some clicks bring several calls, at times in one second.
          const started = nowMs - draw(3) * DAY_MS - draw(20) * HOUR_MS;
          const gclid = `Cj${draw(12)}`;
          put(conversionCall(nextId++, { gclid, call_started: at(started - (started % HOUR_MS)) }));
        }
        for (const { isGone, ...call } of calls.values()) {
          if (isGone ? chance(0.1) : chance(0.08))
            put({ ...call, disposition: call.disposition === "BUSY" || isGone ? "ANSWERED" : "BUSY" });
          else if (!isGone && chance(0.02)) {
            warehouse.markGone(call.call_id, at(nowMs));
            calls.set(call.call_id, { ...call, isGone: true });
          }
        }
        sync(warehouse, synced);
        if (chance(0.1)) value = String(10 + draw(90));
        const hasConversions = day === 29 || chance(0.5);
        const hasAdjustments = day === 29 || chance(0.5);
        if (hasAdjustments) {
          const { rows } = await writeAdjustments(warehouse, { nowMs, value });
          const isThrownAway = day < 29 && chance(0.15);
          if (isThrownAway) forgetLast(warehouse);
          else google.adjust(rows);
        }
        if (hasConversions) {
          const { rows } = await writeNew(warehouse, { nowMs, value });
          counts.again += rows.filter((row) => row["Order ID"]?.includes("-")).length;
          const isThrownAway = day < 29 && chance(0.15);
          if (isThrownAway) {
            forgetLast(warehouse);
            counts.thrownAway += rows.length;
          } else google.convert(rows);
        }
        if (!hasConversions || !hasAdjustments) continue;
        const isTold = google.standing.map(({ callId }) => callId).sort((a, b) => a - b);
        if (day === 29) expect(isTold).toEqual(findConversions(calls, nowMs));
        else expect(new Set(isTold).size).toBe(isTold.length);
      }
      expect(new Set(google.standing.map((order) => order.value))).toEqual(new Set([value]));
      expect(google.standing.length).toBeGreaterThan(3);
      expect(google.retracted).toBeGreaterThan(5);
      expect(counts.again).toBeGreaterThan(0);
      expect(counts.thrownAway).toBeGreaterThan(0);
    },
  );
});
