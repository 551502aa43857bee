import { toInstants } from "../../../src/base/calendar/dates.ts";
import { GRAINS } from "../../../src/base/calendar/grain.ts";
import { type Period, periods } from "../../../src/base/calendar/periods.ts";
import type { CallFilter } from "../../../src/calls/filter.ts";
import type { PublishedAccount } from "../../../src/features/published-account.ts";
import { DIMENSIONS, SPEND_DIMENSIONS } from "../../../src/figures/dimensions.ts";
import type { RollupQuery } from "../../../src/figures/rollup-query.ts";
import type { FigureSession } from "../../../src/sources/figure-session.ts";
import { RollupSession } from "../../../src/sources/session.ts";
import { prepareCallerName } from "../../../src/warehouse/calls/caller-hash.ts";
import { openReader } from "../../../src/warehouse/file/open.ts";
import type { OddAccount } from "./odd-accounts.ts";

const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"];
const YEAR = { from: "2026-01-01", to: "2026-12-31" };
const YEAR_BEFORE = { from: "2025-01-01", to: "2025-12-31" };

/** A question about the calls of a filter. */
export interface EngineQuestion {
  filter: CallFilter;
  ask: (session: FigureSession) => Promise<unknown>;
}

/** Returns a question for the rows of a rollup. */
export function rollup(
  query: Omit<RollupQuery, "spend">,
  zone: string,
  hasSpend = false,
): EngineQuestion["ask"] {
  return async (session) => {
    const offsets = await session.readOffsets(zone);
    const spend = hasSpend ? (await session.loadSpend(zone)).form : undefined;
    return [...(await session.rollup({ ...query, spend, offsets })).rows];
  };
}

/** A year by a grain, compared with the previous one. */
function stretchOf(
  zone: string,
  grain: (typeof GRAINS)[number],
): Pick<RollupQuery, "span" | "periods" | "compared"> {
  const current: Period[] = periods({ ...YEAR, grain, zone });
  const before = periods({ ...YEAR_BEFORE, grain, zone });
  const previous = before.slice(0, current.length).map(({ startsAt }, index) => ({
    startsAt,
    period: current[index]?.period ?? "",
  }));
  return {
    span: toInstants(YEAR, zone),
    periods: current,
    compared: [
      { span: toInstants(YEAR_BEFORE, zone), periods: previous },
      {
        as: "period-on-period",
        span: toInstants(YEAR, zone),
        periods: current
          .slice(1)
          .map(({ period }, index) => ({ period, startsAt: current[index]?.startsAt ?? "" })),
      },
    ],
  };
}

const ASKED: [query: Omit<RollupQuery, "spend">, filter?: CallFilter][] = [
  [{ dimensions: [] }],
  // Each leads once, and follows once.
  ...DIMENSIONS.map((dimension, index): [RollupQuery] => [
    { dimensions: [dimension, DIMENSIONS[(index + 5) % DIMENSIONS.length] ?? "channel"] },
  ]),
  [{ dimensions: ["source", "campaign", "org_unit", "hour"] }],
  ...[2, 50, 400].map((minCell): [RollupQuery] => [{ dimensions: ["source"], minCell }]),
  ...[1, 10].map((top): [RollupQuery] => [{ dimensions: ["utm_term", "org_unit"], top }]),
  [{ dimensions: ["weekday"], top: 2 }],
  [{ dimensions: ["channel"] }, { include_gone: true }],
  [{ dimensions: ["channel"] }, { include_gone: true, first_time: true }],
  [{ dimensions: ["disposition"] }, { first_time: true }],
  [{ dimensions: ["campaign"] }, { has_gclid: true, min_duration_seconds: 60 }],
  [{ dimensions: ["org_unit"] }, { org_unit: ["Munich", "10", "(not set)"] }],
  [
    { dimensions: ["source"] },
    { source: ["Google ", "(not set)", '"(Other)"'], channel: ["Paid Search", "Unassigned"] },
  ],
  [
    { dimensions: ["tracking_number"] },
    { tracking_number: ["+49 30", "desk"], exclude_callers: ["+491", "+49 31"] },
  ],
  [{ dimensions: ["campaign"] }, { campaign: ["AUTUMN", "1"], disposition: ["no-answer", "ANSWERED"] }],
  [{ dimensions: [] }, { source: ["of no call"] }],
];

