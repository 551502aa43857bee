import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { KEEP_ALL } from "../../../src/calls/privacy/keep-settings.ts";
import type { ConversionOptions } from "../../../src/config/request/resolve.ts";
import { forgetUploads, idsOf } from "../../../src/features/conversions/upload-files.ts";
import { forgetCallers } from "../../../src/operate/forget/forget-callers.ts";
import { pruneNow } from "../../../src/operate/forget/prune-now.ts";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { clockAt, makeWarehouse, type Target } from "../../support/figures/produce-files.ts";
import { readLines } from "../../support/figures/tables.ts";
import { readText } from "../../support/temp-folder.ts";
import { locked } from "../../support/warehouses/warehouse.ts";
import {
  at,
  conversionCall,
  DAY_MS,
  forgetLast,
  NOW,
  ordersOf,
  readLedger,
  saidOf,
  sync,
  type Warehouse,
  writeAdjustments,
  writeNew,
} from "./upload-files.ts";

const NUMBER = "+49301234567";

/** Writes a file with --new; returns its calls, and why others are left out. */
async function write(
  warehouse: Warehouse,
  kind: "google-ads" | "google-leads" | "google-data-manager" | "microsoft-ads" | "ga4-events",
  { rules = DEFAULT_RULES, ...options }: Partial<ConversionOptions> & { rules?: typeof DEFAULT_RULES } = {},
) {
  const targets: Target[] = [
    { kind, conversion: { name: "Qualified call", every: false, new: true, ...options } },
  ];
  const { manifest, folder, ...result } = await warehouse.export({ targets, rules, clock: clockAt(NOW) });
  const rest = readLines(readText(folder, `${kind}.excluded.csv`)).slice(1);
  return {
    ...result,
    rows: manifest.files[0]?.rows,
    reasons: Object.fromEntries(rest.map(([id, , reason]) => [id, reason])),
  };
}

