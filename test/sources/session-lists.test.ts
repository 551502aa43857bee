import { describe, expect, it } from "vitest";
import { type Span, toInstants } from "../../src/base/calendar/dates.ts";
import { periods } from "../../src/base/calendar/periods.ts";
import { findAdClick } from "../../src/calls/attribution/ad-click.ts";
import { toCaller, toClientId } from "../../src/calls/attribution/call-text.ts";
import type { Call } from "../../src/calls/columns.ts";
import type { CallFacts } from "../../src/calls/facts.ts";
import type { CallFilter } from "../../src/calls/filter.ts";
import type { Dimension } from "../../src/figures/dimensions.ts";
import { NOT_SET, toServed } from "../../src/figures/reserved-keys.ts";
import type { RollupQuery } from "../../src/figures/rollup-query.ts";
import { RollupSession } from "../../src/sources/session.ts";
import type { ConversionKey, ConversionQuery } from "../../src/sources/sqlite/sqlite-conversions-sql.ts";
import { CALLS, GONE, MILLISECONDS, openAccount, RULES } from "./account.ts";

const account = await openAccount();

/** The stored facts of a call; the model decides which are first calls. */
type Fact = Omit<CallFacts, "is_qualified"> & {
  call_id: number;
  is_live: 0 | 1;
  is_first_call: 0 | 1;
  is_qualified: 0 | 1;
};
const FACTS = account.prepare<[], Fact>("SELECT * FROM call_facts LEFT JOIN callers USING (caller_id)").all();
const callOf = new Map(CALLS.map((call) => [call.call_id, call]));
const storedOf = ({ call_id }: Fact): Call => callOf.get(call_id) ?? never();

function never(): never {
  throw new Error("There is no such call");
}

/** Of unknown time last. */
const sortable = ({ call_started }: Fact) => call_started ?? "unknown";
const byTime = (a: Fact, b: Fact) =>
  sortable(a) === sortable(b) ? a.call_id - b.call_id : sortable(a) < sortable(b) ? -1 : 1;

const NAMES = new Map(
  account
    .prepare<[], [id: string, name: string]>("SELECT campaign_id, campaign FROM rollup_campaign")
    .raw()
    .all(),
);
/** The campaign's name in the rows of the call. */
const nameOf = ({ campaign, campaign_id }: Fact) =>
  (campaign_id === null ? undefined : NAMES.get(campaign_id)) ?? campaign;
/** The same in a list, where reserved words are not quoted. */
function listedNameOf(fact: Fact): string | null {
  const name = nameOf(fact);
  return name === null || name === NOT_SET ? null : toServed(name);
}

const isIn = ({ startsAt, endsAt }: Span, { call_started }: Fact) =>
  (startsAt === undefined || (call_started !== null && call_started >= startsAt)) &&
  (endsAt === undefined || (call_started !== null && call_started < endsAt));

/** Filters, and the calls they select. */
const FILTERS: [filter: CallFilter, isCounted: (fact: Fact) => boolean][] = [
  [{}, ({ is_live }) => is_live === 1],
  [{ include_gone: true }, () => true],
  [{ source: ["google"] }, ({ is_live, source }) => is_live === 1 && source === "google"],
  [
    { include_gone: true, exclude_callers: ["+49 1"], campaign: ["(not set)", "autumn"] },
    (fact) => fact.caller !== "+491" && [null, "autumn"].includes(nameOf(fact)?.toLowerCase() ?? null),
  ],
  [{ source: ["of nobody"] }, () => false],
];
const SPANS: Span[] = [
  {},
  ...["Europe/Berlin", "Australia/Lord_Howe"].flatMap((zone) => [
    toInstants({ from: "2026-03-29", to: "2026-04-05" }, zone),
    toInstants({ from: "2026-04-05" }, zone),
    toInstants({ to: "2026-03-28" }, zone),
  ]),
];
const CASES = FILTERS.flatMap(([filter, isCounted]) =>
  SPANS.map((span) => ({
    filter,
    span,
    counted: FACTS.filter((fact) => isCounted(fact) && isIn(span, fact)).sort(byTime),
  })),
);

