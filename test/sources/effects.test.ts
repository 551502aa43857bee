import { describe, expect, it } from "vitest";
import { toInstants } from "../../src/base/calendar/dates.ts";
import { periods } from "../../src/base/calendar/periods.ts";
import type { CallFilter } from "../../src/calls/filter.ts";
import type { Dimension } from "../../src/figures/dimensions.ts";
import { toShown } from "../../src/figures/reserved-keys.ts";
import { type RollupQuery, rollupColumns } from "../../src/figures/rollup-query.ts";
import { RollupSession } from "../../src/sources/session.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { logFacts } from "../support/warehouses/log-facts.ts";
import {
  deleteCalls,
  markGone,
  newWarehouse,
  setRules,
  storeCalls,
} from "../support/warehouses/warehouse.ts";
import { CALLS, GONE, MILLISECONDS, RULES } from "./account.ts";

interface Facts {
  call_id: number;
  is_live: 0 | 1 | null;
  outcome: string;
  source: string | null;
  channel: string;
  caller: string | null;
  duration: number | null;
  call_started: string | null;
  is_first_call: 0 | 1;
  is_qualified: 0 | 1;
  in_hours: string | null;
}
type Change = Facts & { change_id: number; reason: string };
type Part = (facts: Facts) => number | string | null;

/** What each figure counts of a call; null if the call has no part in it. */
const PARTS: Record<string, { part: Part; adds?: true }> = {
  calls: { part: () => 1, adds: true },
  answered_calls: { part: ({ outcome }) => Number(outcome === "answered"), adds: true },
  missed_calls: { part: ({ outcome }) => Number(outcome === "missed"), adds: true },
  other_calls: { part: ({ outcome }) => Number(outcome === "other"), adds: true },
  answer_rate: { part: ({ outcome }) => Number(outcome === "answered") },
  unique_callers: { part: ({ caller }) => caller },
  first_time_callers: { part: ({ is_first_call }) => is_first_call, adds: true },
  qualified_calls: { part: ({ is_qualified }) => is_qualified, adds: true },
  qualified_rate: { part: ({ is_qualified }) => is_qualified },
  total_duration_seconds: { part: ({ duration }) => duration ?? 0, adds: true },
  average_duration_seconds: { part: ({ duration }) => duration },
  median_duration_seconds: { part: ({ duration }) => duration },
  first_call_at: { part: ({ call_started }) => call_started },
  last_call_at: { part: ({ call_started }) => call_started },
  calls_in_hours: { part: ({ in_hours }) => Number(in_hours === "yes"), adds: true },
  missed_in_hours: {
    part: ({ in_hours, outcome }) => Number(in_hours === "yes" && outcome === "missed"),
    adds: true,
  },
  answer_rate_in_hours: {
    part: ({ in_hours, outcome }) => (in_hours === "yes" ? Number(outcome === "answered") : null),
  },
};

const LATER_HOURS = { week: "Sun 00:00-24:00, Mon 08:00-23:00", closed: [], timezone: "UTC" };

/** Makes an account, changes it in all ways, and returns the log. */
function change(rules = RULES) {
  const warehouse = newWarehouse();
  const { sqlite } = warehouse;
  const write = (calls: readonly ReturnType<typeof makeCall>[]) => storeCalls(warehouse, calls);
  setRules(warehouse, rules);
  write(CALLS.slice(0, 60));
  writeTransaction(warehouse, () => markGone(warehouse, GONE));
  logFacts(warehouse);
  // Ignored: it is before the requested changes.
  write([{ ...(CALLS[0] ?? makeCall()), utm_source: "Of no one since" }]);
  const since = Number(sqlite.prepare("SELECT max(change_id) FROM fact_changes").pluck().get());
  write(CALLS.slice(58));
  write(
    CALLS.slice(0, 30).map((call, index) => ({
      ...call,
      duration: index,
      utm_source: index % 2 ? "bing" : call.utm_source,
    })),
  );
  write(CALLS.slice(5, 12).map((call) => ({ ...call, utm_source: "Of no call now" })));
  write(
    CALLS.slice(5, 12).map((call, index) => ({
      ...call,
      disposition: "busy",
      duration: index % 2 ? 7 : call.duration,
    })),
  );
  writeTransaction(warehouse, () =>
    markGone(
      warehouse,
      CALLS.slice(20, 26).map(({ call_id }) => call_id),
    ),
  );
  write([
    makeCall({
      call_id: 5000,
      caller_id: "+491",
      call_started: "2025-01-01T00:00:00.000Z",
      utm_source: "bing",
    }),
  ]);
  const later = { ...rules, answered: ["busy"], missed: ["answered"], hours: LATER_HOURS };
  setRules(warehouse, later);
  return {
    warehouse,
    since,
    rules: later,
    [Symbol.dispose]: () => warehouse[Symbol.dispose](),
  };
}