describe("an uploaded conversion is recognized by its click or caller", () => {
  it("after its caller was forgotten: another call of the browser is not a second one", async () => {
    const click = {
      gclid: null,
      google_analytics_cid: "1.2",
      call_started: at(NOW - 2 * DAY_MS),
      referring_url: `https://x.test/?msclkid=${"0a".repeat(16)}`,
    };
    using warehouse = makeWarehouse([
      conversionCall(1, { ...click, caller_id: NUMBER }),
      conversionCall(2, { ...click, caller_id: "+49307654321" }),
    ]);
    const kinds = ["ga4-events", "microsoft-ads"] as const;
    for (const kind of kinds) expect(await write(warehouse, kind)).toMatchObject({ rows: 1 });
    {
      using opened = openExistingWarehouse(warehouse.database);
      forgetCallers(locked(opened), [{ caller: NUMBER }], { nowMs: NOW });
    }
    for (const kind of kinds) {
      const { rows, reasons } = await write(warehouse, kind);
      // The click id of the first call is kept.
      const reason = kind === "microsoft-ads" ? "duplicate" : "uploaded";
      expect([kind, rows, reasons[2]]).toEqual([kind, 0, reason]);
    }
  });

  it("after its number was removed: another call of the caller is not a second one", async () => {
    const old = { caller_id: NUMBER, call_started: at(NOW - 30 * DAY_MS) };
    using warehouse = makeWarehouse([conversionCall(1, old), conversionCall(2, { caller_id: NUMBER })]);
    const rules = { ...DEFAULT_RULES, caller_digests: true };
    expect(await write(warehouse, "google-leads", { rules })).toMatchObject({
      rows: 1,
      reasons: { 2: "duplicate" },
    });
    await pruneNow({
      database: warehouse.database,
      keep: { ...KEEP_ALL, caller_numbers: 20 },
      rules,
      isDryRun: false,
      nowMs: NOW,
    });
    warehouse.markGone(1, at(NOW));
    expect(await write(warehouse, "google-leads", { rules })).toMatchObject({
      rows: 0,
      reasons: { 2: "uploaded" },
    });
  });

  it.each(["before", "after"])(
    "after its gclid was corrected: it is retracted, and reported for the other click (adjustments %s)",
    async (order) => {
      using warehouse = makeWarehouse([
        conversionCall(1, { gclid: "CjA" }),
        conversionCall(2, { gclid: "CjA" }),
      ]);
      expect((await writeNew(warehouse)).rows).toMatchObject([
        { "Order ID": "call-1", "Google Click ID": "CjA" },
      ]);
      sync(warehouse, [conversionCall(1, { gclid: "CjB" })]);
      const adjust = async () => saidOf((await writeAdjustments(warehouse)).rows);
      const early = order === "before" ? await adjust() : [];
      const { rows } = await writeNew(warehouse);
      const said = [...early, ...(order === "after" ? await adjust() : [])];
      expect(said).toEqual([["call-1", "RETRACT", "", ""]]);
      // With the first one of CjA taken back, its other call is the only one that counts.
      expect(rows).toMatchObject([
        { "Order ID": "call-1-2", "Google Click ID": "CjB" },
        { "Order ID": "call-2", "Google Click ID": "CjA" },
      ]);
      const retraction = readLedger(warehouse).lines.find(({ action }) => action === "retract");
      expect(retraction).toMatchObject({ call_id: 1, reason: "another click", key_digest: null });
      expect([await adjust(), ordersOf((await writeNew(warehouse)).rows)]).toEqual([[], []]);
      // And back again.
      sync(warehouse, [conversionCall(1, { gclid: "CjA" })]);
      expect(await adjust()).toEqual([
        ["call-1-2", "RETRACT", "", ""],
        ["call-2", "RETRACT", "", ""],
      ]);
      expect((await writeNew(warehouse)).rows).toMatchObject([
        { "Order ID": "call-1-3", "Google Click ID": "CjA" },
      ]);
    },
  );

  it("after a correction that cannot be retracted: neither its call nor its old click is reported again", async () => {
    const cid = (google_analytics_cid: string) => ({
      google_analytics_cid,
      call_started: at(NOW - 2 * DAY_MS),
      gclid: `Cj${google_analytics_cid.slice(0, 1)}`,
    });
    using warehouse = makeWarehouse([conversionCall(1, cid("1.1")), conversionCall(2, cid("1.1"))]);
    const kinds = ["ga4-events", "google-data-manager"] as const;
    for (const kind of kinds) await write(warehouse, kind);
    await write(warehouse, "google-ads", { new: false });
    sync(warehouse, [conversionCall(1, cid("2.2"))]);
    for (const kind of [...kinds, "google-ads"] as const) {
      const { rows, reasons } = await write(warehouse, kind);
      expect({ kind, rows, reasons }).toMatchObject({ rows: 0, reasons: { 1: "uploaded", 2: "uploaded" } });
    }
  });

  it("from a file without --new, too, and not repeated by one with it", async () => {
    using warehouse = makeWarehouse([conversionCall(1, { gclid: "CjA" })]);
    await writeNew(warehouse);
    sync(warehouse, [conversionCall(1, { gclid: "CjB" })]);
    await write(warehouse, "google-ads", { new: false });
    expect((await writeNew(warehouse)).reasons).toEqual({ 1: "uploaded" });
    expect(saidOf((await writeAdjustments(warehouse)).rows)).toEqual([["call-1", "RETRACT", "", ""]]);
  });

  it("by digests, equal for one click, and different from the click and the number", async () => {
    using warehouse = makeWarehouse([conversionCall(1, { gclid: "CjABCDEFG", caller_id: NUMBER })]);
    for (const kind of ["google-ads", "google-data-manager", "google-leads"] as const)
      await write(warehouse, kind);
    const [ads, manager, leads] = readLedger(warehouse).lines.map(({ key_digest }) => key_digest);
    expect(ads).toMatch(/^[\w-]{43}$/);
    expect(manager).toBe(ads);
    expect(leads).not.toBe(ads);
  });
});

/** Makes the order ids in the ledger those of an earlier version: call ids alone. */
function shortenOrderIds({ database }: Warehouse): void {
  using opened = openExistingWarehouse(database);
  opened.sqlite.exec("UPDATE uploads SET order_id = replace(order_id, 'call-', '')");
}

