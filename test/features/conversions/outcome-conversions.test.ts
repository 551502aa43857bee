import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/calls/columns.ts";
import type { ConversionOptions } from "../../../src/config/request/resolve.ts";
import { importOutcomes } from "../../../src/features/outcomes/import-outcomes.ts";
import { OUTCOME_LEDGER, readOutcomeImports } from "../../../src/features/outcomes/outcome-imports.ts";
import { removeImport } from "../../../src/intake/ledger.ts";
import { forgetCallers } from "../../../src/operate/forget/forget-callers.ts";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { readConversions } from "../../support/figures/conversion-checker.ts";
import { clockAt, makeWarehouse, type Target } from "../../support/figures/produce-files.ts";
import { readText } from "../../support/temp-folder.ts";
import { locked } from "../../support/warehouses/warehouse.ts";
import {
  at,
  conversionCall,
  DAY_MS,
  NOW,
  type Options,
  saidOf,
  type Warehouse,
  writeAdjustments,
  writeNew,
} from "./upload-files.ts";

const MAX_ADJUSTED_DAYS = 54;

/** The state of an ad platform after it got some files; it refuses what Google refuses. */
class Platform {
  readonly #orders = new Map<string, { occurredMs: number; value: string; isRetracted: boolean }>();

  /** Accepts the conversions, then the adjustments, and returns the value of each order that counts. */
  async take(warehouse: Warehouse, options: Options & { nowMs: number }): Promise<Record<string, string>> {
    const { rows } = await writeNew(warehouse, options);
    const { new: _, every: __, ...adjusted } = options;
    const { rows: adjustments } = await writeAdjustments(warehouse, adjusted);
    for (const row of rows) {
      const { "Order ID": id = "", "Conversion Time": time, "Conversion Value": value = "" } = row;
      expect(this.#orders.has(id), `order ${id} comes twice`).toBe(false);
      this.#orders.set(id, {
        occurredMs: Date.parse(`${time?.replace(" ", "T")}Z`),
        value,
        isRetracted: false,
      });
    }
    for (const [id = "", type, value = ""] of saidOf(adjustments)) {
      const order = this.#orders.get(id);
      expect(order?.isRetracted, `order ${id} is adjusted`).toBe(false);
      if (order === undefined) continue;
      expect(options.nowMs - order.occurredMs).toBeLessThanOrEqual(MAX_ADJUSTED_DAYS * DAY_MS);
      if (type === "RETRACT") order.isRetracted = true;
      else {
        expect(Number(value)).toBeGreaterThan(0);
        order.value = value;
      }
    }
    const active = [...this.#orders].filter(([, { isRetracted }]) => !isRetracted);
    return Object.fromEntries(active.map(([id, { value }]) => [id, value]));
  }
}

/** @param jobs lines of job id, call id, date, stage, amount */
function importJobs({ database, folder }: Warehouse, jobs: string): void {
  const file = join(folder, "..", "jobs.csv");
  writeFileSync(file, `job_id,call_id,date,stage,amount\n${jobs}\n`);
  importOutcomes({ database, currency: undefined, timezone: "UTC" }, [file], {
    source: "jobs",
    named: "EUR",
    withinDays: 30,
    map: {},
    stages: new Map(),
  });
}

function removeLastImport({ database }: Warehouse): void {
  using warehouse = openExistingWarehouse(database);
  const [last] = readOutcomeImports(warehouse);
  removeImport(warehouse, OUTCOME_LEDGER, { number: last?.number ?? 0, removedAt: at(NOW) });
}

function forget({ database }: Warehouse, callId: number): void {
  using warehouse = openExistingWarehouse(database);
  const caller = String(conversionCall(callId).caller_id);
  forgetCallers(locked(warehouse), [{ caller }], { nowMs: NOW });
}

type Step =
  | { jobs: string }
  | { change: (warehouse: Warehouse) => void }
  /** An upload that many days later, and the platform's state after it. */
  | { upload: Record<string, string>; afterDays?: number };

