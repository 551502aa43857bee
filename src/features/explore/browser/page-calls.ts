import type { Span } from "../../../base/calendar/dates.ts";
import { namesOf } from "../../../base/records.ts";
import { formatMicros } from "../../../base/text/currency.ts";
import type { Value } from "../../../export/table.ts";
import { addEarned } from "../../../figures/amounts/earned.ts";
import { addSpent } from "../../../figures/amounts/spent.ts";
import { type Calls, MARKS } from "../../../figures/calls.ts";
import type { FoldSource } from "../../../figures/cells/counted-cells.ts";
import type { FactValue } from "../../../figures/dictionary.ts";
import { type Dimension, keyColumns } from "../../../figures/dimensions.ts";
import { type Grouping, groups, runSteps } from "../../../figures/groups.ts";
import { showKey } from "../../../figures/key-order.ts";
import type { Codes } from "../../../figures/key-table.ts";
import type { Part, Parts } from "../../../figures/parts.ts";
import {
  GROUP_PARTS,
  type Ledger,
  type OutcomeLedger,
  type PageData,
  type SpendLedger,
  unpackDuration,
} from "../packed-calls.ts";
import { LISTED, type PageFacts } from "../page-facts.ts";
import { type AmountDays, PageAmounts } from "./page-amounts.ts";
import { midnightOf } from "./page-days.ts";
import { type PageFilter, spendFilterOf } from "./page-filter.ts";
import { PageKeys } from "./page-keys.ts";
import { boundsOf, type PageRows, pickRows, rowsThatPass, sliceRows, take } from "./page-rows.ts";

/** Calls; or groups of calls, with their parts by {@link GROUP_PARTS}. */
interface CallRows extends PageRows, Calls {
  parts: ReadonlyMap<string, Float64Array>;
}
type AmountsOf<L> = L extends Ledger<infer Own> ? PageAmounts<Own> : never;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Filters whose calls are kept: the current one, and those of the menus. */
const MAX_KEPT = 16;

const MARKS_OF = {
  calls: 0,
  answered_calls: MARKS.answered,
  missed_calls: MARKS.missed,
  other_calls: MARKS.other,
  qualified_calls: MARKS.qualified,
  first_time_callers: MARKS.first,
};
/** The figures that count calls. */
export const LISTED_FIGURES = namesOf(MARKS_OF);
export type ListedFigure = keyof typeof MARKS_OF;

/**
 * The calls of the page, as a source of figures. The page knows the local day and hour of a call: it reads them as if
 * they were UTC, and so are the spans that it is asked for.
 */
export class PageCalls {
  readonly #facts: PageFacts;
  readonly #keys: PageKeys;
  readonly #all: CallRows;
  readonly #listed: readonly { codes: Codes; values: readonly Value[] }[];
  readonly #spend: AmountsOf<SpendLedger> | undefined;
  readonly #outcomes: AmountsOf<OutcomeLedger> | undefined;
  readonly #kept = new Map<string, CallRows>();

