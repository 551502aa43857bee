import type { CsvLine } from "../base/text/csv-text.ts";
import { isCurrency, MICROS } from "../base/text/currency.ts";
import { remember } from "../calls/attribution/remember.ts";
import {
  type DecimalSign,
  isAmbiguous,
  isNothing,
  type NumberText,
  signsOfAmount,
  signsOfWhole,
  toMicros,
  toNumberText,
} from "./amount-text.ts";
import type { Columns, FieldOf, FieldOfKind, FoundColumns } from "./columns.ts";
import { type DayOrder, toDay } from "./day-text.ts";
import { readId } from "./id-text.ts";
import { type MomentText, orMeantDate, readMoment, type TimeText } from "./moment-text.ts";
import { quote, Unreadable } from "./unreadable.ts";

/** How a file writes dates and numbers; undefined where no line shows it. */
export interface Spelling {
  order: DayOrder | undefined;
  sign: DecimalSign | undefined;
}

const UNKNOWN: Spelling = { order: undefined, sign: undefined };

const readNumber = remember(toNumberText);

/** The cells of one line, read by field. */
export class Cells<C extends Columns> {
  readonly #kinds: C;
  readonly #columns: FoundColumns<FieldOf<C>>;
  readonly #spelling: Spelling;
  #line: CsvLine = { line: 0, cells: [] };

  constructor(kinds: C, columns: FoundColumns<FieldOf<C>>, spelling: Spelling = UNKNOWN) {
    this.#kinds = kinds;
    this.#columns = columns;
    this.#spelling = spelling;
  }

  /** Moves to another line. */
  at(line: CsvLine): this {
    this.#line = line;
    return this;
  }

  /** From 1 on. */
  get line(): number {
    return this.#line.line;
  }

  hasColumn(field: FieldOf<C>): boolean {
    return this.#columns.indexes.has(field);
  }

  /** The first filled cell of the line, whichever column it is in. */
  label(): string {
    return this.#line.cells.find((cell) => !isNothing(cell)) ?? "";
  }

  countFilled(): number {
    return this.#line.cells.filter((cell) => !isNothing(cell)).length;
  }

  all(): readonly string[] {
    return this.#line.cells;
  }

  /** Returns the trimmed text as written; empty for none. */
  text(field: FieldOf<C>): string {
    return this.#line.cells[this.#columns.indexes.get(field)?.[0] ?? -1]?.trim() ?? "";
  }

  /** Returns the texts of all columns of a field that have one. */
  texts(field: FieldOf<C>): string[] {
    const places = this.#columns.indexes.get(field) ?? [];
    return places.map((place) => this.#line.cells[place]?.trim() ?? "").filter((text) => !isNothing(text));
  }

  /** Whether there is nothing, or a placeholder such as `--`. */
  isNothing(field: FieldOf<C>): boolean {
    return isNothing(this.text(field));
  }

  /** @throws Unreadable for an id that a spreadsheet has shortened */
  id(field: FieldOfKind<C, "id">, name: string): string | null {
    const text = this.text(field);
    if (isNothing(text)) return null;
    const id = readId(text);
    if (id !== undefined) return id;
    throw new Unreadable(
      `the ${name} ${quote(text)} was shortened by a spreadsheet: export the file again, and do not save it there`,
    );
  }

  /** Parses a day and a time, without the file's order of days and months; undefined for other text. */
  momentText(field: FieldOf<C>): MomentText | undefined {
    const moment = readMoment(this.text(field));
    // Part of a day is not a day.
    return moment?.time && moment.time.ms !== 0 && this.#kinds[field] === "day" ? undefined : moment;
  }

  /** @throws Unreadable for text that is no date */
  moment(field: FieldOfKind<C, "day" | "moment">): { day: string; time: TimeText | undefined } | null {
    const moment = this.momentText(field);
    if (moment === undefined) {
      const text = this.text(field);
      const kind = this.#kinds[field] === "day" ? "day" : "date";
      throw new Unreadable(`${quote(text)} is not a ${kind}${orMeantDate(text)}`);
    }
    if (moment.day === null) return null;
    const { order = "mdy" } = this.#spelling;
    const day = toDay(moment.day, order);
    if (day === undefined)
      throw new Unreadable(`its date is invalid with the ${order === "mdy" ? "month" : "day"} first`);
    return { day, time: moment.time };
  }

  /** @param name for the reason, such as "the cost" @throws Unreadable */
  micros(field: FieldOfKind<C, "amount">, name: string): number | null {
    const number = this.#number(field, (text) => `${name} ${quote(text)} is not a number`);
    if (number === null) return null;
    const micros = this.#toMicros(number);
    if (Number.isNaN(micros))
      throw new Unreadable(
        `${name} ${quote(number.body)} is not a number in this file's format, or too long`,
      );
    return micros;
  }

  /** @param name of what is counted @throws Unreadable */
  count(field: FieldOfKind<C, "count">, name: string): number | null {
    const number = this.#number(field, (text) => `${quote(text)} is not a number of ${name}`);
    if (number === null) return null;
    const count = this.#toMicros(number) / MICROS;
    if (Number.isInteger(count) && count >= 0) return count;
    throw new Unreadable("clicks or impressions are not whole numbers");
  }

  #number(field: FieldOf<C>, reason: (text: string) => string): NumberText | null {
    const text = this.text(field);
    if (isNothing(text)) return null;
    const number = readNumber(text);
    if (number === undefined) throw new Unreadable(reason(text));
    return number;
  }

  #toMicros(number: NumberText): number {
    const { sign } = this.#spelling;
    if (sign === undefined && isAmbiguous(number))
      throw new Unreadable(
        `${quote(number.body)} may be thousands or decimals: pass --decimal point or comma`,
      );
    return toMicros(number, sign ?? "point");
  }

  /** Returns the currency of the line's amount, by its cell, the amount's header and the amount. @throws Unreadable */
  currency(field: FieldOfKind<C, "currency">, amount: FieldOfKind<C, "amount">): string | null {
    const text = this.text(field);
    const code = isNothing(text) ? null : text.toUpperCase();
    if (code !== null && !isCurrency(code)) throw new Unreadable(`${quote(text)} is not a currency`);
    const ofAmount = readNumber(this.text(amount))?.currency;
    const named = [code, this.#columns.currency, ofAmount].filter((each) => each != null);
    const [first, other] = new Set(named);
    if (other !== undefined) throw new Unreadable(`the currencies ${first} and ${other} in one row`);
    return first ?? null;
  }

  /** Returns the signs by which the number of a field can be read; undefined for none. @param currency of an amount */
  signs(field: FieldOf<C>, currency: string | null): DecimalSign[] | undefined {
    const text = this.text(field);
    const number = isNothing(text) ? undefined : readNumber(text);
    if (number === undefined) return undefined;
    return this.#kinds[field] === "count" ? signsOfWhole(number) : signsOfAmount(number, currency);
  }
}
