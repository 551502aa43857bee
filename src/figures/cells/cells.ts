import type { Span } from "../../base/calendar/dates.ts";
import type { LabelledPeriod } from "../../base/calendar/periods.ts";
import { type Dictionary, Pairs } from "../dictionary.ts";
import type { KeyColumn } from "../dimensions.ts";
import { type Codes, KeyTable } from "../key-table.ts";
import type { Part, Parts } from "../parts.ts";
import type { ZoneOffset } from "../rollup-query.ts";

/** One span of time of a rollup. */
export interface Side {
  span: Span;
  periods?: readonly LabelledPeriod[] | undefined;
}

/** The cells that a rollup is computed from, by a code from 0 on: a key, in a period if the rollup has periods. */
export class Cells {
  readonly columns: readonly { key: KeyColumn; dictionary: Dictionary }[];
  readonly offsets: readonly ZoneOffset[];
  readonly table: KeyTable;
  /** A null value is for calls outside of all periods. */
  readonly periods: Dictionary | undefined;
  readonly #pairs = new Pairs();

  constructor(
    keys: readonly KeyColumn[],
    {
      dictionaryOf,
      offsets = [],
      periods,
    }: {
      dictionaryOf: CallSource["dictionaryOf"];
      offsets?: readonly ZoneOffset[] | undefined;
      periods?: Dictionary | undefined;
    },
  ) {
    this.columns = keys.map((key) => ({ key, dictionary: dictionaryOf(key) }));
    this.offsets = offsets;
    this.periods = periods;
    this.table = new KeyTable(this.columns.map(({ dictionary }) => dictionary));
  }

  /** Whether there are neither keys nor periods. */
  get isOne(): boolean {
    return this.columns.length === 0 && this.periods === undefined;
  }

  /** One more than the largest code so far. */
  get size(): number {
    return this.periods === undefined ? this.table.size : this.#pairs.firsts.length;
  }

  /** @param periods codes in {@link Cells.periods} */
  encode(keys: Codes, periods: Codes | undefined): Codes {
    if (periods === undefined) return keys;
    return keys.map((key, row) => this.#pairs.codeOf(key, periods[row] ?? 0));
  }

  codeOf(key: number, period: number): number {
    return this.periods === undefined ? key : this.#pairs.codeOf(key, period);
  }

  keyOf(cell: number): number {
    return this.periods === undefined ? cell : (this.#pairs.firsts[cell] ?? 0);
  }

  periodOf(cell: number): number {
    return this.periods === undefined ? 0 : (this.#pairs.seconds[cell] ?? 0);
  }
}

/** Cells with a row of their own; all others of a period are one row. */
export class Folding {
  readonly cells: Cells;
  readonly #isKept: Uint8Array;
  /** Cells that are found later are not kept. */
  readonly #known: number;

  constructor(cells: Cells, keptCells: Iterable<number>) {
    this.cells = cells;
    this.#known = cells.size;
    this.#isKept = new Uint8Array(this.#known);
    for (const cell of keptCells) this.#isKept[cell] = 1;
  }

  get size(): number {
    return this.#known + (this.cells.periods?.values.length ?? 1);
  }

  *kept(): Generator<number> {
    for (const [cell, isKept] of this.#isKept.entries()) if (isKept === 1) yield cell;
  }

  rowOf(cell: number): number {
    return this.#isKept[cell] === 1 ? cell : this.otherOf(this.cells.periodOf(cell));
  }

  otherOf(period: number): number {
    return this.#known + period;
  }

  /** Whether cells are folded into a row. */
  isOther(row: number): boolean {
    return row >= this.#known;
  }

  periodOf(row: number): number {
    return this.isOther(row) ? row - this.#known : this.cells.periodOf(row);
  }
}

export interface GroupQuestion extends Side {
  cells: Cells;
  parts: readonly Part[];
  /** @default each cell is a row */
  folding?: Folding | undefined;
}

/** Where a rollup's calls come from. */
export interface CallSource {
  dictionaryOf: (key: KeyColumn) => Dictionary;
  /** Returns the parts of each row, and adds the cells it meets to the question's cells. */
  groups: (question: GroupQuestion) => Promise<Parts>;
}
