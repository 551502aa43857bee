import { isShareWithinChance, type Share, WITHIN_CHANCE } from "../base/chance.ts";
import { UsageError } from "../base/errors.ts";
import { askFor, similar } from "../base/text/nearest.ts";
import type { Ask } from "../config/request/resolve.ts";
import type { ComparedRate } from "../figures/compared-rates.ts";
import { CHANGE_DECIMALS, changeOf } from "../figures/comparison.ts";
import { divideRounded } from "../figures/rounding.ts";
import type { TableEntry } from "./manifest.ts";
import type { Column, Table, TotalRow, Value } from "./table.ts";

type Row = readonly Value[];

const WITHIN = "within chance";
const BEYOND = "beyond chance";

const SHARE = { type: "decimal", decimals: CHANGE_DECIMALS, isShare: true } as const;

export interface ComparedRows {
  /** The columns to add at the end. */
  columns: readonly Column[];
  /** Their values, in the order of the rows. */
  rows: readonly Row[];
  described: NonNullable<TableEntry["versus"]>;
}

interface CompareOptions {
  /** The key or the id of the row to compare with. */
  versus: string;
  /** Whether each row is compared with the named one of its period. */
  hasPeriods: boolean;
  rates: readonly ComparedRate[];
  spell: Ask["spell"];
}

/**
 * Compares the rates of each row with those of a named row, by Fisher's exact test. Counts are not compared: they have no
 * common measure, such as days or visitors.
 * @throws UsageError if no row has the name, or several of one period
 */
export function compareRows(
  columns: readonly Column[],
  rows: readonly Row[],
  { rates, ...options }: CompareOptions,
): ComparedRows {
  const names = new Set(columns.map(({ name }) => name));
  const tested = rates.filter(({ part, whole }) => names.has(part) && names.has(whole));
  const findOther = otherFinder(columns, rows, options);
  const readers = tested.map((rate) => shareReader(rate, columns));
  const tests = rows.map((row) => {
    const other = findOther(row);
    return readers.map((read) => {
      const before = other === undefined || other === row ? undefined : read(other);
      return { now: read(row), before };
    });
  });
  const comparisons = tests.flat().filter(({ now, before }) => now && before).length;
  const words = tests.map((row) => row.map((test) => judge(test, comparisons)));
  const judged = words.flat().filter((each) => each !== null);
  return {
    columns: tested.flatMap((rate) => columnsOf(rate, names)),
    rows: tests.map((row, index) =>
      row.flatMap(({ now, before }, place) => [
        ...(names.has(tested[place]?.name ?? "") ? [] : [rateOf(now)]),
        changeOf(SHARE, rateOf(now), rateOf(before)),
        words[index]?.[place] ?? null,
      ]),
    ),
    described: {
      row: options.versus,
      comparisons,
      beyond_chance: judged.filter((each) => each !== WITHIN).length,
      beyond_chance_among_all: judged.filter((each) => each !== WITHIN && each !== BEYOND).length,
    },
  };
}

/** Adds the columns of a comparison; a total has none, because the row compared with is part of it. */
export function addVersus({ columns, rows, totals = [] }: Table, versus: ComparedRows): Table {
  const none = versus.columns.map(() => null);
  return {
    columns: [...columns, ...versus.columns],
    rows: Iterator.from(rows).map((row, index) => [...row, ...(versus.rows[index] ?? none)]),
    totals: totals.map(({ kind, values }): TotalRow => ({ kind, values: [...values, ...none] })),
  };
}

/** Returns a function to the row that a row is compared with. */
function otherFinder(
  columns: readonly Column[],
  rows: readonly Row[],
  { versus, hasPeriods, spell }: Omit<CompareOptions, "rates">,
): (row: Row) => Row | undefined {
  const first = hasPeriods ? 1 : 0;
  const keys = columns.flatMap(({ isKey }, index) => (isKey && index >= first ? [index] : []));
  const named = rows.filter((row) =>
    keys.some((index) => row[index] !== null && String(row[index]) === versus),
  );
  const periodOf = (row: Row) => (hasPeriods ? (row[0] ?? null) : null);
  const byPeriod = new Map(named.map((row) => [periodOf(row), row]));
  if (named.length === 0) {
    const shown = [...new Set(rows.map((row) => String(row[first])))];
    throw new UsageError(`Cannot compare with ${spell("versus")} ${versus}: no row has this name`, {
      hint: askFor(similar(versus, shown)) ?? "Name a row as the file shows it, or by its id.",
      option: "versus",
    });
  }
  if (byPeriod.size < named.length) {
    throw new UsageError(`Cannot compare with ${spell("versus")} ${versus}: several rows have this name`, {
      hint: "Name one of them by its id.",
      option: "versus",
    });
  }
  return (row) => byPeriod.get(periodOf(row));
}

function shareReader({ part, whole }: ComparedRate, columns: readonly Column[]) {
  const placeOf = (figure: string) => columns.findIndex(({ name }) => name === figure);
  const [partAt, wholeAt] = [placeOf(part), placeOf(whole)];
  return (row: Row): Share | undefined => {
    const [count, calls] = [row[partAt], row[wholeAt]];
    if (typeof count !== "number" || typeof calls !== "number" || calls === 0) return undefined;
    return { part: count, whole: calls };
  };
}

function rateOf(share: Share | undefined): number | null {
  return share ? divideRounded(share.part, share.whole, CHANGE_DECIMALS) : null;
}

/** Says whether chance alone may explain a difference. Of twenty comparisons, one is beyond chance by chance. */
function judge(
  { now, before }: { now: Share | undefined; before: Share | undefined },
  comparisons: number,
): string | null {
  if (now === undefined || before === undefined) return null;
  if (isShareWithinChance(now, before)) return WITHIN;
  const isLikelyAmongAll = isShareWithinChance(now, before, WITHIN_CHANCE / comparisons);
  return comparisons === 1 || isLikelyAmongAll ? BEYOND : `${BEYOND}, even among ${comparisons}`;
}

function columnsOf({ name, help }: ComparedRate, names: ReadonlySet<string>): Column[] {
  return [
    ...(names.has(name) ? [] : [{ ...SHARE, name, help }]),
    {
      ...SHARE,
      name: `${name}_versus`,
      help: "Difference from the rate of the row compared with: 0.05 is 55 % instead of 50 %.",
    },
    {
      name: `${name}_versus_chance`,
      type: "text",
      help: `${WITHIN}: chance alone may explain the difference. ${BEYOND}: it hardly can. Even among n: also with n comparisons.`,
    },
  ];
}
