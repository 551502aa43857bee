import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { readProblems } from "../../../src/features/hygiene/read-problems.ts";
import { RollupSession } from "../../../src/sources/session.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { storeSpend } from "../../support/warehouses/spend.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

/** The last day is 28 March in each zone, though not in UTC; the last 28 days begin on the first, the last 7 on the 22nd. */
const ZONES = [
  { timezone: "Pacific/Honolulu", now: "2026-03-29T05:00:00.000Z", first: "2026-03-01T10:00:00.000Z" },
  { timezone: "Australia/Lord_Howe", now: "2026-03-27T20:00:00.000Z", first: "2026-02-28T13:00:00.000Z" },
];

const DAY_MS = 86_400_000;

describe("readProblems", () => {
  it.each(ZONES)("counts calls and spend of the days of $timezone", async ({ timezone, now, first }) => {
    const at = (day: number, ms = 0) => new Date(Date.parse(first) + (day - 1) * DAY_MS + ms).toISOString();
    const calls = [
      ...Array.from({ length: 20 }, () => ["facebook", at(2)]),
      ["facebook", "2026-01-10T12:00:00.000Z"],
      ["facebok", at(1, -1)],
      ["facebok", at(1)],
      ["facebok", at(5)],
      ["fresh", at(22)],
      ["stale", at(22, -1)],
    ].map(([utm_source = "", call_started = ""], index) =>
      makeCall({ call_id: index + 1, utm_source, call_started }),
    );
    using warehouse = newWarehouse(calls);
    const spent = (day: string, campaign: string, cost_micros: number) => ({
      ...{ day, source: "google", medium: "cpc", campaign, campaign_id: null },
      ...{ cost_micros, currency: "EUR", clicks: null, impressions: null },
    });
    const rows = [
      spent("2026-02-28", "Too early", 1_000_000),
      spent("2026-03-01", "First day", 2_000_000),
      spent("2026-03-28", "Last day", 3_000_000),
    ];
    storeSpend(warehouse, rows, { importedAt: now });
    using session = new RollupSession(warehouse.sqlite, { rules: DEFAULT_RULES });
    const { problems, spend } = await readProblems(session, { timezone, nowMs: Date.parse(now) });
    expect(spend).toEqual({ currency: "EUR", decimals: 2 });
    expect(
      problems.map(({ kind, value, calls, since, cost_micros }) => [kind, value, calls, since, cost_micros]),
    ).toEqual([
      ["near_miss", "facebok", 2, at(1, -1), 0n],
      ["spend_without_calls", "Last day", 0, null, 3_000_000n],
      ["spend_without_calls", "First day", 0, null, 2_000_000n],
      ["new_source", "fresh", 1, at(22), 0n],
    ]);
  });

  it("leaves out what only earlier calls had", async () => {
    const named = (campaign_name: string, campaign_id: string, call_started: string) => ({
      ...{ campaign_name, campaign_id, call_started },
    });
    using warehouse = newWarehouse(
      [
        ...[1, 2, 3].map(() => named("Spring", "7", "2026-03-20T12:00:00.000Z")),
        named("Roofing", "7", "2026-03-20T12:00:00.000Z"),
        named("Roofing", "8", "2026-01-20T12:00:00.000Z"),
        named("Summer", "8", "2026-03-20T12:00:00.000Z"),
      ].map((call, index) => makeCall({ call_id: index + 1, ...call })),
    );
    using session = new RollupSession(warehouse.sqlite, { rules: DEFAULT_RULES });
    const until = { timezone: "UTC", nowMs: Date.parse("2026-03-28T12:00:00.000Z") };
    const { problems } = await readProblems(session, until);
    expect(problems.map(({ kind, value, other, calls }) => [kind, value, other, calls])).toEqual([
      ["two_names", "Roofing", "Spring", 1],
    ]);
  });

  it("does not know what is new if the first call is of the last 28 days", async () => {
    const sourcesSince = async (firstStart: string) => {
      const starts = [firstStart, "2026-03-25T12:00:00.000Z"];
      using warehouse = newWarehouse(
        starts.map((call_started, index) =>
          makeCall({ call_id: index + 1, utm_source: `source${index}`, call_started }),
        ),
      );
      using session = new RollupSession(warehouse.sqlite, { rules: DEFAULT_RULES });
      const { problems } = await readProblems(session, { timezone: "UTC", nowMs: 0, to: "2026-03-28" });
      return problems.map(({ value }) => value);
    };
    expect(await sourcesSince("2026-03-01T00:00:00.000Z")).toEqual([]);
    expect(await sourcesSince("2026-02-28T23:59:59.999Z")).toEqual(["source1"]);
  });
});