/** Possible questions about a range by grain. */
function* cutQuestions({ compared, ...stretch }: ReturnType<typeof stretchOf>): Generator<RollupQuery> {
  yield { dimensions: [], ...stretch };
  yield { dimensions: ["channel"], ...stretch, compared, fill: true };
  yield { dimensions: ["source"], ...stretch, compared, top: 3, fill: true };
  yield { dimensions: ["campaign"], ...stretch, compared, minCell: 4 };
}

/**
 * Every kind of question to an account: dimensions, filters, other keys, spend; each zone with each grain, and each grain with
 * all of its options.
 */
export function* everyQuestion(
  { isPersonal, zone: own }: OddAccount,
  zones = ZONES,
): Generator<EngineQuestion> {
  for (const [query, filter = {}] of ASKED) {
    if (query.dimensions.includes("gclid") && !isPersonal) continue;
    yield { filter, ask: rollup(query, own) };
  }
  for (const [index, zone] of zones.entries()) {
    yield { filter: {}, ask: rollup({ dimensions: ["weekday", "hour"] }, zone) };
    for (const [step, grain] of GRAINS.entries()) {
      const [...queries] = cutQuestions(stretchOf(zone, grain));
      const query = queries[(index + step) % queries.length];
      if (query !== undefined) yield { filter: {}, ask: rollup(query, zone) };
    }
  }
  const month = stretchOf(own, "month");
  const spent = [
    ...SPEND_DIMENSIONS.map((dimension) => [dimension]),
    ["campaign", "source"] as const,
    ["channel", "campaign"] as const,
  ];
  const more = [{}, month, { ...month, fill: true, top: 2 }];
  yield { filter: {}, ask: rollup({ dimensions: [], ...month }, own, true) };
  for (const [index, dimensions] of spent.entries()) {
    yield { filter: {}, ask: rollup({ dimensions, ...more[index % more.length] }, own, true) };
  }
  yield {
    filter: { source: ["google"], channel: ["Paid Search"] },
    ask: rollup({ dimensions: ["campaign"], ...month }, own, true),
  };
  yield {
    filter: { include_gone: true },
    ask: (session) =>
      Promise.all([
        session.durationBands(month.span),
        session.countKeys({ dimensions: ["utm_term"], top: 3 }),
        session.countSmallCells({ dimensions: ["utm_term"], minCell: 3 }),
        session.readExtent(),
        session.readFirstStart(),
        session.countUnknownCallers(["+491", "+49 99999"].slice(isPersonal ? 0 : 2)),
        session.findUnmatched({ source: ["Gogle", "google"], org_unit: ["Munic", "10"] }),
        session.readCampaigns().then((names) => names.toSorted()),
      ]),
  };
  yield {
    filter: {},
    ask: async (session) => {
      const spend = await session.loadSpend(own);
      return [
        spend.form,
        spend.sums(month.span),
        spend.days(),
        spend.files(),
        spend.unmatched(),
        await session.readExtent(),
      ];
    },
  };
}

/** Asks the warehouse of an account, and the cluster it was published to. */
export async function askBoth(
  { name, warehouse: { database }, rules }: OddAccount,
  published: readonly PublishedAccount[],
  { filter, ask }: EngineQuestion,
): Promise<{ expected: unknown; found: unknown }> {
  using warehouse = openReader(database);
  const nameCaller = prepareCallerName(warehouse);
  using ours = new RollupSession(warehouse.sqlite, { rules, filter, nameCaller });
  const theirs = await published.find(({ account }) => account === name)?.openSession(filter, database);
  if (theirs === undefined) throw new Error("The account is not published");
  return { expected: await ask(ours), found: await ask(theirs) };
}
