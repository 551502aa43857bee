import type { FactColumn } from "../../../attribution/attribute-call.ts";
import type { Span } from "../../../calendar/dates.ts";
import type { Calls } from "../../../figures/calls.ts";
import type { Cells, Side } from "../../../figures/cells.ts";
import type { FoldSource } from "../../../figures/counted-cells.ts";
import { Dictionary, type FactValue } from "../../../figures/dictionary.ts";
import { type Dimension, type KeyColumn, keyColumns, WEEKDAYS } from "../../../figures/dimensions.ts";
import { addEarned } from "../../../figures/earned.ts";
import { groups, type Steps } from "../../../figures/groups.ts";
import { showKey } from "../../../figures/key-order.ts";
import type { Codes } from "../../../figures/key-table.ts";
import { addSpent } from "../../../figures/spent.ts";
import { periodCodes } from "../../../figures/time-keys.ts";
import { type Condition, toConditions } from "../../../rollup/call-filter.ts";
import {
  type Ledger,
  type OutcomeLedger,
  type PageData,
  type SpendLedger,
  unpackDuration,
} from "../packed-calls.ts";
import type { PageFacts } from "../page-facts.ts";
import { midnightOf } from "./page-days.ts";
import { exportFilterOf, type PageFilter, spendFilterOf } from "./page-filter.ts";

/** Calls by day, with a code for each key column. */
interface Selected {
  calls: Calls;
  codes: ReadonlyMap<string, Codes>;
}

type Amounts<L> = L extends Ledger<infer Own> ? Own : never;

/** Amounts by day, with the codes of their keys. */
interface AmountRows<Own> {
  rows: readonly (Own & { day: string })[];
  startsMs: Float64Array;
  codes: Selected["codes"];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The first day of 1970 was a Thursday. */
const DAYS_SINCE_MONDAY = 3;
/** Filters whose calls are kept: the current one, and those of the menus. */
const MAX_KEPT = 16;

/**
 * The calls of the page, as a source of figures. The page knows the local day and hour of a call: it reads them as if
 * they were UTC, and so are the spans that it is asked for.
 */
export class PageCalls {
  readonly #facts: PageFacts;
  readonly #dictionaries = new Map<string, Dictionary>();
  readonly #all: Selected;
  readonly #spend: AmountRows<Amounts<SpendLedger>> | undefined;
  readonly #outcomes: AmountRows<Amounts<OutcomeLedger>> | undefined;
  readonly #kept = new Map<string, Selected>();

  constructor(facts: PageFacts, { rows, columns, values, spend, outcomes }: PageData & { rows: number }) {
    this.#facts = facts;
    const read = (name: string) => columns.get(name) ?? new Uint32Array(rows);
    const codes = new Map<string, Codes>();
    for (const [name, known] of Object.entries(values)) {
      const dictionary = this.#dictionaryOf(name);
      for (const value of known) dictionary.codeOf(value);
      codes.set(name, Int32Array.from(read(name)));
    }
    const firstDay = midnightOf(facts.from) / DAY_MS;
    const weekdays = this.#dictionaryOf("weekday");
    const days = WEEKDAYS.map((weekday) => weekdays.codeOf(weekday));
    const ofDay = (day: number) => days[(firstDay + day + DAYS_SINCE_MONDAY) % days.length] ?? 0;
    codes.set("weekday", Int32Array.from(read("day"), ofDay));
    const hours = this.#dictionaryOf("hour").values.map(Number);
    const hourCodes = read("hour");
    const startsMs = Float64Array.from(
      read("day"),
      (day, row) => (firstDay + day) * DAY_MS + (hours[hourCodes[row] ?? 0] ?? 0) * HOUR_MS,
    );
    const callers = Int32Array.from(read("caller"));
    const calls: Calls = {
      rows,
      marks: Uint8Array.from(read("marks")),
      durations: Int32Array.from(read("duration"), unpackDuration),
      startsMs,
      callers,
      maxCaller: callers.reduce((most, caller) => Math.max(most, caller), 0),
    };
    this.#all = { calls, codes };
    this.#spend = spend && this.#read(spend);
    this.#outcomes = outcomes && this.#read(outcomes);
  }

  #read<Amounts>({ keys, rows }: Ledger<Amounts>): AmountRows<Amounts> {
    const days = rows.map(({ day }) => midnightOf(day));
    const weekdays = this.#dictionaryOf("weekday");
    const ofDay = (ms: number) =>
      weekdays.codeOf(WEEKDAYS[(ms / DAY_MS + DAYS_SINCE_MONDAY) % WEEKDAYS.length] ?? null);
    const codesOf = (name: string, index: number): [string, Codes] => {
      const dictionary = this.#dictionaryOf(name);
      return [name, Int32Array.from(rows, ({ values }) => dictionary.codeOf(values[index] ?? null))];
    };
    return {
      rows,
      startsMs: Float64Array.from(days),
      codes: new Map([...keys.map(codesOf), ["weekday", Int32Array.from(days, ofDay)]]),
    };
  }