interface Situation {
  title: string;
  calls?: Call[];
  conversion?: Partial<ConversionOptions>;
  steps: Step[];
}

const D = "2026-10-25";
const sold = (amount: string | number, call = 1, id = "A") => ({
  jobs: `${id},${call},${D},sold,${amount}`,
});
const booked = { jobs: `A,1,${D},booked,` };
const lost = { jobs: `A,1,${D},lost,` };
const removed = { change: removeLastImport };
const upload = (found: Record<string, string>, afterDays = 0): Step => ({ upload: found, afterDays });
const click = (id: number) => conversionCall(id, { gclid: "CjABC" });

const SITUATIONS: Situation[] = [
  {
    title: "a job after the first upload",
    steps: [
      upload({ "call-1": "" }),
      sold(420),
      upload({ "call-1": "420.00" }),
      upload({ "call-1": "420.00" }),
    ],
  },
  {
    title: "a refund",
    steps: [sold(420), upload({ "call-1": "420.00" }), sold(-20, 1, "A-R"), upload({ "call-1": "400.00" })],
  },
  {
    title: "a refund in full, and another job later",
    steps: [
      sold(420),
      upload({ "call-1": "420.00" }),
      sold(-420, 1, "A-R"),
      upload({}),
      upload({}),
      sold(50, 1, "B"),
      upload({ "call-1-2": "50.00" }),
    ],
  },
  {
    title: "a refund of more than was earned, before the first upload",
    steps: [sold(10), sold(-20, 1, "A-R"), upload({})],
  },
  {
    title: "a removed job, after which the revenue of the call is unknown again",
    steps: [sold(420), upload({ "call-1": "420.00" }), removed, upload({}), upload({ "call-1-2": "" })],
  },
  {
    title: "a job that is lost after all",
    steps: [sold(420), upload({ "call-1": "420.00" }), lost, upload({}), upload({})],
  },
  { title: "a job that is lost from the start", steps: [lost, upload({})] },
  {
    title: "a sold job that is open again: the last value stays until it is sold again",
    steps: [
      ...[sold(420), upload({ "call-1": "420.00" }), booked],
      ...[upload({ "call-1": "420.00" }), upload({ "call-1": "420.00" })],
      ...[sold(500), upload({ "call-1": "500.00" })],
    ],
  },
  {
    title: "a sold job that is open again, and then lost",
    steps: [
      ...[sold(420), upload({ "call-1": "420.00" }), booked, upload({ "call-1": "420.00" })],
      ...[lost, upload({}), upload({})],
    ],
  },
  {
    title: "a sold job that is open again, of another call of the click",
    calls: [click(1), click(2)],
    steps: [
      ...[sold(420, 2), upload({ "call-1": "420.00" }), { jobs: `A,2,${D},booked,` }],
      ...[upload({ "call-1": "420.00" }), sold(77, 2), upload({ "call-1": "77.00" })],
    ],
  },
  {
    title: "a sold job whose amount is withdrawn",
    steps: [sold(420), upload({ "call-1": "420.00" }), sold(""), upload({ "call-1": "420.00" })],
  },
  {
    title: "a sold job that is open again, next to one that was sold: what is known to be earned counts",
    steps: [
      ...[sold(420), sold(80, 1, "B"), upload({ "call-1": "500.00" }), booked, upload({ "call-1": "80.00" })],
      ...[sold(400), upload({ "call-1": "480.00" })],
    ],
  },
  {
    title: "a sold job as the condition that is open again: only a sale brings the conversion back",
    conversion: { qualify: "sold" },
    steps: [
      ...[sold(420), upload({ "call-1": "420.00" }), booked, upload({}), upload({})],
      ...[sold(500), upload({ "call-1-2": "500.00" })],
    ],
  },
  {
    title: "a booked job as the condition that is open again after a sale",
    conversion: { qualify: "booked" },
    steps: [
      ...[booked, upload({ "call-1": "" }), sold(420), upload({ "call-1": "420.00" })],
      ...[booked, upload({ "call-1": "420.00" }), sold(50), upload({ "call-1": "50.00" })],
    ],
  },
  { title: "a job that was sold for an unknown amount", steps: [sold(""), upload({ "call-1": "" })] },
  {
    title: "a job that is sold too late to adjust",
    steps: [upload({ "call-1": "" }), sold(420), upload({ "call-1": "" }, 45)],
  },
  {
    title: "a job that is removed too late to adjust",
    steps: [sold(420), upload({ "call-1": "420.00" }), removed, upload({ "call-1": "420.00" }, 45)],
  },
  {
    title: "a sold job as the condition, which comes after 80 days",
    conversion: { qualify: "sold" },
    steps: [booked, upload({}), sold(420), upload({ "call-1": "420.00" }, 70)],
  },
  {
    title: "a sold job as the condition, which comes after 91 days",
    conversion: { qualify: "sold" },
    steps: [upload({}), sold(420), upload({}, 81)],
  },
  {
    title: "a booked job as the condition, of a call that is not qualified itself",
    calls: [conversionCall(1, { duration: 5 })],
    conversion: { qualify: "booked" },
    steps: [
      upload({}),
      booked,
      upload({ "call-1": "" }),
      sold(420),
      upload({ "call-1": "420.00" }),
      lost,
      upload({}),
    ],
  },
  {
    title: "a booked job as the condition, with a fixed value",
    conversion: { qualify: "booked", value: "40" },
    steps: [
      upload({}),
      booked,
      upload({ "call-1": "40" }),
      sold(420),
      upload({ "call-1": "40" }),
      removed,
      upload({}),
    ],
  },
  {
    title: "a job of another call of the click",
    calls: [click(1), click(2)],
    steps: [sold(420, 2), upload({ "call-1": "420.00" }), sold(80, 1, "B"), upload({ "call-1": "500.00" })],
  },
  {
    title: "a job of an unqualified call of the same click",
    calls: [click(1), conversionCall(2, { gclid: "CjABC", duration: 5 })],
    steps: [sold(420, 2), upload({ "call-1": "420.00" })],
  },
  {
    title: "jobs of two calls of a click, each a conversion",
    calls: [click(1), click(2)],
    conversion: { every: true },
    steps: [sold(420, 2), upload({ "call-1": "", "call-2": "420.00" })],
  },
  {
    title: "an earlier call of the click that is booked later",
    calls: [click(1), click(2)],
    conversion: { qualify: "booked" },
    steps: [
      sold(420, 2),
      upload({ "call-2": "420.00" }),
      sold(80, 1, "B"),
      upload({ "call-1": "500.00" }),
      upload({ "call-1": "500.00" }),
    ],
  },
  {
    title: "a forgotten caller: a known job keeps its call, and its amount is still updated",
    steps: [
      sold(420),
      upload({ "call-1": "420.00" }),
      { change: (warehouse) => forget(warehouse, 1) },
      upload({ "call-1": "420.00" }),
      sold(435),
      upload({ "call-1": "435.00" }),
    ],
  },
];

