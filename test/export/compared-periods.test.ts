import { describe, expect, it } from "vitest";
import type { ComparisonName, Grain } from "../../src/base/calendar/grain.ts";
import type { Figure } from "../../src/figures/metrics.ts";
import { makeWarehouse, RUN_FINISHED_AT } from "../support/figures/produce-files.ts";
import { readCsv } from "../support/page.ts";
import { readText } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";

const DAY_MS = 86_400_000;

/** Calls at uneven times: as many as the day of the year has tens, and one more on odd days. */
function callsFrom(first: string, days: number) {
  const starts: string[] = [];
  for (let day = 0; day < days; day++) {
    for (let count = 0; count <= (day * 7) % 5; count++)
      starts.push(new Date(Date.parse(first) + day * DAY_MS + count * 5_437_000).toISOString());
  }
  return starts.map((call_started, index) =>
    makeCall({
      call_id: index + 1,
      call_started,
      utm_source: index % 3 === 0 ? "bing" : "google",
      disposition: index % 4 === 0 ? "busy" : "answered",
      duration: 90,
    }),
  );
}

/** The local day of a moment, by the platform's own calendar. */
function dayIn(zone: string) {
  const format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" });
  return (moment: string) => format.format(Date.parse(moment));
}

const shift = (day: string, days: number) =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
const mondayOf = (day: string) => shift(day, -((new Date(day).getUTCDay() + 6) % 7));
const monthOf = (day: string) => `${day.slice(0, 7)}-01`;
const monthBefore = (day: string) => monthOf(shift(monthOf(day), -1));
const lastOf = (first: string) => shift(monthOf(shift(first, 35)), -1);

/** The periods that begin on days from the first to the last, with the days of each and of the one before. */
function pairsOf(grain: "day" | "week" | "month", from: string, to: string) {
  const startOf = { day: (day: string) => day, week: mondayOf, month: monthOf }[grain];
  const pairs = new Map<string, { now: [string, string]; before: [string, string] }>();
  for (let day = from; day <= to; day = shift(day, 1)) {
    const start = startOf(day);
    const length = grain === "day" ? 1 : 7;
    const before: [string, string] =
      grain === "month"
        ? [monthBefore(start), lastOf(monthBefore(start))]
        : [shift(start, -length), shift(start, -1)];
    pairs.set(start, { now: [start, grain === "month" ? lastOf(start) : shift(start, length - 1)], before });
  }
  return pairs;
}

interface Asked {
  from: string;
  to: string;
  grain: Grain;
  compare: ComparisonName | ComparisonName[];
  timezone?: string;
}

const FIGURES: Figure[] = ["calls", "missed_calls"];

async function read(warehouse: ReturnType<typeof makeWarehouse>, { from, to, ...asked }: Asked) {
  const { manifest } = await warehouse.export({
    targets: [{ kind: "rollup", dimensions: [] }],
    ...{ ...asked, range: { from, to }, columns: FIGURES, chance: true, total: true, fill: true },
  });
  const [file = ""] = manifest.files.map(({ file }) => file);
  const rows = readCsv(readText(warehouse.folder, file));
  return { manifest, rows: rows.slice(0, -1), total: rows.at(-1) };
}

/** From 11 December 2024 on, until after the last sync. */
const CALLS = callsFrom("2024-12-11T04:00:00.000Z", 660);

