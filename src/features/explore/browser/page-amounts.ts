import type { Span } from "../../../base/calendar/dates.ts";
import type { Cells, Side } from "../../../figures/cells/cells.ts";
import type { Ledger } from "../packed-calls.ts";
import { dayAt, midnightOf } from "./page-days.ts";
import type { PageFilter } from "./page-filter.ts";
import type { PageKeys } from "./page-keys.ts";
import { boundsOf, type PageRows, pickRows, rowsThatPass, sliceRows } from "./page-rows.ts";

export interface AmountDays {
  rows: number;
  /** Those with an amount. */
  days: { count: number; first: string; last: string };
}

/** Amounts by day and key: spend, or outcomes. */
export class PageAmounts<Own> {
  readonly #keys: PageKeys;
  readonly #ledger: Ledger<Own>["rows"];
  readonly #all: PageRows;

  constructor({ keys: names, rows }: Ledger<Own>, keys: PageKeys) {
    this.#keys = keys;
    this.#ledger = rows;
    const startsMs = Float64Array.from(rows, ({ day }) => midnightOf(day));
    const codes = names.map((name, index): [string, Int32Array] => {
      const dictionary = keys.dictionaryOf(name);
      return [name, Int32Array.from(rows, ({ values }) => dictionary.codeOf(values[index] ?? null))];
    });
    this.#all = {
      rows: rows.length,
      places: Int32Array.from(rows.keys()),
      startsMs,
      codes: new Map([...codes, ["weekday", keys.weekdaysOf(startsMs)]]),
    };
  }

  /** Counts the days and the rows that a filter leaves; undefined for none. */
  count(filter: PageFilter, span: Span): AmountDays | undefined {
    const { rows, startsMs } = this.#select(filter, span);
    const [first, last] = [startsMs[0], startsMs.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    return { rows, days: { count: new Set(startsMs).size, first: dayAt(first), last: dayAt(last) } };
  }

  /** Returns the amounts of the rows that a filter leaves. */
  within(filter: PageFilter, span: Span): Own[] {
    const { places } = this.#select(filter, span);
    return [...places].flatMap((place) => this.#ledger[place] ?? []);
  }

  sum<Sum>(
    filter: PageFilter,
    { span, periods, cells }: Side & { cells: Cells },
    add: (known: Sum | undefined, row: Own) => Sum,
  ): Map<number, Sum> {
    const selected = this.#select(filter, span);
    const sums = new Map<number, Sum>();
    for (const [row, cell] of this.#keys.cellsOf(selected, cells, periods).entries()) {
      const amounts = this.#ledger[selected.places[row] ?? 0];
      if (amounts !== undefined) sums.set(cell, add(sums.get(cell), amounts));
    }
    return sums;
  }

  #select(filter: PageFilter, span: Span): PageRows {
    const tests = this.#keys.testsOf(filter, this.#all.codes);
    const picked = pickRows(this.#all, rowsThatPass(tests, this.#all.rows));
    return sliceRows(picked, ...boundsOf(picked, span));
  }
}