const open = (filter: CallFilter = {}, rules = RULES) => new RollupSession(account, { rules, filter });

describe("RollupSession.calls", () => {
  it("lists facts, stored values and transcripts in the order of time, repeatedly", () => {
    let listed = 0;
    for (const { filter, span, counted } of CASES) {
      using session = open(filter);
      const { count, read } = session.calls(
        [
          { fact: "call_id" },
          { fact: "source" },
          { member: "utm_source" },
          { stored: "gone_at" },
          { member: "summary" },
        ],
        span,
      );
      const expected = counted.map((fact) => [
        fact.call_id,
        fact.source,
        fact.utm_source_folded === null ? null : storedOf(fact).utm_source,
        GONE.includes(fact.call_id) ? "2026-10-01T00:00:00.000Z" : null,
        storedOf(fact).summary || null,
      ]);
      expect([count, [...read()], [...read()]]).toEqual([expected.length, expected, expected]);
      listed += count;
      // Each kind of column separately, since a table is only joined if needed.
      for (const [column, value] of [
        [{ fact: "caller" }, (fact: Fact) => fact.caller],
        [{ member: "recording_url" }, () => null],
        [{ member: "summary" }, (fact: Fact) => storedOf(fact).summary || null],
      ] as const) {
        expect([...session.calls([column], span).read()]).toEqual(counted.map((fact) => [value(fact)]));
      }
    }
    expect(listed).toBe(551);
  });

  it("marks first calls among the counted calls, or among all calls if gone ones count", () => {
    const firstOf = (facts: readonly Fact[]) =>
      new Set(
        [...Map.groupBy(facts.toSorted(byTime), ({ caller }) => caller)].flatMap(([caller, [first]]) =>
          caller === null || first === undefined ? [] : [first.call_id],
        ),
      );
    const [live, all] = [firstOf(FACTS.filter(({ is_live }) => is_live)), firstOf(FACTS)];
    for (const [filter, first] of [
      [{}, live],
      [{ include_gone: true }, all],
    ] as const) {
      using session = open(filter);
      const rows = [...session.calls([{ fact: "call_id" }, { fact: "is_first_call" }]).read()];
      expect(
        rows
          .filter(([, isFirst]) => isFirst === 1)
          .map(([id]) => id)
          .sort(),
      ).toEqual([...first].sort());
    }
    expect([...all].filter((id) => !live.has(id)).length).toBe(2);
  });
});

describe("RollupSession.callers", () => {
  it("sums each caller, with first and last call by time and then id; unknown times only without others", () => {
    const seen = { callers: 0, untimed: 0, answeredLater: 0, without: 0 };
    for (const { filter, span, counted } of CASES) {
      using session = open(filter);
      const { callsWithoutCaller, read } = session.callers(span);
      const groups = Map.groupBy(counted, ({ caller }) => caller);
      expect(callsWithoutCaller).toBe(groups.get(null)?.length ?? 0);
      seen.without += callsWithoutCaller;
      groups.delete(null);
      const expected = [...groups].map(([caller, calls]) => {
        const timed = calls.filter(({ call_started }) => call_started !== null);
        const known = timed.length > 0 ? timed : calls;
        const [first = never(), last = never()] = [known[0], known.at(-1)];
        const missed = timed.find(({ outcome }) => outcome === "missed")?.call_started ?? null;
        const answered = timed.find(
          ({ outcome, call_started }) =>
            outcome === "answered" && missed !== null && String(call_started) > missed,
        );
        if (timed.length === 0) seen.untimed++;
        if (answered !== undefined) seen.answeredLater++;
        seen.callers++;
        return {
          caller,
          first_call_at: first.call_started,
          last_call_at: last.call_started,
          first_source: first.source,
          last_source: last.source,
          first_channel: first.channel,
          last_channel: last.channel,
          first_campaign: listedNameOf(first),
          last_campaign: listedNameOf(last),
          first_campaign_as_tagged: first.campaign,
          last_campaign_as_tagged: last.campaign,
          calls: calls.length,
          answered_calls: calls.filter(({ outcome }) => outcome === "answered").length,
          missed_calls: calls.filter(({ outcome }) => outcome === "missed").length,
          missed_at: missed,
          answered_at: answered?.call_started ?? null,
        };
      });
      expect([...read()]).toEqual(expected);
    }
    expect(seen).toEqual({ callers: 66, untimed: 4, answeredLater: 25, without: 230 });
  });
});

