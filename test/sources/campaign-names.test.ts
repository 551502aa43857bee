import { describe, expect, it } from "vitest";
import type { Call } from "../../src/calls/columns.ts";
import type { CallFilter } from "../../src/calls/filter.ts";
import { RollupSession } from "../../src/sources/session.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { openAccount, RULES } from "./account.ts";

/** Name and id of calls; the names of gone calls do not count. */
const CAMPAIGNS: [name: string | null, id: string | null, count: number][] = [
  ["Autumn", "1", 3],
  ["AUTUMN SALE", "1", 2],
  [null, "1", 5],
  ["Herbst", "2", 2],
  ["Autumn", "2", 2],
  ["AUTUMN SALE", null, 1],
  [null, null, 2],
  [null, "3", 4],
  ["(total)", "4", 2],
  [null, "4", 3],
];
const GONE_CAMPAIGNS: typeof CAMPAIGNS = [
  ["Other", "1", 9],
  ["Gone B", "5", 2],
  ["Gone A", "5", 1],
];
const CALLS: Call[] = [...CAMPAIGNS, ...GONE_CAMPAIGNS]
  .flatMap(([campaign_name, campaign_id, count]) =>
    Array.from({ length: count }, () => ({ campaign_name, campaign_id })),
  )
  .map((campaign, index) =>
    makeCall({
      ...campaign,
      call_id: index,
      call_started: `2026-10-01T00:00:${String(index).padStart(2, "0")}.000Z`,
      utm_source: "google",
      utm_medium: "cpc",
      utm_campaign: null,
    }),
  );
const LIVE = CAMPAIGNS.reduce((sum, [, , count]) => sum + count, 0);
const GONE = CALLS.slice(LIVE).map(({ call_id }) => call_id);

const account = await openAccount({ calls: CALLS, gone: GONE, spend: [] });

const open = (filter: CallFilter = {}) => new RollupSession(account, { rules: RULES, filter });

async function rowsOf(filter?: CallFilter) {
  using session = open(filter);
  const { rows } = await session.rollup({ dimensions: ["campaign"], figures: [] });
  return [...rows];
}

const ROWS = [
  ["Autumn", "1", 10],
  ['"(total)"', "4", 5],
  ["(not set)", "3", 4],
  ["Autumn", "2", 4],
  ["(not set)", null, 2],
  ["AUTUMN SALE", null, 1],
];

describe("rollup by campaign", () => {
  it("returns one row per id under the name of most live calls, or the first of two in order", async () => {
    expect(await rowsOf()).toEqual(ROWS);
  });

  it("names each call in lists and in attributed_calls by its row, and as tagged", () => {
    const tagged = ["Autumn", "Autumn", "Autumn", "AUTUMN SALE", "AUTUMN SALE", null, null, null, null, null];
    const names = tagged.map((name) => ["Autumn", name]);
    using session = open({ campaign: ["1"] });
    expect([...session.calls([{ common: "campaign" }, { fact: "campaign" }]).read()]).toEqual(names);
    const view = account.prepare(
      "SELECT campaign, campaign_as_tagged FROM attributed_calls WHERE campaign_id = '1' ORDER BY call_id",
    );
    expect(view.raw().all()).toEqual(names);
  });

  it("names gone calls in lists by the live calls of their id, and as tagged if these have no name", () => {
    using session = open({ include_gone: true });
    const rows = [
      ...session.calls([{ fact: "call_id" }, { common: "campaign" }, { fact: "campaign" }]).read(),
    ];
    const gone = new Set<unknown>(GONE);
    const names = rows.filter(([id]) => gone.has(id)).map(([, ...columns]) => columns);
    expect(names).toEqual([
      ...Array.from({ length: 9 }, () => ["Autumn", "Other"]),
      ...[
        ["Gone B", "Gone B"],
        ["Gone B", "Gone B"],
        ["Gone A", "Gone A"],
      ],
    ]);
  });
});

describe("filter campaign", () => {
  it("does not match names that no row has", async () => {
    const filter = { campaign: ["Herbst", "autumn sale", "AUTUMN", "(not set)", "(total)", "3"] };
    using session = open(filter);
    expect(await session.findUnmatched(filter)).toEqual([
      { filter: "campaign", text: "Herbst", advice: undefined },
    ]);
  });
});
