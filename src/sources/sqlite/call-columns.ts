import { setImmediate } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import type { Span } from "../../base/calendar/dates.ts";
import { namesOf, recordOf } from "../../base/records.ts";
import { OUTCOMES } from "../../calls/facts.ts";
import { type Calls, MARKS, MARKS_OF, NO_DURATION } from "../../figures/calls.ts";
import { type Dictionary, type FactValue, namedDictionaries } from "../../figures/dictionary.ts";
import type { KeyColumn } from "../../figures/dimensions.ts";
import type { Steps } from "../../figures/groups.ts";
import type { Codes } from "../../figures/key-table.ts";
import type { Part } from "../../figures/parts.ts";
import { factText, type SqliteSelection, selectionText } from "./sqlite-calls-sql.ts";

/** A column of calls that figures may need: a key's stored values by their SQL, or what parts are counted from. */
export type Need = "marks" | "duration" | "start" | "caller" | `f.${string}` | `c.${string}`;

export interface CallColumns extends Calls {
  codes: ReadonlyMap<Need, Codes>;
}

const ROWS_PER_STEP = 50_000;
const ROWS_PER_BLOCK = 500;

const NEEDS: Record<Part, readonly Need[]> = {
  ...recordOf(namesOf(MARKS_OF), () => ["marks" as const]),
  calls: [],
  callers: ["caller"],
  duration_sum: ["duration"],
  duration_count: ["duration"],
  duration_median: ["duration"],
  earliest_start: ["start"],
  latest_start: ["start"],
};

export function needsOf(parts: readonly Part[]): Need[] {
  return parts.flatMap((part) => NEEDS[part]);
}

export function needOf({ of }: Pick<KeyColumn, "of">): Need {
  if ("local" in of) return "start";
  return "stored" in of ? `c.${of.stored}` : `f.${of.fact}`;
}

/** Reads columns of calls, and keeps them for further questions on the same span. */
export class ColumnReader {
  readonly #database: Database;
  readonly #signal: AbortSignal | undefined;
  readonly dictionaryOf = namedDictionaries();
  readonly #read = new Map<string, { needs: ReadonlySet<Need>; columns: CallColumns }>();
  readonly #expected = new Set<Need>();

  constructor(database: Database, signal: AbortSignal | undefined) {
    this.#database = database;
    this.#signal = signal;
  }

  /** Takes steps while other work goes on. @throws the signal's reason */
  async run<Result>(steps: Steps<Result>): Promise<Result> {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      await setImmediate();
      this.#signal?.throwIfAborted();
    }
  }

  expect(needs: Iterable<Need>): void {
    for (const need of needs) this.#expected.add(need);
  }

  *read(span: Span, selection: SqliteSelection, needs: Iterable<Need>): Steps<CallColumns> {
    const key = JSON.stringify([
      span.startsAt,
      span.endsAt,
      selection.conditions,
      selection.isGoneCounted,
      selection.facts,
    ]);
    const known = this.#read.get(key);
    const wanted = new Set<Need>(needs);
    if (known && wanted.isSubsetOf(known.needs)) return known.columns;
    const all = wanted.union(this.#expected).union(known?.needs ?? new Set<Need>());
    this.#read.delete(key);
    const columns = yield* this.#scan(span, selection, all);
    this.#read.set(key, { needs: all, columns });
    return columns;
  }

  *#scan(span: Span, selection: SqliteSelection, needs: ReadonlySet<Need>): Steps<CallColumns> {
    const most = this.#countAtMost(span, selection);
    const table = new ColumnTable(most, this.dictionaryOf);
    const columns = [...needs].map((need) => table.column(need, selection));
    const isStored = [...needs].some((need) => need.startsWith("c."));
    const facts = selection.facts ?? "call_facts";
    const from = isStored ? { from: `${facts} AS f JOIN calls AS c ON c.call_id = f.call_id` } : {};
    const sql = columns.length === 0 ? ["1"] : columns.map((column) => column.sql);
    const setters = columns.map(({ set }) => set);
    let row = 0;
    for (const block of this.#blocks(sql, { span, selection, from })) {
      for (const values of block) {
        for (let index = 0; index < setters.length; index++) setters[index]?.(row, values[index] ?? null);
        if (++row % ROWS_PER_STEP === 0) yield;
      }
    }
    return table.finish(row);
  }

  /** Reads a block at a time, unless an index might serve a condition: asking SQLite for each row takes as long as its work. */
  *#blocks(
    columns: readonly string[],
    { span, selection, from }: { span: Span; selection: SqliteSelection; from: { from?: string } },
  ): Generator<Iterable<FactValue[]>> {
    const isJoined = selection.facts !== undefined;
    if (
      isJoined ||
      selection.isGoneCounted ||
      !selection.conditions.every((condition) => "holds" in condition)
    ) {
      const sql = `SELECT ${columns.join(", ")} ${selectionText(span, selection, from)}`;
      yield this.#database.prepare<[], FactValue[]>(sql).raw().iterate();
      return;
    }
    const isInSpan = span.startsAt !== undefined || span.endsAt !== undefined;
    const place = isInSpan ? ["f.call_started", "f.rowid"] : ["f.rowid"];
    const also = [`(${place.join(", ")}) > (${place.map(() => "?").join(", ")})`];
    // The place is the only lower bound: with the start of the span as another, SQLite would begin there in each block.
    const { startsAt = "", ...until } = span;
    const sql = `SELECT ${[...columns, ...place].join(", ")} ${selectionText(until, selection, { ...from, also })}
ORDER BY ${place.join(", ")} LIMIT ${ROWS_PER_BLOCK}`;
    const statement = this.#database.prepare<FactValue[], FactValue[]>(sql).raw();
    let last: FactValue[] | undefined = isInSpan
      ? [startsAt, Number.NEGATIVE_INFINITY]
      : [Number.NEGATIVE_INFINITY];
    while (last !== undefined) {
      const rows: FactValue[][] = statement.all(...last);
      yield rows;
      last = rows[ROWS_PER_BLOCK - 1]?.slice(columns.length);
    }
  }

  #countAtMost(span: Span, { facts }: SqliteSelection): number {
    const sql = `SELECT count(*) ${selectionText(span, { conditions: [], isGoneCounted: true, ...(facts && { facts }) })}`;
    return this.#database.prepare<[], number>(sql).pluck().get() ?? 0;
  }
}

