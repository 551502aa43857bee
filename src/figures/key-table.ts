import { type Dictionary, type FactValue, Pairs } from "./dictionary.ts";

/** A code for each row. */
export type Codes = Int32Array;

/** The combinations of some columns' values that occur, by a code from 0 on. */
export class KeyTable {
  readonly columns: readonly Dictionary[];
  /** The combinations of the first two columns, of these and the third, and so on. */
  readonly #steps: readonly Pairs[];

  constructor(columns: readonly Dictionary[]) {
    this.columns = columns;
    this.#steps = columns.slice(1).map(() => new Pairs());
  }

  /** One more than the largest code so far. */
  get size(): number {
    const last = this.#steps.at(-1);
    return last?.firsts.length ?? this.columns[0]?.values.length ?? 1;
  }

  /** @param columns the codes of the rows' values by column, in its dictionary */
  encode(columns: readonly Codes[], rows: number): Codes {
    const [first = new Int32Array(rows), ...others] = columns;
    return others.reduce((codes, second, index) => {
      const pairs = this.#step(index);
      return codes.map((code, row) => pairs.codeOf(code, second[row] ?? 0));
    }, first);
  }

  codeOf(values: readonly FactValue[]): number {
    const codes = this.columns.map((column, index) => column.codeOf(values[index] ?? null));
    const [first = 0, ...others] = codes;
    return others.reduce((code, second, index) => this.#step(index).codeOf(code, second), first);
  }

  /** Returns the code of a combination's value in a column. */
  codeAt(code: number, column: number): number {
    let prefix = code;
    for (let index = this.#steps.length; index > column; index--)
      prefix = this.#step(index - 1).firsts[prefix] ?? 0;
    return column === 0 ? prefix : (this.#step(column - 1).seconds[prefix] ?? 0);
  }

  valuesOf(code: number): FactValue[] {
    return this.columns.map(({ values }, column) => values[this.codeAt(code, column)] ?? null);
  }

  #step(index: number): Pairs {
    const step = this.#steps[index];
    if (step === undefined) throw new Error("A key has more columns than its table");
    return step;
  }
}