  /** Returns what figures of the calls of a filter are computed from. */
  source(filter: PageFilter): FoldSource {
    const selected = this.#select(filter);
    return {
      rules: this.#facts.rules,
      dictionaryOf: ({ name }) => this.#dictionaryOf(name),
      groups: async ({ cells, parts, folding, span, periods }) => {
        const { calls, codes } = within(selected, span);
        const columns = cells.columns.map(({ key }) => codes.get(key.name) ?? new Int32Array(calls.rows));
        const ofPeriods = cells.periods && periodCodes(calls.startsMs, periods ?? [], cells.periods);
        const of = cells.encode(cells.table.encode(columns, calls.rows), ofPeriods);
        const grouping = folding
          ? { of: of.map((cell) => folding.rowOf(cell)), size: folding.size }
          : { of, size: cells.size };
        return finish(groups(calls, grouping, parts));
      },
      spend: (side, cells) =>
        this.#sum(this.#spend, spendFilterOf(filter), { side, cells }, (known, { costMicros, ...own }) =>
          addSpent(known, { ...own, costMicros: BigInt(costMicros) }),
        ),
      outcomes: async (side, cells) =>
        this.#sum(this.#outcomes, filter, { side, cells }, (known, { revenueMicros, ...own }) =>
          addEarned(known, { ...own, revenueMicros: BigInt(revenueMicros) }),
        ),
    };
  }

  /** Counts the days and the rows of spend that a filter leaves; undefined for none. */
  spendDays(filter: PageFilter, span: Span): { count: number; rows: number } | undefined {
    const { rows, indexes } = this.#rowsOf(this.#spend, spendFilterOf(filter), span);
    if (indexes.length === 0) return undefined;
    return { count: new Set(indexes.map((index) => rows[index]?.day)).size, rows: indexes.length };
  }

  #rowsOf<Own>(table: AmountRows<Own> | undefined, filter: PageFilter, { startsAt, endsAt }: Span = {}) {
    if (table === undefined) return { rows: [], indexes: [] };
    const { rows, codes, startsMs } = table;
    const tests = this.#testsOf(filter, codes);
    const [first, end] = [Date.parse(startsAt ?? ""), Date.parse(endsAt ?? "")];
    const isIn = (ms: number) => !(ms < first) && !(ms >= end);
    const indexes = [...rowsThatPass(tests, rows.length)].filter((row) => isIn(startsMs[row] ?? 0));
    return { rows, indexes };
  }

  #sum<Own, Sum>(
    table: AmountRows<Own> | undefined,
    filter: PageFilter,
    { side: { span, periods }, cells }: { side: Side; cells: Cells },
    add: (known: Sum | undefined, row: Own) => Sum,
  ): Map<number, Sum> {
    const { rows, indexes } = this.#rowsOf(table, filter, span);
    const order = Int32Array.from(indexes);
    const columns = cells.columns.map(({ key }) => {
      const own = table?.codes.get(key.name);
      return order.map((row) => own?.[row] ?? 0);
    });
    const startsMs = Float64Array.from(order, (row) => table?.startsMs[row] ?? 0);
    const ofPeriods = cells.periods && periodCodes(startsMs, periods ?? [], cells.periods);
    const of = cells.encode(cells.table.encode(columns, order.length), ofPeriods);
    const found = new Map<number, Sum>();
    for (const [place, index] of indexes.entries()) {
      const row = rows[index];
      const cell = of[place] ?? 0;
      if (row !== undefined) found.set(cell, add(found.get(cell), row));
    }
    return found;
  }

  /** Returns the calls of a filter in a span. */
  within(filter: PageFilter, span: Span): Calls {
    return within(this.#select(filter), span).calls;
  }

  /** Returns the name of what a filter names by its id. */
  labelOf(dimension: Dimension, text: string): string {
    const [name, id] = keyColumns([dimension]);
    if (name === undefined || id === undefined) return text;
    const code = this.#dictionaryOf(id.name).values.findIndex((value) => String(value) === text);
    const row = code < 0 ? undefined : this.#all.codes.get(id.name)?.indexOf(code);
    if (row === undefined || row < 0) return text;
    const value = this.#dictionaryOf(name.name).values[this.#all.codes.get(name.name)?.[row] ?? 0] ?? null;
    return String(showKey(name, value));
  }

  #dictionaryOf(name: string): Dictionary {
    const known = this.#dictionaries.get(name) ?? new Dictionary();
    this.#dictionaries.set(name, known);
    return known;
  }

  #select(filter: PageFilter): Selected {
    const tests = this.#testsOf(filter, this.#all.codes);
    if (tests.length === 0) return this.#all;
    const key = JSON.stringify(filter);
    const known = this.#kept.get(key);
    this.#kept.delete(key);
    const selected = known ?? pick(this.#all, tests);
    this.#kept.set(key, selected);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return selected;
  }

  /** Filters that `export` has, too, follow its rules; of other dimensions values are chosen as shown. */
  #testsOf(filter: PageFilter, codes: Selected["codes"]): Test[] {
    const { exported, others } = exportFilterOf(filter);
    const conditions = toConditions({ ...exported, include_gone: true }, this.#facts.rules, {
      readValues: (fact) => this.#dictionaryOf(columnOf(fact)).values,
    });
    return [
      ...conditions.map((condition) => this.#testOf(condition, codes)),
      ...others.map(([dimension, texts]) => this.#testOfShown(dimension, texts, codes)),
    ];
  }

  #testOf(condition: Condition, codes: Selected["codes"]): Test {
    if ("any" in condition) return condition.any.flatMap((one) => this.#testOf(one, codes));
    if (!("isOneOf" in condition)) throw new Error("The page has no such filter");
    const wanted = new Set(condition.isOneOf);
    return [this.#wantedIn(columnOf(condition.fact), codes, (value) => wanted.has(value))];
  }

  #testOfShown(dimension: Dimension, texts: readonly string[], codes: Selected["codes"]): Test {
    const wanted = new Set(texts);
    const [key] = keyColumns([dimension]);
    if (key === undefined) throw new Error(`${dimension} has no column`);
    return [this.#wantedIn(key.name, codes, (value) => wanted.has(String(showKey(key, value))))];
  }

  #wantedIn(column: string, codes: Selected["codes"], isWanted: (value: FactValue) => boolean): Test[number] {
    const { values } = this.#dictionaryOf(column);
    return { codes: codes.get(column), wanted: Uint8Array.from(values, (value) => Number(isWanted(value))) };
  }
}