describe("period on period", () => {
  it.each([
    // ISO years 2025 and 2026 have 52 and 53 weeks.
    { grain: "week", from: "2025-12-15", to: "2026-01-18", timezone: "America/New_York" },
    // Both clock changes of a zone by half an hour, and those of Troll by two hours.
    { grain: "week", from: "2026-03-23", to: "2026-04-12", timezone: "Australia/Lord_Howe" },
    { grain: "day", from: "2026-03-27", to: "2026-03-31", timezone: "Antarctica/Troll" },
    { grain: "day", from: "2026-01-01", to: "2026-01-03", timezone: "Pacific/Auckland" },
    { grain: "month", from: "2026-01-01", to: "2026-06-30", timezone: "Europe/Berlin" },
  ] as const)("compares each $grain from $from to $to in $timezone with the one before", async (asked) => {
    using warehouse = makeWarehouse(CALLS);
    const { rows } = await read(warehouse, { ...asked, compare: "period-on-period" });
    const toDay = dayIn(asked.timezone);
    const count = ([first, last]: readonly [string, string], isMissed: boolean) =>
      CALLS.filter(({ call_started, disposition }) => {
        const day = toDay(String(call_started));
        return first <= day && day <= last && (!isMissed || disposition === "busy");
      }).length;
    const pairs = [...pairsOf(asked.grain, asked.from, asked.to)];
    expect(pairs.length).toBeGreaterThan(2);
    expect(
      rows.map((row) => [
        ...[row.period_start, row.calls, row.calls_period_before],
        ...[row.missed_calls, row.missed_calls_period_before],
      ]),
    ).toEqual(
      pairs.map(([start, { now, before }]) => [
        ...[start, count(now, false), count(before, false)],
        ...[count(now, true), count(before, true)],
      ]),
    );
    for (const { calls, calls_period_before, calls_period_change } of rows) {
      const [now, before] = [Number(calls), Number(calls_period_before)];
      expect(Number(calls_period_change)).toBeCloseTo((now - before) / before, 4);
    }
  });

  it("names each period and the one before it, over the 53rd week of a year", async () => {
    using warehouse = makeWarehouse(callsFrom("2020-10-01T10:00:00.000Z", 120));
    const { rows } = await read(warehouse, {
      ...{ from: "2020-12-21", to: "2021-01-10", grain: "week", compare: "period-on-period" },
    });
    expect(
      rows.map(({ period, period_start, period_before }) => [period, period_start, period_before]),
    ).toEqual([
      ["2020-W52", "2020-12-21", "2020-W51"],
      ["2020-W53", "2020-12-28", "2020-W52"],
      ["2021-W01", "2021-01-04", "2020-W53"],
    ]);
  });

  it("compares the part of a period that the range begins or ends with with the same part of the one before", async () => {
    using warehouse = makeWarehouse(CALLS);
    const { rows } = await read(warehouse, {
      ...{ from: "2026-05-06", to: "2026-05-19", grain: "week", compare: "period-on-period" },
    });
    const between = (first: string, last: string) =>
      CALLS.filter(({ call_started }) => {
        const day = String(call_started).slice(0, 10);
        return first <= day && day <= last;
      }).length;
    expect(rows.map((row) => [row.period_before, row.calls, row.calls_period_before])).toEqual([
      ["2026-04-29 to 2026-05-03", between("2026-05-06", "2026-05-10"), between("2026-04-29", "2026-05-03")],
      ["2026-W19", between("2026-05-11", "2026-05-17"), between("2026-05-04", "2026-05-10")],
      ["2026-05-11 to 2026-05-12", between("2026-05-18", "2026-05-19"), between("2026-05-11", "2026-05-12")],
    ]);
  });

  it("compares a period that the last sync is in with as much of the one before, and later ones with nothing", async () => {
    using warehouse = makeWarehouse(
      CALLS.filter(({ call_started }) => String(call_started) < RUN_FINISHED_AT),
    );
    // The last sync ended on Thursday 1 October at 00:01.
    const { rows, manifest } = await read(warehouse, {
      ...{ from: "2026-09-21", to: "2026-10-11", grain: "week", compare: "period-on-period" },
    });
    const between = (first: string, end: string) =>
      CALLS.filter(({ call_started }) => first <= String(call_started) && String(call_started) < end).length;
    expect(rows.map((row) => [row.period, row.calls, row.calls_period_before])).toEqual([
      ["2026-W39", between("2026-09-21", "2026-09-28"), between("2026-09-14", "2026-09-21")],
      ["2026-W40", between("2026-09-28", RUN_FINISHED_AT), between("2026-09-21", "2026-09-24T00:01")],
      ["2026-W41", 0, null],
    ]);
    expect(rows.at(-1)).toMatchObject({ calls_period_change: null, calls_period_within_chance: null });
    expect(manifest.compared_with).toMatchObject([
      { as: "period-on-period", to: "2026-09-24", until: "00:01" },
    ]);
  });

  it("leaves first periods blank whose counterparts the copy does not have, and says which", async () => {
    using warehouse = makeWarehouse(callsFrom("2026-06-10T10:00:00.000Z", 60));
    const { rows, manifest } = await read(warehouse, {
      ...{ from: "2026-06-01", to: "2026-07-05", grain: "week", compare: "period-on-period" },
    });
    expect(
      rows.map((row) => [row.period, row.calls_period_before !== null, row.calls_period_change !== null]),
    ).toEqual([
      ["2026-W23", false, false],
      ["2026-W24", false, false],
      ["2026-W25", false, false],
      ["2026-W26", true, true],
      ["2026-W27", true, true],
    ]);
    expect(manifest.statements).toContainEqual(
      expect.objectContaining({
        id: "previous_not_covered",
        values: { from: null, up_to: "2026-W25", of: null },
      }),
    );
  });

  it("a total has no comparison with periods before: all periods together have no one period before", async () => {
    using warehouse = makeWarehouse(CALLS);
    const { rows, total } = await read(warehouse, {
      ...{ from: "2026-05-04", to: "2026-05-31", grain: "week", compare: "period-on-period" },
    });
    expect(total).toMatchObject({
      period: "(total)",
      period_start: null,
      calls: rows.reduce((sum, { calls }) => sum + Number(calls), 0),
      calls_period_before: null,
      calls_period_change: null,
      calls_period_within_chance: null,
    });
  });
});