interface ReadColumn {
  sql: string;
  set: (row: number, value: FactValue) => void;
}

/** Columns that are being read. */
class ColumnTable {
  readonly #most: number;
  readonly #dictionaryOf: (name: string) => Dictionary;
  readonly #codes = new Map<Need, Codes>();
  #marks = new Uint8Array();
  #durations = new Int32Array();
  #startsMs = new Float64Array();
  #callers = new Int32Array();
  #maxCaller = 0;

  /** @param most upper bound of the rows; memory beyond the last row is never touched */
  constructor(most: number, dictionaryOf: (name: string) => Dictionary) {
    this.#most = most;
    this.#dictionaryOf = dictionaryOf;
  }

  column(need: Need, selection: SqliteSelection): ReadColumn {
    switch (need) {
      case "marks": {
        const marks = new Uint8Array(this.#most);
        this.#marks = marks;
        const set = (row: number, value: FactValue) => {
          marks[row] = Number(value);
        };
        return { sql: marksText(selection), set };
      }
      case "duration": {
        const durations = new Int32Array(this.#most);
        this.#durations = durations;
        const set = (row: number, value: FactValue) => {
          durations[row] = value === null ? NO_DURATION : Number(value);
        };
        return { sql: "f.duration", set };
      }
      case "start": {
        const startsMs = new Float64Array(this.#most);
        this.#startsMs = startsMs;
        const set = (row: number, value: FactValue) => {
          startsMs[row] = value === null ? Number.NaN : Math.round(Number(value) * 1000);
        };
        return { sql: "unixepoch(f.call_started, 'subsec')", set };
      }
      case "caller": {
        const callers = new Int32Array(this.#most);
        this.#callers = callers;
        const set = (row: number, value: FactValue) => {
          const caller = Number(value);
          callers[row] = caller;
          if (caller > this.#maxCaller) this.#maxCaller = caller;
        };
        return { sql: "coalesce(f.caller_id, 0)", set };
      }
      default: {
        const codes = new Int32Array(this.#most);
        this.#codes.set(need, codes);
        const dictionary = this.#dictionaryOf(need);
        const set = (row: number, value: FactValue) => {
          codes[row] = dictionary.codeOf(value);
        };
        return { sql: need.startsWith("c.") ? `nullif(${need}, '')` : need, set };
      }
    }
  }

  finish(rows: number): CallColumns {
    return {
      rows,
      marks: this.#marks.subarray(0, rows),
      durations: this.#durations.subarray(0, rows),
      startsMs: this.#startsMs.subarray(0, rows),
      callers: this.#callers.subarray(0, rows),
      maxCaller: this.#maxCaller,
      codes: new Map([...this.#codes].map(([need, codes]) => [need, codes.subarray(0, rows)])),
    };
  }
}

function marksText(selection: SqliteSelection): string {
  const outcomes = OUTCOMES.map((outcome) => `${MARKS[outcome]} * (f.outcome = '${outcome}')`);
  const first = `${MARKS.first} * (${factText("is_first_call", selection)})`;
  const inHours = `${MARKS.in_hours} * (f.in_hours IS 'yes')`;
  return [...outcomes, `${MARKS.qualified} * f.is_qualified`, first, inHours].join(" + ");
}