const clickIdOf = (fact: Fact, names: readonly string[]) => {
  const click = findAdClick(storedOf(fact));
  return click !== null && names.includes(click.by) ? click.id : null;
};

/** A number that is served without `+` has no known country: it has none in the list, and is no caller's first. */
function numberOf(callerId: string | null): string | null {
  const caller = toCaller(callerId);
  return callerId?.includes("+") ? caller : (caller?.slice(1) ?? null);
}
const isNational = (key: string | null) => key !== null && /^\d+$/.test(key);

const KEYS: Record<ConversionKey, (fact: Fact) => string | null> = {
  gclid: ({ gclid }) => gclid,
  caller: (fact) => numberOf(storedOf(fact).caller_id),
  google_click: (fact) => clickIdOf(fact, ["gclid", "gbraid", "wbraid"]),
  msclkid: (fact) => clickIdOf(fact, ["msclkid"]),
  google_analytics_cid: (fact) => toClientId(storedOf(fact).google_analytics_cid),
};

/** The calls that are the first conversions of their keys. */
function firstConversions(
  { key, sources, every, likeCalls }: ConversionQuery,
  population: readonly Fact[],
): Set<number> {
  const keyOf = KEYS[key];
  const wanted = likeCalls && new Set(FACTS.filter(({ call_id }) => likeCalls.includes(call_id)).map(keyOf));
  const eligible = population
    .filter((fact) => key !== "caller" || !isNational(keyOf(fact)))
    .filter((fact) => keyOf(fact) !== null && fact.call_started !== null && fact.is_qualified)
    .filter(({ gclsrc }) => sources === undefined || sources.includes(gclsrc ?? ""))
    .filter((fact) => wanted === undefined || wanted.has(keyOf(fact)));
  const groups = Map.groupBy(eligible.toSorted(byTime), (fact) =>
    JSON.stringify([keyOf(fact), every && fact.call_started?.slice(0, 19)]),
  );
  return new Set([...groups.values()].flatMap(([first]) => first?.call_id ?? []));
}

