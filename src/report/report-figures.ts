import type { LabelledPeriod } from "../calendar/periods.ts";
import type { Span } from "../rollup/call-filter.ts";
import type { Dimension } from "../rollup/dimensions.ts";
import type { DurationBand } from "../rollup/duration-bands.ts";
import { NOT_SET } from "../rollup/own-words.ts";
import type { RollupQuery } from "../rollup/rollup-query.ts";
import type { RollupSession, Value } from "../rollup/session.ts";

/** Rows of a table that has one for each source or campaign; the others are added up in one more. */
const ROWS_SHOWN = 25;
/** Of what moved most, each way. */
const MOVERS_SHOWN = 5;

/** A row of a rollup, by the names of its columns. */
export type Figures = Readonly<Record<string, Value>>;

/** The figures of a report, all from one moment of the warehouse. */
export interface ReportFigures {
  /** One row of everything, beside the stretch before. */
  headline: Figures;
  /** A row a period, in the order of time, of zeros where there was no call. */
  periods: readonly Figures[];
  /** Most calls first. */
  channels: Ranking;
  /** A row for each channel and period that has calls. */
  channelPeriods: readonly Figures[];
  sources: Ranking;
  campaigns: Ranking;
  /** A row for each local weekday and hour that has calls. */
  hours: readonly Figures[];
  durations: readonly DurationBand[];
  movers: Readonly<Record<"up" | "down", readonly Mover[]>>;
}

/** What calls came from, most calls first. */
export interface Ranking {
  shown: readonly Figures[];
  /** The sums of the rows beyond; undefined where all are shown. */
  rest: { rows: number; figures: Figures } | undefined;
}

/** A channel, source or campaign whose calls changed. */
export interface Mover {
  dimension: Dimension;
  figures: Figures;
  /** Calls more than in the stretch before; fewer, where it is below 0. */
  change: number;
}

/** The stretch that a report is about, and the one beside it. */
export interface ReportScope {
  span: Span;
  periods: readonly LabelledPeriod[];
  previousSpan: Span;
  /** IANA zone of weekdays and hours. */
  timezone: string;
}

/** Figures that add up, so that the rest of a ranking can be told without its rows. */
const SUMS = ["answered_calls", "missed_calls", "first_time_callers", "qualified_calls"];
const RANKED = ["calls", ...SUMS];
const BY_PERIOD = ["answered_calls", "missed_calls", "other_calls", "unique_callers", "first_time_callers"];

/** Reads all figures of a report. */
export function readReportFigures(session: RollupSession, scope: ReportScope): ReportFigures {
  const { span, periods, timezone } = scope;
  const offsets = session.readOffsets(timezone);
  const previous = { span: scope.previousSpan };
  const read = (query: RollupQuery) => iterateFigures(session, query);
  const [headline = {}] = read({ dimensions: [], span, previous });
  const movers = new Movers();
  const rank = (dimension: Dimension) =>
    rankRows(
      read({ dimensions: [dimension], span, previous, figures: [...SUMS, "answer_rate"] }),
      (figures) => movers.see(dimension, figures),
    );
  return {
    headline,
    periods: fillPeriods(read({ dimensions: [], span, periods, figures: BY_PERIOD }), periods),
    channels: rank("channel"),
    channelPeriods: [...read({ dimensions: ["channel"], span, periods, figures: [] })],
    sources: rank("source"),
    campaigns: rank("campaign"),
    hours: [...read({ dimensions: ["weekday", "hour"], offsets, span, figures: ["missed_calls"] })],
    durations: session.durationBands(span),
    movers,
  };
}

function* iterateFigures(session: RollupSession, query: RollupQuery): Generator<Figures> {
  const { columns, rows } = session.rollup(query);
  for (const row of rows) {
    yield Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null]));
  }
}

function fillPeriods(rows: Iterable<Figures>, periods: readonly LabelledPeriod[]): Figures[] {
  const known = new Map(Iterator.from(rows).map((figures) => [figures.period, figures]));
  const none = Object.fromEntries(["calls", ...BY_PERIOD].map((name) => [name, 0]));
  return periods.map(({ period }) => known.get(period) ?? { period, ...none });
}

/** Keeps the first rows and those without a value, and adds up the others, those that had calls only before as well. */
function rankRows(rows: Iterable<Figures>, see: (figures: Figures) => void): Ranking {
  const shown: Figures[] = [];
  const sums: Record<string, number> = {};
  let restRows = 0;
  for (const figures of rows) {
    see(figures);
    const isPresent = Number(figures.calls) > 0;
    if (isPresent && (shown.length < ROWS_SHOWN || isNotSet(figures))) {
      shown.push(figures);
      continue;
    }
    if (isPresent) restRows++;
    for (const name of RANKED.flatMap((name) => [name, `${name}_previous`])) {
      sums[name] = (sums[name] ?? 0) + Number(figures[name]);
    }
  }
  const isAll = Object.keys(sums).length === 0;
  return { shown, rest: isAll ? undefined : { rows: restRows, figures: withShares(sums) } };
}

/** Adds the shares of what was added up, as an engine rounds them. */
function withShares(sums: Record<string, number>): Figures {
  const { calls = 0, calls_previous = 0, answered_calls = 0 } = sums;
  const share = (part: number, whole: number) => (whole === 0 ? null : Number((part / whole).toFixed(4)));
  return {
    ...sums,
    calls_change: share(calls - calls_previous, calls_previous),
    answer_rate: share(answered_calls, calls),
  };
}

/** The key columns lead. */
const isNotSet = (figures: Figures) => Object.values(figures)[0] === NOT_SET;

/** Keeps those rows of several rollups whose calls changed most, each way. */
class Movers {
  readonly up: Mover[] = [];
  readonly down: Mover[] = [];

  see(dimension: Dimension, figures: Figures): void {
    const change = Number(figures.calls) - Number(figures.calls_previous);
    if (change === 0) return;
    const movers = change > 0 ? this.up : this.down;
    const last = movers.at(-1);
    if (movers.length >= MOVERS_SHOWN && last !== undefined && Math.abs(last.change) >= Math.abs(change))
      return;
    movers.push({ dimension, figures, change });
    movers.sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
    movers.splice(MOVERS_SHOWN);
  }
}