/** A row passes if its code is wanted in any of the columns. */
type Test = readonly { codes: Codes | undefined; wanted: Uint8Array }[];

/** Returns the rows that pass all tests, in order. */
function rowsThatPass(tests: readonly Test[], rows: number): Int32Array {
  const isOut = new Uint8Array(rows);
  for (const test of tests) {
    for (let row = 0; row < rows; row++) {
      let passes = 0;
      for (const { codes, wanted } of test) passes |= wanted[codes?.[row] ?? 0] ?? 0;
      if (passes === 0) isOut[row] = 1;
    }
  }
  const found = new Int32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) if (isOut[row] === 0) found[count++] = row;
  return found.subarray(0, count);
}

/** The key column of a fact has its name, or that of its dimension. */
function columnOf(fact: FactColumn): KeyColumn["name"] {
  return fact === "org_unit_name" ? "org_unit" : fact;
}

function pick({ calls, codes }: Selected, tests: readonly Test[]): Selected {
  const order = rowsThatPass(tests, calls.rows);
  const rows = order.length;
  return {
    calls: {
      rows,
      marks: take(calls.marks, order, new Uint8Array(rows)),
      durations: take(calls.durations, order, new Int32Array(rows)),
      startsMs: take(calls.startsMs, order, new Float64Array(rows)),
      callers: take(calls.callers, order, new Int32Array(rows)),
      maxCaller: calls.maxCaller,
    },
    codes: new Map([...codes].map(([name, own]) => [name, take(own, order, new Int32Array(rows))])),
  };
}

/** Copies the numbers of some rows into `taken`. */
function take<Numbers extends Uint8Array | Int32Array | Float64Array>(
  numbers: Numbers,
  order: Int32Array,
  taken: Numbers,
): Numbers {
  for (let at = 0; at < order.length; at++) taken[at] = numbers[order[at] ?? 0] ?? 0;
  return taken;
}

/** Calls are in the order of their days. */
function within({ calls, codes }: Selected, { startsAt, endsAt }: Span = {}): Selected {
  const begin = startsAt === undefined ? 0 : countBefore(calls.startsMs, Date.parse(startsAt));
  const end = endsAt === undefined ? calls.rows : countBefore(calls.startsMs, Date.parse(endsAt));
  const { marks, durations, startsMs, callers, maxCaller } = calls;
  return {
    calls: {
      rows: end - begin,
      marks: marks.subarray(begin, end),
      durations: durations.subarray(begin, end),
      startsMs: startsMs.subarray(begin, end),
      callers: callers.subarray(begin, end),
      maxCaller,
    },
    codes: new Map([...codes].map(([name, own]) => [name, own.subarray(begin, end)])),
  };
}

function countBefore(startsMs: Float64Array, ms: number): number {
  let [low, high] = [0, startsMs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((startsMs[middle] ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

function finish<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}