describe("RollupSession.conversions", () => {
  it("finds the first qualified call of each key in a population, whatever else is requested", () => {
    const seen = { calls: 0, first: 0, repeated: 0, gone: 0 };
    const queries: ConversionQuery[] = (
      ["gclid", "google_click", "caller", "msclkid", "google_analytics_cid"] as const
    ).flatMap((key) => [
      { key, every: false },
      { key, every: true },
      { key, every: false, sources: ["", "aw.ds"] },
      { key, every: false, sources: [] },
      { key, every: true, likeCalls: CALLS.slice(0, 12).map(({ call_id }) => call_id) },
    ]);
    const [[, isLive = never], [, isAny = never]] = [FILTERS[0] ?? never(), FILTERS[1] ?? never()];
    for (const query of queries) {
      for (const { filter, span, counted } of CASES.filter((_, index) => index % 8 === 0)) {
        for (const [population, isOfIt] of [
          [{}, isLive],
          [{ include_gone: true }, isAny],
        ] as const) {
          using session = open(filter);
          const { count, read } = session.conversions(query, population, span);
          const first = firstConversions(query, FACTS.filter(isOfIt));
          const { likeCalls } = query;
          const listed =
            likeCalls === undefined
              ? counted
              : FACTS.filter(({ call_id }) => likeCalls.includes(call_id)).sort(
                  (a, b) => a.call_id - b.call_id,
                );
          const expected = listed.map((fact) => ({
            call_id: fact.call_id,
            is_live: fact.is_live === 1,
            call_started: fact.call_started,
            key: KEYS[query.key](fact),
            click_by: findAdClick(storedOf(fact))?.by ?? null,
            gclsrc: fact.gclsrc ?? "",
            is_qualified: fact.is_qualified === 1,
            topic: fact.topic,
            is_repeated: !first.has(fact.call_id),
            earned_micros: null,
            is_open: false,
          }));
          expect([count, [...read()]]).toEqual([expected.length, expected]);
          seen.calls += count;
          seen.first += expected.filter(({ is_repeated }) => !is_repeated).length;
          seen.repeated += expected.filter(
            ({ is_repeated, is_qualified, key }) => is_repeated && is_qualified && key,
          ).length;
          seen.gone += expected.filter(({ is_live }) => !is_live).length;
        }
      }
    }
    expect(seen).toEqual({ calls: 5160, first: 150, repeated: 232, gone: 500 });
  });

  it("returns the number stored with a call if callers are identified by digests", async () => {
    const database = await openAccount();
    database.exec("UPDATE callers SET caller = 'digest of ' || caller");
    using session = new RollupSession(database, { rules: { ...RULES, caller_digests: true } });
    const rows = [...session.conversions({ key: "caller", every: false }, {}).read()];
    expect(rows.map(({ key }) => key)).toEqual(
      rows.map(({ call_id }) => numberOf(callOf.get(call_id)?.caller_id ?? null)),
    );
    const first = firstConversions(
      { key: "caller", every: false },
      FACTS.filter(({ is_live }) => is_live),
    );
    expect(
      rows
        .filter(({ is_repeated }) => !is_repeated)
        .map(({ call_id }) => call_id)
        .sort(),
    ).toEqual([...first].sort());
    using other = new RollupSession(account, { rules: { ...RULES, caller_digests: true } });
    expect(
      [...other.conversions({ key: "gclid", every: false }, {}).read()].some(({ key }) => key === "Cj1"),
    ).toBe(true);
  });
});

describe("RollupSession.durationBands", () => {
  it.each([RULES, MILLISECONDS, { ...RULES, qualified_seconds: 61 }])(
    "counts calls by duration, by rules %#",
    async (rules) => {
      const perSecond = rules.duration_unit === "seconds" ? 1 : 1000;
      const database = await openAccount({ rules });
      const facts = database
        .prepare<[], Fact>("SELECT * FROM call_facts LEFT JOIN callers USING (caller_id) WHERE is_live")
        .all();
      using session = new RollupSession(database, { rules });
      for (const span of SPANS) {
        const counted = facts.filter((fact) => isIn(span, fact));
        const count = (calls: readonly Fact[]) => ({
          calls: calls.length,
          answered_calls: calls.filter(({ outcome }) => outcome === "answered").length,
          missed_calls: calls.filter(({ outcome }) => outcome === "missed").length,
        });
        const bounds = [...new Set([0, 30, 60, 120, 300, 600, 1800, rules.qualified_seconds])].sort(
          (a, b) => a - b,
        );
        const below = counted.filter(({ duration }) => duration !== null && duration < 0);
        const unknown = counted.filter(({ duration }) => duration === null);
        expect(await session.durationBands(span)).toEqual([
          ...(below.length > 0 ? [{ from_seconds: null, to_seconds: 0, ...count(below) }] : []),
          ...bounds.map((from_seconds, index) => ({
            from_seconds,
            to_seconds: bounds[index + 1] ?? null,
            ...count(
              counted.filter(
                ({ duration }) =>
                  duration !== null &&
                  duration >= from_seconds * perSecond &&
                  duration < (bounds[index + 1] ?? Number.POSITIVE_INFINITY) * perSecond,
              ),
            ),
          })),
          ...(unknown.length > 0 ? [{ from_seconds: null, to_seconds: null, ...count(unknown) }] : []),
        ]);
      }
      expect(await session.durationBands()).toEqual(await session.durationBands({}));
    },
  );
});

