export type FactValue = string | number | null;

/** The distinct values of a column, by a code from 0 on. */
export class Dictionary {
  readonly values: FactValue[] = [];
  readonly #codes = new Map<FactValue, number>();

  /** Adds a value that is not known yet. */
  codeOf(value: FactValue): number {
    const known = this.#codes.get(value);
    if (known !== undefined) return known;
    this.#codes.set(value, this.values.length);
    return this.values.push(value) - 1;
  }
}

/** Returns a function that returns the dictionary of a name, a new one when it is first asked for. */
export function namedDictionaries(): (name: string) => Dictionary {
  const all = new Map<string, Dictionary>();
  return (name) => {
    const known = all.get(name) ?? new Dictionary();
    all.set(name, known);
    return known;
  };
}

/** Pairs of codes, by a code from 0 on. */
export class Pairs {
  readonly firsts: number[] = [];
  readonly seconds: number[] = [];
  readonly #codes = new Map<number, number>();
  /** Many calls have the pair of the one before. */
  #last = Number.NaN;
  #lastCode = 0;

  codeOf(first: number, second: number): number {
    const pair = first * 2 ** 26 + second; // a dictionary has fewer values than that
    if (pair === this.#last) return this.#lastCode;
    this.#last = pair;
    this.#lastCode = this.#codes.get(pair) ?? this.#add(pair, first, second);
    return this.#lastCode;
  }

  #add(pair: number, first: number, second: number): number {
    this.#codes.set(pair, this.firsts.length);
    this.seconds.push(second);
    return this.firsts.push(first) - 1;
  }
}