describe("several comparisons in one table", () => {
  it("several comparisons have columns of their own, each as if it were alone", async () => {
    using warehouse = makeWarehouse(CALLS);
    const days = { from: "2026-05-04", to: "2026-05-17", grain: "week" } as const;
    const kinds = ["previous", "year", "52-weeks", "period-on-period"] as const;
    const { rows } = await read(warehouse, { ...days, compare: [...kinds] });
    expect(Object.keys(rows[0] ?? {}).filter((name) => /^(period|previous|calls)/.test(name))).toEqual([
      ...["period", "period_start"],
      ...["previous_period", "period_year_ago", "period_52_weeks_ago", "period_before"],
      ...["calls", "calls_previous", "calls_change", "calls_within_chance"],
      ...["calls_year_ago", "calls_year_change", "calls_year_within_chance"],
      ...["calls_52_weeks_ago", "calls_52_weeks_change", "calls_52_weeks_within_chance"],
      ...["calls_period_before", "calls_period_change", "calls_period_within_chance"],
    ]);
    const merged = [{}, {}];
    for (const compare of kinds) {
      const alone = await read(warehouse, { ...days, compare });
      for (const [index, row] of alone.rows.entries()) Object.assign(merged[index] ?? {}, row);
    }
    expect(merged).toEqual(rows);
    // Each is of other days.
    const [first] = rows;
    const names = ["calls_previous", "calls_year_ago", "calls_period_before"] as const;
    expect(new Set(names.map((name) => first?.[name])).size).toBeGreaterThan(1);
  });

  it("show keys that have calls only in one of the days compared with", async () => {
    const at = (call_started: string, utm_source: string) => ({ call_started, utm_source });
    const calls = [
      at("2024-06-01T00:00:00.000Z", "old"),
      at("2025-05-06T10:00:00.000Z", "ago"),
      at("2026-05-05T10:00:00.000Z", "now"),
      at("2026-05-01T10:00:00.000Z", "before"),
      at("2026-05-02T10:00:00.000Z", "before"),
    ];
    using warehouse = makeWarehouse(calls.map((each, index) => makeCall({ ...each, call_id: index + 1 })));
    await warehouse.export({
      targets: [{ kind: "rollup", dimensions: ["utm_source"] }],
      ...{
        range: { from: "2026-05-04", to: "2026-05-10" },
        compare: ["previous", "52-weeks"],
        columns: ["calls"],
      },
    });
    const rows = readCsv(readText(warehouse.folder, "utm_source.csv"));
    expect(
      rows.map((row) => [row.utm_source, row.calls, row.calls_previous, row.calls_52_weeks_ago]),
    ).toEqual([
      ["now", 1, 0, 0],
      ["ago", 0, 0, 1],
      ["before", 0, 2, 0],
    ]);
  });
});

