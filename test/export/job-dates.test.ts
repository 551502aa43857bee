import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GRAINS, type Grain } from "../../src/base/calendar/grain.ts";
import { importOutcomes } from "../../src/features/outcomes/import-outcomes.ts";
import { openExistingWarehouse } from "../../src/warehouse/file/open.ts";
import { draws } from "../support/draws.ts";
import { makeWarehouse } from "../support/figures/produce-files.ts";
import { readText } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { storeSpend } from "../support/warehouses/spend.ts";

/** West and east of UTC, far from it, and with a day that begins at one o'clock. */
const ZONES = [
  "America/Los_Angeles",
  "Pacific/Pago_Pago",
  "Pacific/Kiritimati",
  "Asia/Kolkata",
  "America/Havana",
  "UTC",
];
const ZONE_NAMES = fc.constantFrom(...ZONES);

/** Calls at both ends of days, in any zone; the last on 28 October. */
const CALLS = [
  "2026-09-10T06:59:59.999Z",
  "2026-09-10T07:00:00.000Z",
  "2026-10-01T00:30:00.000Z",
  "2026-10-28T12:00:00.000Z",
].map((call_started, index) => makeCall({ call_id: index + 1, call_started, utm_source: "google" }));

/** Calls before all drawn jobs, in any zone. */
const EARLY_CALLS = CALLS.map((call) => ({
  ...call,
  call_started: `2026-08-0${call.call_id}T12:00:00.000Z`,
}));

interface DatedJob {
  call: number;
  day: string;
  stage: "booked" | "sold" | "lost";
  amount: number;
}