describe("value of a conversion by outcome", () => {
  it.each(SITUATIONS)("$title", async ({ calls = [conversionCall(1)], conversion, steps }) => {
    using warehouse = makeWarehouse(calls);
    const platform = new Platform();
    for (const [index, step] of steps.entries()) {
      if ("jobs" in step) importJobs(warehouse, step.jobs);
      else if ("change" in step) step.change(warehouse);
      else {
        const nowMs = NOW + (step.afterDays ?? 0) * DAY_MS + index * 1000;
        const options = { value: "outcome", ...conversion, nowMs, folder: `${warehouse.folder}-${index}` };
        expect(await platform.take(warehouse, options), `step ${index + 1}`).toEqual(step.upload);
      }
    }
  });
});

describe("conversions of other names", () => {
  it("an export that adjusts conversions by outcome does not change conversions of other names", async () => {
    using warehouse = makeWarehouse([conversionCall(1)]);
    importJobs(warehouse, `A,1,${D},booked,`);
    await writeNew(warehouse, { name: "Fixed", value: "40" });
    await writeNew(warehouse, { name: "Booked call", qualify: "booked", value: "outcome" });
    importJobs(warehouse, `A,1,${D},lost,`);
    const { rows } = await writeAdjustments(warehouse, { name: "Sold call", value: "outcome" });
    // The condition is that of the upload; the value is that of the name.
    expect(rows.map((row) => [row["Conversion Name"], row["Adjustment Type"]])).toEqual([
      ["Booked call", "RETRACT"],
    ]);
    const others = await writeAdjustments(warehouse, { name: "Fixed", value: "outcome" });
    expect(others.rows.map((row) => [row["Conversion Name"], row["Adjustment Type"]])).toEqual([
      ["Fixed", "RETRACT"],
    ]);
  });
});