describe("order ids of an earlier version", () => {
  it("adjustments of both kinds have the order ids that were uploaded; a later order of the call has the prefix", async () => {
    using warehouse = makeWarehouse([1, 2, 3].map((id) => conversionCall(id)));
    await writeNew(warehouse, { value: "40", currency: "EUR" });
    shortenOrderIds(warehouse);
    sync(warehouse, [conversionCall(1, { duration: 1 }), conversionCall(4)]);
    const { rows, reasons } = await writeNew(warehouse, { value: "55", currency: "EUR" });
    expect(ordersOf(rows)).toEqual(["call-4"]);
    expect(reasons).toEqual({ 1: "not qualified", 2: "uploaded", 3: "uploaded" });
    const adjusted = await writeAdjustments(warehouse, { value: "66", currency: "EUR" });
    expect(saidOf(adjusted.rows)).toEqual([
      ["1", "RETRACT", "", ""],
      ["2", "RESTATE", "66", "EUR"],
      ["3", "RESTATE", "66", "EUR"],
      ["call-4", "RESTATE", "66", "EUR"],
    ]);
    sync(warehouse, [conversionCall(1)]);
    expect(ordersOf((await writeNew(warehouse)).rows)).toEqual(["call-1"]);
    sync(warehouse, [conversionCall(1, { duration: 1 })]);
    expect(saidOf((await writeAdjustments(warehouse)).rows)).toEqual([["call-1", "RETRACT", "", ""]]);
  });

  it.each(["google-ads", "google-leads", "google-data-manager"] as const)(
    "a file of %s that replaces one that was taken back has the prefix in its order ids",
    async (kind) => {
      using warehouse = makeWarehouse([conversionCall(1)]);
      await write(warehouse, kind);
      shortenOrderIds(warehouse);
      expect(await write(warehouse, kind)).toMatchObject({ rows: 0, reasons: { 1: "uploaded" } });
      {
        using opened = openExistingWarehouse(warehouse.database);
        forgetUploads(opened, idsOf(readLedger(warehouse).files), at(NOW));
      }
      expect(await write(warehouse, kind)).toMatchObject({ rows: 1 });
      expect(readLedger(warehouse).lines.map(({ order_id }) => order_id)).toEqual(["1", "call-1"]);
    },
  );
});

describe("numbers that cannot be uploaded", () => {
  it("numbers are malformed without their country code, or if they are a digit short; a later call counts", async () => {
    using warehouse = makeWarehouse([
      conversionCall(1, { caller_id: "(512) 555-0100" }),
      conversionCall(2, { caller_id: "+1 512 555 010" }),
      conversionCall(3, { caller_id: "15125550123" }),
      conversionCall(4, { caller_id: "+1 512 555 0123" }), // the caller of 3, with the country code
      conversionCall(5, { caller_id: "0049 30 1234567" }),
      conversionCall(6, { caller_id: "anonymous" }),
    ]);
    const { rows, reasons } = await write(warehouse, "google-leads");
    expect({ rows, reasons }).toEqual({
      rows: 1,
      reasons: { 1: "malformed", 2: "malformed", 3: "malformed", 5: "malformed", 6: "no caller id" },
    });
    const hash = createHash("sha256").update("+15125550123").digest("hex");
    expect(readText(warehouse.folder, "google-leads.csv").split("\n")[2]).toContain(hash);
  });
});

describe("a tenth of the numbers without a country code", () => {
  it("google-leads leaves out these and malformed ones only, and lists each of them with its reason", async () => {
    const calls = Array.from({ length: 100 }, (_, index) => {
      const national = `512555${String(1000 + index)}`;
      const written = index === 37 ? `+1${national.slice(0, -1)}` : `+1 ${national}`;
      return conversionCall(index + 1, { caller_id: index % 10 === 4 ? national : written });
    });
    using warehouse = makeWarehouse(calls);
    const { rows, reasons } = await write(warehouse, "google-leads");
    const withoutCode = [5, 15, 25, 35, 45, 55, 65, 75, 85, 95];
    expect(reasons).toEqual(Object.fromEntries([...withoutCode, 38].map((id) => [id, "malformed"])));
    expect(rows).toBe(89);
    expect(Number(rows) + Object.keys(reasons).length).toBe(calls.length);
    const hashes = new Set(
      calls
        .filter(({ call_id }) => !(call_id in reasons))
        .map(({ caller_id }) =>
          createHash("sha256").update(String(caller_id).replace(" ", "")).digest("hex"),
        ),
    );
    const lines = readText(warehouse.folder, "google-leads.csv").split("\n").slice(2);
    expect(lines.filter((line) => [...hashes].some((hash) => line.includes(hash)))).toHaveLength(89);
  });
});

describe("warehouse without the key of its digests", () => {
  it.each(["missing", "another"])("reports no conversion twice: %s", async (state) => {
    using warehouse = makeWarehouse([conversionCall(1)]);
    expect(await write(warehouse, "google-ads")).toMatchObject({
      newKey: `${warehouse.database}.caller-key`,
    });
    if (state === "missing") rmSync(`${warehouse.database}.caller-key`);
    else writeFileSync(`${warehouse.database}.caller-key`, `${"ab".repeat(32)}\n`);
    const error = { exitCode: 7, message: expect.stringContaining("the key of their digests") };
    await expect(writeNew(warehouse)).rejects.toMatchObject(error);
    await expect(write(warehouse, "google-ads", { new: false })).rejects.toMatchObject(error);
    await expect(writeAdjustments(warehouse)).rejects.toMatchObject(error);
    expect(readLedger(warehouse).files).toHaveLength(1);
    forgetLast(warehouse);
    expect(ordersOf((await writeNew(warehouse)).rows)).toEqual(["call-1"]);
  });
});