describe("52 weeks", () => {
  it("compare each day with the same weekday", async () => {
    using warehouse = makeWarehouse(CALLS);
    const { rows } = await read(warehouse, {
      ...{ from: "2026-02-26", to: "2026-03-02", grain: "day", compare: "52-weeks" },
    });
    const on = (day: string) => CALLS.filter((call) => String(call.call_started).startsWith(day)).length;
    expect(rows.map((row) => [row.period, row.period_52_weeks_ago, row.calls_52_weeks_ago])).toEqual([
      ["2026-02-26", "2025-02-27", on("2025-02-27")],
      ["2026-02-27", "2025-02-28", on("2025-02-28")],
      ["2026-02-28", "2025-03-01", on("2025-03-01")],
      ["2026-03-01", "2025-03-02", on("2025-03-02")],
      ["2026-03-02", "2025-03-03", on("2025-03-03")],
    ]);
  });
});

describe("costs and revenue, period on period", () => {
  it("costs are compared where both periods have as many days of spend", async () => {
    using warehouse = makeWarehouse(CALLS);
    // One week has a day less than the others.
    const days = Array.from({ length: 35 }, (_, index) => shift("2026-04-27", index));
    for (const [index, day] of days.filter((day) => day !== "2026-05-13").entries()) {
      warehouse.execute(`INSERT INTO spend (day, source, medium, campaign, cost_micros, clicks, impressions, currency, file, imported_at)
        VALUES ('${day}', 'google', 'cpc', 'Ghost', ${(index + 1) * 1_000_000}, 0, 100, 'USD', 'a.csv', '2026-06-03T00:00:00.000Z')`);
    }
    const { manifest } = await warehouse.export({
      targets: [{ kind: "rollup", dimensions: [] }],
      ...{ range: { from: "2026-05-04", to: "2026-05-31" }, grain: "week", compare: "period-on-period" },
      ...{ spend: true, columns: ["cost"] },
    });
    const [file = ""] = manifest.files.map(({ file }) => file);
    const rows = readCsv(readText(warehouse.folder, file));
    const sum = (first: number, count: number) => ((2 * first + count - 1) * count) / 2;
    expect(rows.map((row) => [row.period, row.cost, row.cost_period_before])).toEqual([
      ["2026-W19", sum(8, 7), sum(1, 7)],
      ["2026-W20", sum(15, 6), null],
      ["2026-W21", sum(21, 7), null],
      ["2026-W22", sum(28, 7), sum(21, 7)],
    ]);
    expect(manifest.statements.map(({ id }) => id)).toContain("spend_days_differ");
  });
});

describe("whether chance explains a change of a period", () => {
  it("counts with how long each period is", async () => {
    // Of 152 calls, 62 are in 28 of 59 days: chance explains that (0.12), but not that they are in half of the days (0.03).
    const at = (month: string, index: number) =>
      makeCall({
        call_id: index + (month === "01" ? 1000 : 2000),
        call_started: `2026-${month}-${String(1 + (index % 28)).padStart(2, "0")}T12:00:00.000Z`,
      });
    const CASES = [
      { january: 90, february: 62, isWithin: 1 },
      { january: 90, february: 55, isWithin: 0 },
    ];
    for (const { january, february, isWithin } of CASES) {
      using warehouse = makeWarehouse([
        makeCall({ call_id: 1, call_started: "2025-01-01T00:00:00.000Z" }),
        ...Array.from({ length: january }, (_, index) => at("01", index)),
        ...Array.from({ length: february }, (_, index) => at("02", index)),
      ]);
      const { rows } = await read(warehouse, {
        ...{ from: "2026-02-01", to: "2026-02-28", grain: "month", compare: "period-on-period" },
      });
      expect(rows).toMatchObject([{ calls: february, calls_period_before: january }]);
      expect(Number(rows[0]?.calls_period_within_chance)).toBe(isWithin);
    }
  });
});