  constructor(facts: PageFacts, { rows, columns, values, spend, outcomes }: PageData & { rows: number }) {
    const keys = new PageKeys(facts.rules);
    this.#facts = facts;
    this.#keys = keys;
    const read = (name: string) => columns.get(name) ?? new Uint32Array(rows);
    const codes = new Map<string, Codes>();
    for (const [name, known] of Object.entries(values)) {
      if (name.startsWith(LISTED)) continue;
      const dictionary = keys.dictionaryOf(name);
      for (const value of known) dictionary.codeOf(value);
      codes.set(name, Int32Array.from(read(name)));
    }
    const firstMs = midnightOf(facts.from);
    const hours = keys.dictionaryOf("hour").values.map(Number);
    const hourCodes = read("hour");
    const startsMs = Float64Array.from(
      read("day"),
      (day, row) => firstMs + day * DAY_MS + (hours[hourCodes[row] ?? 0] ?? 0) * HOUR_MS,
    );
    codes.set("weekday", keys.weekdaysOf(startsMs));
    const callers = Int32Array.from(read("caller"));
    this.#all = {
      rows,
      places: Int32Array.from(startsMs.keys()),
      startsMs,
      codes,
      marks: Uint8Array.from(read("marks")),
      durations: Int32Array.from(read("duration"), unpackDuration),
      callers,
      maxCaller: callers.reduce((most, caller) => Math.max(most, caller), 0),
      parts: new Map(
        facts.minCell === null
          ? []
          : GROUP_PARTS.map((part) => [part, Float64Array.from(read(part), unpackDuration)]),
      ),
    };
    this.#listed = (facts.listed ?? []).map(({ name }) => ({
      codes: Int32Array.from(read(LISTED + name)),
      values: values[LISTED + name] ?? [],
    }));
    this.#spend = spend && new PageAmounts(spend, keys);
    this.#outcomes = outcomes && new PageAmounts(outcomes, keys);
  }

  /** Returns what figures of the calls of a filter are computed from. */
  source(filter: PageFilter): FoldSource {
    const selected = this.#select(filter);
    return {
      rules: this.#facts.rules,
      dictionaryOf: ({ name }) => this.#keys.dictionaryOf(name),
      groups: async ({ cells, parts, folding, span, periods }) => {
        const calls = within(selected, span);
        const of = this.#keys.cellsOf(calls, cells, periods);
        const grouping = folding
          ? { of: of.map((cell) => folding.rowOf(cell)), size: folding.size }
          : { of, size: cells.size };
        return this.#facts.minCell === null
          ? runSteps(groups(calls, grouping, parts))
          : sumGroups(calls, grouping, parts);
      },
      spend: (side, cells) =>
        this.#spend?.sum(spendFilterOf(filter), { ...side, cells }, (known, { costMicros, ...amounts }) =>
          addSpent(known, { ...amounts, costMicros: BigInt(costMicros) }),
        ) ?? new Map(),
      outcomes: async (side, cells) =>
        this.#outcomes?.sum(filter, { ...side, cells }, (known, { revenueMicros, ...amounts }) =>
          addEarned(known, { ...amounts, revenueMicros: BigInt(revenueMicros) }),
        ) ?? new Map(),
    };
  }

  /** Counts the days and the rows of spend that a filter leaves; undefined for none. */
  spendDays(filter: PageFilter, span: Span): AmountDays | undefined {
    return this.#spend?.count(spendFilterOf(filter), span);
  }

  /** Returns what rows of spend of a filter cost, and those of them whose campaigns no call has. */
  costs(filter: PageFilter, span: Span): { cost: number; unmatched: { rows: number; cost: number } } {
    const rows = this.#spend?.within(spendFilterOf(filter), span) ?? [];
    const unmatched = rows.filter(({ isUnmatched }) => isUnmatched);
    const costOf = (some: typeof rows) =>
      Number(formatMicros(some.reduce((sum, { costMicros }) => sum + BigInt(costMicros), 0n)));
    return { cost: costOf(rows), unmatched: { rows: unmatched.length, cost: costOf(unmatched) } };
  }

  /** Counts the days of a span that have no calls in the file. */
  daysLeftOut({ startsAt = "", endsAt = "" }: Span): number {
    const { startsMs } = within(this.#all, { startsAt, endsAt });
    const days = new Set(startsMs.map((ms) => Math.floor(ms / DAY_MS)));
    return (Date.parse(endsAt) - Date.parse(startsAt)) / DAY_MS - days.size;
  }

  /** Returns the calls of a filter in a span. */
  within(filter: PageFilter, span: Span): Calls {
    return within(this.#select(filter), span);
  }

  /** Returns the places of the calls behind a figure, by time. */
  listed(filter: PageFilter, span: Span, figure: ListedFigure): Int32Array {
    const mark = MARKS_OF[figure];
    const { places, marks } = within(this.#select(filter), span);
    return places.filter((_, row) => ((marks[row] ?? 0) & mark) === mark);
  }

  /** Returns what the page lists of a call, in the order of its columns. */
  callAt(place: number): readonly Value[] {
    return this.#listed.map(({ codes, values }) => values[codes[place] ?? 0] ?? null);
  }

  /** Returns the value of a dimension that a call shows. */
  keyAt(place: number, dimension: Dimension): FactValue {
    const [key] = keyColumns([dimension]);
    if (key === undefined) throw new Error(`${dimension} has no column`);
    const { values } = this.#keys.dictionaryOf(key.name);
    return showKey(key, values[this.#all.codes.get(key.name)?.[place] ?? 0] ?? null);
  }

  /** Returns the name of what a filter names by its id. */
  labelOf(dimension: Dimension, text: string): string {
    const [, id] = keyColumns([dimension]);
    if (id === undefined) return text;
    const code = this.#keys.dictionaryOf(id.name).values.findIndex((value) => String(value) === text);
    const row = code < 0 ? undefined : this.#all.codes.get(id.name)?.indexOf(code);
    if (row === undefined || row < 0) return text;
    return String(this.keyAt(row, dimension));
  }

  #select(filter: PageFilter): CallRows {
    const tests = this.#keys.testsOf(filter, this.#all.codes);
    if (tests.length === 0) return this.#all;
    const key = JSON.stringify(filter);
    const known = this.#kept.get(key);
    this.#kept.delete(key);
    const selected = known ?? pick(this.#all, rowsThatPass(tests, this.#all.rows));
    this.#kept.set(key, selected);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return selected;
  }
}

function pick(calls: CallRows, order: Int32Array): CallRows {
  const { marks, durations, callers, maxCaller, parts } = calls;
  const rows = order.length;
  return {
    ...pickRows(calls, order),
    marks: take(marks, order, new Uint8Array(rows)),
    durations: take(durations, order, new Int32Array(rows)),
    callers: take(callers, order, new Int32Array(rows)),
    maxCaller,
    parts: new Map([...parts].map(([part, values]) => [part, take(values, order, new Float64Array(rows))])),
  };
}

function within(calls: CallRows, span: Span = {}): CallRows {
  const [begin, end] = boundsOf(calls, span);
  const { marks, durations, callers, maxCaller, parts } = calls;
  return {
    ...sliceRows(calls, begin, end),
    marks: marks.subarray(begin, end),
    durations: durations.subarray(begin, end),
    callers: callers.subarray(begin, end),
    maxCaller,
    parts: new Map([...parts].map(([part, values]) => [part, values.subarray(begin, end)])),
  };
}

/** Adds up the parts of groups of calls. */
function sumGroups({ rows, parts: known }: CallRows, { of, size }: Grouping, parts: readonly Part[]): Parts {
  const totals: Parts = {};
  for (const part of parts) {
    const values = known.get(part);
    if (values === undefined) throw new Error(`Groups of calls have no ${part}`);
    const sums = new Float64Array(size);
    for (let row = 0; row < rows; row++) sums[of[row] ?? 0] = (sums[of[row] ?? 0] ?? 0) + (values[row] ?? 0);
    totals[part] = sums;
  }
  return totals;
}