const clock = (zone: string) =>
  new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", hour: "2-digit" });

const MARCH = { from: "2026-03-01", to: "2026-04-05" };
const CASES: {
  dimensions: Dimension[];
  zone: string;
  filter?: CallFilter;
  isCounted?: (facts: Facts) => boolean;
  hasPeriods?: true;
  figures?: string[];
}[] = [
  { dimensions: ["source"], zone: "UTC" },
  { dimensions: ["hour", "channel"], zone: "Antarctica/Troll" },
  { dimensions: ["hour"], zone: "Australia/Lord_Howe", hasPeriods: true },
  { dimensions: [], zone: "UTC", figures: ["median_duration_seconds", "total_duration_seconds"] },
  // No call has it any longer, and some had.
  {
    dimensions: ["source"],
    zone: "UTC",
    filter: { source: ["of no call now", "bing"] },
    isCounted: ({ source }) => source === "bing" || source === "of no call now",
  },
  {
    dimensions: ["channel"],
    zone: "UTC",
    filter: { exclude_callers: ["+491"] },
    isCounted: ({ caller }) => caller !== "+491",
    hasPeriods: true,
  },
  {
    dimensions: ["channel"],
    zone: "UTC",
    filter: { first_time: true },
    isCounted: ({ is_first_call }) => is_first_call === 1,
  },
];