describe("currency of outcome values", () => {
  it("outcome values have the currency of the jobs; no other can be requested", async () => {
    using warehouse = makeWarehouse([conversionCall(1), conversionCall(2)]);
    importJobs(warehouse, `A,1,${D},sold,420`);
    const { rows } = await writeNew(warehouse, { value: "outcome" });
    expect(rows.map((row) => [row["Conversion Value"], row["Conversion Currency"]])).toEqual([
      ["420.00", "EUR"],
      ["", ""],
    ]);
    await expect(writeNew(warehouse, { value: "outcome", currency: "USD" })).rejects.toMatchObject({
      exitCode: 2,
      message: "Cannot upload what calls earned in USD: jobs are in EUR",
      hint: "Leave out --conversion.currency: the currency is that of the jobs.",
    });
    await expect(writeAdjustments(warehouse, { value: "outcome", currency: "USD" })).rejects.toThrow("USD");
    importJobs(warehouse, `B,2,${D},sold,7`);
    const adjusted = await writeAdjustments(warehouse, { value: "outcome" });
    expect(saidOf(adjusted.rows)).toEqual([["call-2", "RESTATE", "7.00", "EUR"]]);
  });
});

describe("files without adjustments", () => {
  it.each(["google-leads", "google-data-manager", "microsoft-ads", "ga4-events"] as const)(
    "contain the value at the time of writing, once: %s",
    async (kind) => {
      const ids = {
        google_analytics_cid: "1.2",
        call_started: at(NOW - 2 * DAY_MS),
        ...(kind === "microsoft-ads" && {
          gclid: null,
          referring_url: `https://x.test/?msclkid=${"0a".repeat(16)}`,
        }),
      };
      using warehouse = makeWarehouse([conversionCall(1, ids)]);
      const write = async () => {
        const conversion = {
          value: "outcome",
          qualify: "sold",
          name: "Sold call",
          measurement_id: "G-1A2B3C",
          every: false,
          new: true,
        } as const;
        const { folder, manifest } = await warehouse.export({
          targets: [{ kind, conversion } satisfies Target],
          clock: clockAt(NOW),
        });
        const values = readConversions(kind, readText(folder, `${kind}.csv`)).map(
          (row) => row["Conversion Value"] ?? row["event_param.value"],
        );
        return { values, excluded: manifest.files[0]?.excluded };
      };
      expect(await write()).toEqual({ values: [], excluded: { "not sold": 1 } });
      importJobs(warehouse, "A,1,2026-10-30,sold,420");
      expect(await write()).toEqual({ values: ["420.00"], excluded: {} });
      importJobs(warehouse, "A,1,2026-10-30,sold,500");
      expect(await write()).toEqual({ values: [], excluded: { uploaded: 1 } });
    },
  );
});

it("export states that no jobs were imported", async () => {
  using warehouse = makeWarehouse([conversionCall(1)]);
  const conversion = { name: "Booked call", qualify: "booked", every: false } as const;
  const { manifest } = await warehouse.export({
    targets: [{ kind: "google-ads", conversion }],
    clock: clockAt(NOW),
  });
  expect(manifest.statements.map(({ id }) => id)).toContain("no_outcomes");
  expect(manifest.files[0]).toMatchObject({ rows: 0, excluded: { "not booked": 1 } });
});