describe("extent of a session", () => {
  it("the extent is when calls started, and who called, within or outside the filter", async () => {
    const times = FACTS.flatMap(({ call_started }) => call_started ?? []).sort();
    for (const { filter, span, counted } of CASES) {
      if (Object.keys(span).length > 0) continue;
      using session = open(filter);
      const own = counted.flatMap(({ call_started }) => call_started ?? []).sort();
      expect(await session.readExtent()).toEqual(
        own.length === 0 ? undefined : { first: own[0], last: own.at(-1) },
      );
      expect(await session.readFirstStart()).toBe(times[0]);
      expect(await session.countUnknownCallers(["+49 1", "(0049) 2", "+498", "ANONYMOUS", "-", "5"])).toBe(4);
      expect(await session.countUnknownCallers([])).toBe(0);
      expect((await session.readCampaigns()).toSorted()).toEqual([
        '"(Other)"',
        "(total)",
        "Autumn",
        "Herbst",
        "autumn",
      ]);
    }
    using named = new RollupSession(account, { rules: RULES, nameCaller: () => "+491" });
    expect(await named.countUnknownCallers(["+498"])).toBe(0);
  });

  it("the extent is empty without calls, and without times if no call has one", async () => {
    const empty = await openAccount({ calls: [], gone: [], spend: [] });
    using session = new RollupSession(empty, { rules: RULES });
    expect([
      await session.readExtent(),
      await session.readFirstStart(),
      await session.readCampaigns(),
      await session.readOffsets("Europe/Berlin"),
    ]).toEqual([undefined, null, [], []]);
    expect([
      session.calls([{ fact: "call_id" }]).count,
      [...session.callers().read()],
      session.callers().callsWithoutCaller,
    ]).toEqual([0, [], 0]);
    expect((await session.durationBands()).every(({ calls }) => calls === 0)).toBe(true);
    const untimed = await openAccount({
      calls: CALLS.map((call) => ({ ...call, call_started: null })),
      gone: [],
      spend: [],
    });
    using other = new RollupSession(untimed, { rules: RULES });
    expect([await other.readExtent(), await other.readFirstStart(), await other.readOffsets("UTC")]).toEqual([
      undefined,
      null,
      [],
    ]);
  });

  it.each([
    ["UTC", [0]],
    ["Asia/Kathmandu", [20_700]],
    ["Europe/Berlin", [3600, 7200, 3600]],
    ["Antarctica/Troll", [0, 7200, 0]],
    ["Australia/Lord_Howe", [39_600, 37_800, 39_600]],
  ])(
    "the extent has the offsets %s during which there are calls, each from the first of these calls",
    async (zone, expected) => {
      using session = open();
      const offsets = await session.readOffsets(zone);
      expect(offsets.map(({ offsetSeconds }) => offsetSeconds)).toEqual(expected);
      const times = FACTS.flatMap(({ call_started }) => call_started ?? []);
      for (const { startsAt } of offsets) expect(times).toContain(startsAt);
      expect(offsets[0]?.startsAt).toBe("2025-12-31T23:59:59.999Z");
    },
  );
});

describe("a session", () => {
  it("reads the rules in its snapshot, and releases the snapshot", async () => {
    const inTransaction: boolean[] = [];
    {
      using session = new RollupSession(account, {
        rules: () => {
          inTransaction.push(account.inTransaction);
          return RULES;
        },
      });
      expect(session.rules).toBe(RULES);
      expect(account.inTransaction).toBe(true);
      expect(account.pragma("cache_size", { simple: true })).toBe(-16_384);
    }
    expect([...inTransaction, account.inTransaction]).toEqual([true, false]);
    const session = open();
    account.exec("ROLLBACK");
    session[Symbol.dispose]();
    const closed = await openAccount();
    const last = new RollupSession(closed, { rules: RULES });
    closed.close();
    last[Symbol.dispose]();
  });
});