const PERIOD_OF: Record<Grain, (day: string) => string> = {
  day: (day) => day,
  week: (day) => {
    // The week of its Thursday.
    const thursday = new Date(Date.parse(day) + (4 - (new Date(day).getUTCDay() || 7)) * 86_400_000);
    const yearStart = Date.UTC(thursday.getUTCFullYear(), 0, 1);
    const week = Math.ceil(((thursday.getTime() - yearStart) / 86_400_000 + 1) / 7);
    return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, "0")}`;
  },
  month: (day) => day.slice(0, 7),
  quarter: (day) => `${day.slice(0, 4)}-Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`,
};

function importJobs(database: string, folder: string, timezone: string, jobs: readonly DatedJob[]): void {
  const file = join(folder, "..", "jobs.csv");
  const lines = jobs.map(
    ({ call, day, stage, amount }, index) => `J${index},${call},${day},${stage},${amount}`,
  );
  writeFileSync(file, ["job_id,call_id,date,stage,amount", ...lines, ""].join("\n"));
  importOutcomes({ database, currency: undefined, timezone }, [file], {
    ...{ source: "jobs", named: "USD", withinDays: 30, map: {}, stages: new Map() },
  });
}

interface Asked {
  timezone: string;
  grain?: Grain | undefined;
  range?: { from?: string; to?: string };
}

type Account = ReturnType<typeof makeWarehouse>;

/** Returns the figures of an export by the date of the job, by period. */
async function readPeriods(
  account: Account,
  { timezone, grain, range = {} }: Asked,
  columns = ["booked_calls", "sold_calls", "revenue"],
) {
  const { folder } = await account.export({
    targets: [{ kind: "rollup", dimensions: ["source"] }],
    ...{ timezone, grain, range, outcomes: true, revenueBy: "job-date" },
    format: { format: "json" },
  });
  const rows: Record<string, string | number | null>[] = JSON.parse(readText(folder, "source.json"));
  return rows.map((row) => [row.period ?? null, ...columns.map((name) => row[name] ?? null)]);
}

/** What the jobs of a range say of each period with any; a call counts on the day of its first such job. */
function foldJobs(jobs: readonly DatedJob[], { grain, range = {} }: Asked) {
  const { from = "", to = "~" } = range;
  const firsts = (isMeant: (job: DatedJob) => boolean) =>
    Map.groupBy(jobs.filter(isMeant), ({ call }) => call)
      .values()
      .map((own) => own.map(({ day }) => day).toSorted()[0] ?? "")
      .toArray();
  const booked = firsts(({ stage }) => stage !== "lost");
  const sold = firsts(({ stage }) => stage === "sold");
  const periodOf = (day: string) => (grain ? PERIOD_OF[grain](day) : null);
  const counted = jobs.filter(({ day, stage }) => day >= from && day <= to && stage !== "lost");
  return [...Map.groupBy(counted, ({ day }) => periodOf(day))]
    .map(([period, own]) => {
      const countIn = (days: readonly string[]) =>
        days.filter((day) => day >= from && day <= to && periodOf(day) === period).length;
      const revenue = own.reduce((sum, { stage, amount }) => sum + (stage === "sold" ? amount : 0), 0);
      return [period, countIn(booked), countIn(sold), revenue];
    })
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

const isEarning = ([, booked, sold, revenue]: readonly unknown[]) =>
  booked !== 0 || sold !== 0 || revenue !== 0;

describe("revenue by the date of the job", () => {
  it("counts jobs after the last call in their own periods, whatever range is asked", async () => {
    using account = makeWarehouse(CALLS);
    importJobs(account.database, account.folder, "America/Los_Angeles", [
      { call: 2, day: "2026-11-15", stage: "sold", amount: 500 },
      { call: 4, day: "2026-12-20", stage: "sold", amount: 70 },
    ]);
    const months = (range: Asked["range"] = {}) =>
      readPeriods(account, { timezone: "America/Los_Angeles", grain: "month", range }, ["calls", "revenue"]);
    const first = [
      ["2026-09", 3, 0],
      ["2026-10", 1, 0],
    ];
    const later = [
      ["2026-11", 0, 500],
      ["2026-12", 0, 70],
    ];
    expect(await months()).toEqual([...first, ...later]);
    expect(await months({ to: "2026-12-31" })).toEqual([...first, ...later]);
    expect(await months({ from: "2026-11-01" })).toEqual(later);
    expect(await months({ from: "2026-10-01", to: "2026-11-30" })).toEqual([first[1], later[0]]);
  });

  it("adds up to the jobs, in the period of each one's day, in any zone, by any grain, in any range", async () => {
    const day = fc
      .integer({ min: -40, max: 220 })
      .map((days) => new Date(Date.parse("2026-10-01") + days * 86_400_000).toISOString().slice(0, 10));
    const job = fc.record({
      call: fc.integer({ min: 1, max: CALLS.length }),
      day,
      stage: fc.constantFrom("booked" as const, "sold" as const, "lost" as const),
      amount: fc.integer({ min: 1, max: 999 }),
    });
    const range = fc.tuple(day, day).map(([a, b]) => (a < b ? { from: a, to: b } : { from: b, to: a }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(job, { minLength: 1, maxLength: 12 }),
        fc.array(
          fc.record({
            timezone: ZONE_NAMES,
            grain: fc.constantFrom(undefined, ...GRAINS),
            range: fc.oneof(
              fc.constant({}),
              range,
              range.map(({ from }) => ({ from })),
              range.map(({ to }) => ({ to })),
            ),
          }),
          { minLength: 3, maxLength: 3 },
        ),
        ZONE_NAMES,
        async (jobs, questions, zone) => {
          using account = makeWarehouse(EARLY_CALLS);
          importJobs(account.database, account.folder, zone, jobs);
          for (const asked of questions) {
            const rows = await readPeriods(account, asked);
            expect(rows.filter(isEarning)).toEqual(foldJobs(jobs, asked).filter(isEarning));
          }
        },
      ),
      { numRuns: draws(15) },
    );
  });
});

describe("spend", () => {
  it.each(ZONES)("counts on its day in %s", async (timezone) => {
    using account = makeWarehouse(CALLS);
    const days = { "2026-08-31": 1, "2026-09-30": 20, "2026-10-01": 300, "2026-12-31": 4000 };
    const rows = Object.entries(days).map(([day, cost]) => ({
      ...{ day, source: "google", medium: "cpc", cost_micros: cost * 1e6, currency: "USD" },
    }));
    {
      using warehouse = openExistingWarehouse(account.database);
      storeSpend(warehouse, rows, { importedAt: "2026-12-31T00:00:00.000Z" });
    }
    for (const grain of GRAINS) {
      const { folder } = await account.export({
        targets: [{ kind: "rollup", dimensions: ["source"] }],
        ...{ timezone, grain, spend: true, format: { format: "json" } },
      });
      const rows: Record<string, string | number | null>[] = JSON.parse(readText(folder, "source.json"));
      const sums = new Map<string, number>();
      for (const [day, cost] of Object.entries(days))
        sums.set(PERIOD_OF[grain](day), (sums.get(PERIOD_OF[grain](day)) ?? 0) + cost);
      expect(
        rows.filter(({ cost }) => cost !== null && cost !== 0).map(({ period, cost }) => [period, cost]),
      ).toEqual([...sums]);
    }
  });
});