describe("RollupSession.effects", () => {
  it.each([RULES, MILLISECONDS])("returns the effect of each change on each row, by rules %#", async (by) => {
    using changed = change(by);
    const { warehouse, since, rules } = changed;
    const { sqlite } = warehouse;
    const logged = sqlite
      .prepare<[number], Change>(
        "SELECT * FROM fact_changes LEFT JOIN callers USING (caller_id) WHERE change_id > ? ORDER BY change_id",
      )
      .all(since);
    const now = new Map(
      sqlite
        .prepare<[], Facts>("SELECT * FROM call_facts LEFT JOIN callers USING (caller_id)")
        .all()
        .map((facts) => [facts.call_id, facts]),
    );
    /** Each change with the facts before and after it. */
    const steps = [...Map.groupBy(logged, ({ call_id }) => call_id).values()].flatMap((changes) =>
      changes.flatMap((before, index): { sign: number; reason: string; facts: Facts }[] => {
        const after = changes[index + 1] ?? now.get(before.call_id);
        return [
          ...(before.is_live === null ? [] : [{ sign: -1, reason: before.reason, facts: before }]),
          ...(after === undefined || after.is_live === null
            ? []
            : [{ sign: 1, reason: before.reason, facts: after }]),
        ];
      }),
    );
    const reasons = new Set(steps.map(({ reason }) => reason));
    expect([...reasons].sort()).toEqual(["corrected", "first_call", "gone", "late", "rules"]);
    const seen = { effects: 0, nothing: 0, several: 0 };
    for (const { dimensions, zone, filter = {}, isCounted = () => true, hasPeriods, figures } of CASES) {
      using session = new RollupSession(sqlite, { rules, filter });
      const months = hasPeriods && periods({ ...MARCH, grain: "month", zone });
      const query: RollupQuery = {
        dimensions,
        figures,
        offsets: await session.readOffsets(zone),
        ...(months && { periods: months, span: toInstants(MARCH, zone) }),
      };
      const span = query.span ?? {};
      const hours = clock(zone);
      const keyOf = (facts: Facts): unknown[] => [
        ...(months
          ? [months.findLast(({ startsAt }) => startsAt <= String(facts.call_started))?.period]
          : []),
        ...dimensions.map((dimension) => {
          if (dimension === "channel") return facts.channel;
          if (dimension === "source") return facts.source === null ? "(not set)" : toShown(facts.source);
          return facts.call_started === null ? "(not set)" : hours.format(new Date(facts.call_started));
        }),
      ];
      const counted = steps
        .filter(({ facts }) => facts.is_live === 1 && isCounted(facts))
        .filter(
          ({ facts: { call_started } }) =>
            (span.startsAt === undefined || (call_started !== null && call_started >= span.startsAt)) &&
            (span.endsAt === undefined || (call_started !== null && call_started < span.endsAt)),
        );
      const names = Object.keys(PARTS).filter(
        (name) => figures === undefined || name === "calls" || figures.includes(name),
      );
      const perSecond = by.duration_unit === "milliseconds" ? 1000 : 1;
      const expected = [
        ...Map.groupBy(counted, ({ reason, facts }) => JSON.stringify([...keyOf(facts), reason])),
      ].map(([key, of]) => {
        const ofCalls = [...Map.groupBy(of, ({ facts }) => facts.call_id).values()];
        const cells = names.map((name) => {
          const { part, adds } = PARTS[name] ?? { part: () => null };
          if (adds) {
            const sums = ofCalls.map((each) =>
              each.reduce((sum, { sign, facts }) => sum + sign * Number(part(facts)), 0),
            );
            const sum = sums.reduce((all, one) => all + one, 0);
            const unit = name === "total_duration_seconds" ? perSecond : 1;
            return [name, sums.filter((one) => one !== 0).length, sum / unit];
          }
          const others = ofCalls.filter((each) => {
            const side = (wanted: number) =>
              each
                .filter(({ sign }) => sign === wanted)
                .flatMap(({ facts }) => part(facts) ?? [])
                .map((value) => JSON.stringify(value))
                .sort()
                .join();
            return side(1) !== side(-1);
          });
          return [name, others.length, null];
        });
        if (ofCalls.length > 1) seen.several++;
        seen.effects++;
        if (cells.every(([, calls]) => calls === 0)) seen.nothing++;
        return `${key} ${JSON.stringify(cells)}`;
      });
      const found = [...session.effects(query, since, zone)].map(({ key, reason, figures }) => {
        const cells = [...figures].map(([name, { callIds, effect }]) => [name, callIds.length, effect]);
        return `${JSON.stringify([...key, reason])} ${JSON.stringify(cells)}`;
      });
      expect(found.toSorted()).toEqual(expected.toSorted());
      expect([...session.effects(query, logged.at(-1)?.change_id ?? 0, zone)]).toEqual([]);
    }
    expect(seen).toEqual({ effects: 170, nothing: 6, several: 79 });
  });

  it("add up to the increase of a row's sums", () => {
    using changed = change();
    const { warehouse, rules } = changed;
    deleteCalls(warehouse);
    const query: RollupQuery = { dimensions: ["source"] };
    using session = new RollupSession(warehouse.sqlite, { rules });
    // From the beginning of the log to an empty account: everything that existed when it began is gone.
    const sums = [...session.effects(query, 0, "UTC")].reduce(
      (sum, { figures }) => sum + (figures.get("calls")?.effect ?? 0),
      0,
    );
    expect(sums).toBe(-CALLS.slice(0, 60).filter(({ call_id }) => !GONE.includes(call_id)).length);
    expect(rollupColumns(query, rules).length).toBe(1 + Object.keys(PARTS).length);
  });

  it("require known reasons", () => {
    using changed = change();
    const { warehouse, rules, since } = changed;
    warehouse.sqlite.exec("UPDATE fact_changes SET reason = 'a whim'");
    using session = new RollupSession(warehouse.sqlite, { rules });
    expect(() => [...session.effects({ dimensions: [] }, since, "UTC")]).toThrow(
      "fact_changes has an unknown reason: a whim",
    );
  });

  it("counts the calls of a campaign in one row under its present name; without one, under a former name", () => {
    using warehouse = newWarehouse();
    setRules(warehouse, RULES);
    const of = (call_id: number, campaign_id: string, campaign_name: string | null, disposition: string) =>
      makeCall({ call_id, campaign_id, campaign_name, disposition });
    storeCalls(warehouse, [of(1, "1", "Old", "busy"), of(2, "1", "Older", "busy")]);
    storeCalls(warehouse, [of(3, "2", "B", "busy"), of(4, "2", "A", "busy")]);
    logFacts(warehouse);
    storeCalls(warehouse, [of(1, "1", "New", "busy"), of(2, "1", "New", "answered")]);
    writeTransaction(warehouse, () => markGone(warehouse, [3, 4]));
    const read = (filter: CallFilter) => {
      using session = new RollupSession(warehouse.sqlite, { rules: RULES, filter });
      const query = { dimensions: ["campaign" as const], figures: ["answered_calls"] };
      return [...session.effects(query, 0, "UTC")].map(({ key, reason, figures }) => [
        ...key,
        reason,
        figures.get("calls")?.effect,
        figures.get("answered_calls")?.callIds.length,
      ]);
    };
    const rows = [
      ["New", "1", "corrected", 0, 1],
      ["A", "2", "gone", -2, 0],
    ];
    expect(read({})).toEqual(rows);
    expect(read({ campaign: ["new"] })).toEqual(rows.slice(0, 1));
    expect(read({ campaign: ["old", "b"] })).toEqual([]);
  });
});