describe("rows of fewer calls than the minimum cell", () => {
  /** The model: small rows, then the next smallest, until those together are not small. */
  function keep(rows: { key: string; now: number; before: number }[], minCell: number): Set<string> {
    const isSmall = (count: number) => count > 0 && count < minCell;
    const left = rows.toSorted((a, b) => {
      const [smallA, smallB] = [a, b].map(({ now, before }) => isSmall(now) || isSmall(before));
      return (
        Number(smallB) - Number(smallA) || a.now + a.before - (b.now + b.before) || (a.key < b.key ? -1 : 1)
      );
    });
    const other = { now: 0, before: 0 };
    for (;;) {
      const [next] = left;
      if (next === undefined) break;
      if (![next.now, next.before, other.now, other.before].some(isSmall)) break;
      other.now += next.now;
      other.before += next.before;
      left.shift();
    }
    return new Set(left.map(({ key }) => key));
  }

  it("small rows become one row per period, and no other row is small unless its period is", async () => {
    const seen = { kept: 0, folded: 0, none: 0 };
    const YEAR = { from: "2026-01-01", to: "2026-12-31" };
    for (const dimension of ["source", "channel", "weekday", "utm_term"] as const satisfies Dimension[]) {
      for (const hasPeriods of [false, true]) {
        for (const previous of [undefined, { span: { endsAt: "2026-03-29T12:00:00.000Z" } }]) {
          for (const minCell of [1, 2, 3, 5, 7, 100]) {
            using session = open({ include_gone: true });
            const grain = { grain: "quarter", zone: "UTC" } as const;
            const query: RollupQuery & { minCell: number } = {
              dimensions: [dimension],
              minCell,
              figures: [],
              ...(hasPeriods && { periods: periods({ ...YEAR, ...grain }) }),
              span: { startsAt: "2026-03-29T12:00:00.000Z" },
              compared: previous && [
                { ...previous, ...(hasPeriods && { periods: periods({ ...YEAR, ...grain }) }) },
              ],
            };
            const all = [...(await session.rollup({ ...query, minCell: undefined })).rows].map((row) => {
              const [now = 0, before = 0] = row.slice(hasPeriods ? 2 : 1);
              const [period, key] = hasPeriods ? row : [null, row[0]];
              return { period: String(period), key: String(key), now: Number(now), before: Number(before) };
            });
            let folded = 0;
            const expected = [...Map.groupBy(all, ({ period }) => period)].flatMap(([period, rows]) => {
              const kept = keep(rows, minCell);
              const sums = (["now", "before"] as const).map((side) =>
                rows.reduce((sum, row) => sum + row[side], 0),
              );
              if (sums.some((sum) => sum > 0 && sum < minCell)) return [`${period} (other) blank`];
              folded += rows.length - kept.size;
              const groups = Map.groupBy(rows, ({ key }) => (kept.has(key) ? key : "(other)"));
              return [...groups].map(([key, of]) =>
                [
                  period,
                  key,
                  ...(["now", "before"] as const).map((side) => of.reduce((sum, row) => sum + row[side], 0)),
                ].join(" "),
              );
            });
            const shown = [...(await session.rollup(query)).rows].map((row) => {
              const [period, key] = hasPeriods ? row : [null, row[0]];
              const [now, before] = row.slice(hasPeriods ? 2 : 1);
              // Blank where the days compared with have no such period.
              const figures = now === null ? ["blank"] : [now, before ?? 0];
              return [period, key, ...figures].join(" ").replace(/^ /, "null ");
            });
            expect(shown.toSorted()).toEqual(expected.toSorted());
            const others = shown.filter((row) => row.includes(" (other) ")).length;
            expect(await session.countSmallCells(query)).toBe(folded);
            seen.kept += shown.length - others;
            seen.folded += folded;
            if (folded === 0) seen.none++;
          }
        }
      }
    }
    expect(seen).toEqual({ kept: 405, folded: 318, none: 48 });
  });
});
