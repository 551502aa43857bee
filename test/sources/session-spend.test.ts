import { describe, expect, it } from "vitest";
import type { AttributionRules } from "../../src/calls/attribution/attribution-rules.ts";
import type { CallFilter } from "../../src/calls/filter.ts";
import type { RollupQuery } from "../../src/figures/rollup-query.ts";
import { RollupSession } from "../../src/sources/session.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { MILLISECONDS, openAccount, RULES, SPEND } from "./account.ts";

const account = await openAccount();
/** When the first and the last day of spend begin. */
const EDGES = [
  ["UTC", "2026-01-01T00:00:00.000Z", "2026-12-31T00:00:00.000Z"],
  ["Australia/Lord_Howe", "2025-12-31T13:00:00.000Z", "2026-12-30T13:00:00.000Z"],
  ["America/New_York", "2026-01-01T05:00:00.000Z", "2026-12-31T05:00:00.000Z"],
  ["Etc/GMT+12", "2026-01-01T12:00:00.000Z", "2026-12-31T12:00:00.000Z"],
] as const;

describe("SessionSpend", () => {
  const spendOf = async (filter: CallFilter = {}, zone: string = "UTC") => {
    const session = new RollupSession(account, { rules: RULES, filter });
    return Object.assign(session, { spend: await session.loadSpend(zone) });
  };

  it("returns the sums, days and files of the spend of each range", async () => {
    using session = await spendOf();
    const { spend } = session;
    expect(await session.loadSpend("UTC")).toBe(spend);
    expect(spend.form).toEqual({ currency: "EUR", decimals: 3 });
    expect(spend.sums()).toEqual(
      new Map([
        ["id", { rows: 3, cost_micros: 12_855_000n }],
        ["name", { rows: 3, cost_micros: -10_000n }],
        ["unmatched", { rows: 3, cost_micros: 8_000_000n }],
        ["unnamed", { rows: 1, cost_micros: 7_000_000n }],
      ]),
    );
    expect(spend.days()).toEqual({ count: 7, first: "2026-01-01", last: "2026-12-31" });
    expect(spend.readExtent()).toEqual({
      first: "2026-01-01T00:00:00.000Z",
      last: "2026-12-31T00:00:00.000Z",
    });
    expect(spend.files()).toEqual([
      { file: "b.csv", imported_at: "2026-10-01T00:00:00.000Z", rows: 7, cost_micros: 19_345_000n },
      { file: "a.csv", imported_at: "2026-10-02T00:00:00.000Z", rows: 3, cost_micros: 8_500_000n },
    ]);
    const unmatched = (span = {}) =>
      spend.unmatched(span).map(({ campaign, campaign_id, source, days, rows, cost_micros }) => {
        return [campaign, campaign_id, source, days, rows, cost_micros];
      });
    expect(unmatched()).toEqual([
      ["New One", "777", "facebook", 2, 2, 4_000_000n],
      ["Newer One", null, "facebook", 1, 1, 4_000_000n],
    ]);
    // Up to the first moment of a day, and from it on.
    const edge = "2026-04-05T00:00:00.000Z";
    expect([
      spend.days({ endsAt: edge }),
      spend.days({ startsAt: edge, endsAt: "2026-04-05T00:00:00.001Z" }),
    ]).toEqual([
      { count: 3, first: "2026-01-01", last: "2026-03-29" },
      { count: 1, first: "2026-04-05", last: "2026-04-05" },
    ]);
    expect(spend.files({ endsAt: edge }).map(({ file, rows }) => [file, rows])).toEqual([
      ["b.csv", 3],
      ["a.csv", 1],
    ]);
    expect(unmatched({ startsAt: "2026-04-06T00:00:00.000Z" })).toEqual([
      ["New One", "777", "facebook", 1, 1, 1_000_000n],
    ]);
    const none = { startsAt: "2027-01-01T00:00:00.000Z" };
    expect([spend.sums(none), spend.days(none), spend.files(none), spend.unmatched(none)]).toEqual([
      new Map(),
      undefined,
      [],
      [],
    ]);
  });

  it.each(EDGES)("interprets the days of reports as days in %s", async (zone, first, last) => {
    using session = await spendOf({}, zone);
    expect(session.spend.readExtent()).toEqual({ first, last });
    // The first and the last of calls and spend.
    const [early, late] = ["2025-12-31T23:59:59.999Z", "2026-12-31T23:59:59.999Z"];
    const extent = { first: first < early ? first : early, last: last > late ? last : late };
    expect(await session.readExtent()).toEqual(extent);
  });

  it.each<[CallFilter, number]>([
    [{}, 10],
    [{ source: ["google"] }, 4],
    [{ source: ["FACEBOOK", "bing"] }, 5],
    [{ source: ["(not set)"] }, 0],
    [{ channel: ["paid social"] }, 4],
    [{ campaign: ["777", "HERBST"] }, 3],
    [{ campaign: ["(not set)"] }, 1],
    [{ campaign: ['"(total)"'] }, 1],
    [{ source: ["google"], campaign: ["autumn"] }, 2],
    [
      {
        org_unit: ["Berlin"],
        disposition: ["busy"],
        has_gclid: true,
        first_time: true,
        min_duration_seconds: 60,
      },
      10,
    ],
    [{ tracking_number: ["desk"], exclude_callers: ["+491"], include_gone: true }, 10],
  ])("selects by %j the right number of rows", async (filter, expected) => {
    using session = await spendOf(filter);
    expect([...session.spend.sums().values()].reduce((sum, { rows }) => sum + rows, 0)).toBe(expected);
    expect(session.spend.files().reduce((sum, { rows }) => sum + rows, 0)).toBe(expected);
  });

  it("reads the values for filters from spend, for facts that it shares with calls", async () => {
    using session = await spendOf();
    const { spend } = session;
    const values = (["source", "medium", "channel", "campaign", "campaign_id"] as const).map((fact) =>
      spend.readValues(fact).toSorted(),
    );
    expect(values).toEqual([
      ["bing", "facebook", "google", "newsletter"],
      ["cpc", "email", "paid_social"],
      ["Email", "Paid Search", "Paid Social"],
      ['"(Other)"', "(total)", "Autumn", "Herbst", "New One", "Newer One", null],
      ["1", "10", "2", "777", null],
    ]);
    expect([
      spend.readValues("caller"),
      spend.readValues("disposition"),
      spend.readValues("call_started"),
    ]).toEqual([[], [], []]);
    // Values that only spend has are known once it counts.
    const filter = { campaign: ["New One", "778"], source: ["facebook", "facebok"] };
    const unmatched = (await session.findUnmatched(filter)).map(({ text, advice }) => [text, advice]);
    expect(unmatched).toEqual([
      ["facebok", "Did you mean facebook?"],
      ["778", "Did you mean 777?"],
    ]);
    using bare = new RollupSession(await openAccount(), { rules: RULES });
    expect((await bare.findUnmatched(filter)).map(({ text }) => text)).toEqual(["facebok", "New One", "778"]);
  });

  it.each([
    ["google", "cpc", "Brand Shopping | US", "Paid Shopping"],
    ["google", "cpc", "SHOP – Sommer", "Paid Shopping"],
    ["google", "cpc", "Workshop Berlin", "Paid Search"],
    ["Google", "CPC", "Notdienst | DE", "Paid Search"],
    ["Facebook", "Paid_Social", "Shopping Days", "Paid Shopping"],
    ["Google", "CPC", null, "Paid Search"],
  ])("assigns spend of %s / %s / %s to %s, like its calls", async (source, medium, campaign, channel) => {
    const call = makeCall({ call_id: 1, utm_source: source, utm_medium: medium, utm_campaign: campaign });
    const row = { day: "2026-03-28", source, medium, campaign, campaign_id: null };
    const cost = { cost_micros: 1_000_000, currency: "EUR", clicks: null, impressions: null };
    const database = await openAccount({ calls: [call], gone: [], spend: [{ ...row, ...cost }] });
    using session = new RollupSession(database, { rules: RULES });
    expect((await session.loadSpend("UTC")).readValues("channel")).toEqual([channel]);
    expect(database.prepare("SELECT channel FROM call_facts").pluck().all()).toEqual([channel]);
  });

  it("matches spend by the aliases of source, medium and campaign, like its calls", async () => {
    const rules: AttributionRules = {
      ...RULES,
      aliases: { gads: "google" },
      aliases_of: {
        source: { meta: "facebook" },
        medium: { ppc: "cpc" },
        campaign: { sommer: "Summer", "late sommer": "Autumn" },
      },
    };
    const call = (
      call_id: number,
      [utm_source, utm_medium, campaign_name]: readonly [string, string, string],
    ) => makeCall({ call_id, utm_source, utm_medium, campaign_name });
    const keys = [
      ["gads", "ppc", "Sommer"],
      ["meta", "paid_social", "Late Sommer"],
      ["bing", "cpc", "Other"],
    ] as const;
    const spend = keys.map(([source, medium, campaign], index) => ({
      ...{ day: "2026-03-28", source, medium, campaign, campaign_id: null },
      ...{ cost_micros: (index + 1) * 1_000_000, currency: "EUR", clicks: null, impressions: null },
    }));
    const calls = keys.map((key, index) => call(index + 1, key));
    const database = await openAccount({ rules, calls, gone: [], spend });
    using session = new RollupSession(database, { rules });
    const imported = await session.loadSpend("UTC");
    expect(
      imported
        .campaigns()
        .map(({ campaign, source, match, cost_micros }) => [campaign, source, match, cost_micros]),
    ).toEqual([
      ["Autumn", "facebook", "name", 2_000_000n],
      ["Other", "bing", "name", 3_000_000n],
      ["Summer", "google", "name", 1_000_000n],
    ]);
    const query = { dimensions: ["campaign"], figures: ["cost"], spend: imported.form } satisfies RollupQuery;
    const rows = [...(await session.rollup(query)).rows];
    expect(rows.map(([campaign, _id, callCount, cost]) => [campaign, callCount, cost])).toEqual([
      ["Autumn", 1, 2],
      ["Other", 1, 3],
      ["Summer", 1, 1],
    ]);
  });

  it("of two campaigns with one name, spend is of the one of its source by its alias", async () => {
    const rules: AttributionRules = { ...RULES, aliases: { gads: "google" } };
    const call = (call_id: number, utm_source: string, campaign_id: string) =>
      makeCall({ call_id, utm_source, utm_medium: "cpc", campaign_name: "Twin", campaign_id });
    const calls = [call(1, "gads", "11"), call(2, "bing", "22"), call(3, "bing", "22")];
    const row = { day: "2026-03-28", medium: "cpc", campaign: "twin", campaign_id: null };
    const spend = {
      ...row,
      source: "gads",
      cost_micros: 1,
      currency: "EUR",
      clicks: null,
      impressions: null,
    };
    const database = await openAccount({ rules, calls, gone: [], spend: [spend] });
    using session = new RollupSession(database, { rules });
    const [campaign] = (await session.loadSpend("UTC")).campaigns();
    expect(campaign).toMatchObject({ campaign_id: "11", source: "google", match: "name" });
  });

  it("extends the range of calls, and is the only extent without calls", async () => {
    const early = await openAccount({ calls: [], gone: [] });
    using session = new RollupSession(early, { rules: RULES });
    expect(await session.readExtent()).toBeUndefined();
    const [spend, extent, again] = await Promise.all([
      session.loadSpend("UTC"),
      session.readExtent(),
      session.loadSpend("UTC"),
    ]);
    expect(again).toBe(spend);
    expect(extent).toEqual({
      first: "2026-01-01T00:00:00.000Z",
      last: "2026-12-31T00:00:00.000Z",
    });
  });

  it.each([
    [[], { currency: undefined, decimals: 2 }],
    [[1_000_000, -20_000], { currency: "EUR", decimals: 2 }],
    [[1_000_000, -21_000], { currency: "EUR", decimals: 3 }],
    [[1_000_000, 100, 1000], { currency: "EUR", decimals: 4 }],
    [[10, 100_000], { currency: "EUR", decimals: 5 }],
    [[123_456_789], { currency: "EUR", decimals: 6 }],
  ])("shows all decimals of %j", async (costs, form) => {
    const [row] = SPEND;
    if (row === undefined) throw new Error("There is no spend");
    const spend = costs.map((cost_micros) => ({ ...row, cost_micros }));
    using session = new RollupSession(await openAccount({ rules: MILLISECONDS, spend }), {
      rules: MILLISECONDS,
    });
    const loaded = await session.loadSpend("UTC");
    expect(loaded.form).toEqual(form);
    expect([loaded.days() !== undefined, loaded.readExtent() !== undefined]).toEqual([
      costs.length > 0,
      costs.length > 0,
    ]);
  });

  it("throws if spend was not loaded", async () => {
    using session = new RollupSession(account, { rules: RULES });
    const spend = { currency: "EUR", decimals: 2 };
    await expect(session.rollup({ dimensions: ["source"], spend })).rejects.toThrow(
      "The session has no spend",
    );
  });

  it.each([
    [[0], 0, null],
    [[-1_000_000], -1, null],
    [[1_000_000, -1_000_000], 0, null],
    [[1], 0.000001, 0],
    [[30_000_000], 30, 2],
  ])("returns a cost per call only if the cost is above 0: %j", async (costs, cost, perCall) => {
    const spend = costs.flatMap((cost_micros) => SPEND.slice(0, 1).map((row) => ({ ...row, cost_micros })));
    using session = new RollupSession(await openAccount({ spend }), { rules: RULES });
    const { form } = await session.loadSpend("UTC");
    const figures = ["cost", "cost_per_call"];
    const { rows } = await session.rollup({ dimensions: ["source"], spend: form, figures });
    const [row] = [...rows].filter(([source]) => source === "google");
    expect(row).toEqual(["google", 15, cost, perCall]);
  });

  it("loads while rows are being read, without a change to these rows", async () => {
    using session = new RollupSession(account, { rules: RULES });
    const read = async () => Iterator.from((await session.rollup({ dimensions: ["source"] })).rows);
    const all = [...(await read())];
    const reading = await read();
    const first = reading.next().value;
    const { form } = await session.loadSpend("UTC");
    await session.rollup({ dimensions: ["source"], spend: form });
    expect([first, ...reading]).toEqual(all);
    expect(all.length).toBeGreaterThan(2);
  });

  it("sums amounts exactly beyond the safe integers", async () => {
    const [row] = SPEND;
    if (row === undefined) throw new Error("There is no spend");
    const spend = Array.from({ length: 20 }, () => ({ ...row, cost_micros: 999_999_999_999_999 }));
    using session = new RollupSession(await openAccount({ spend }), { rules: RULES });
    expect((await session.loadSpend("UTC")).sums()).toEqual(
      new Map([["id", { rows: 20, cost_micros: 19_999_999_999_999_980n }]]),
    );
  });
});
