import { COMPARISON_COLUMNS, chanceName, PERIOD_ON_PERIOD } from "../base/calendar/grain.ts";
import { UsageError } from "../base/errors.ts";
import type { Content } from "../config/request/contents.ts";
import { type Ask, nameFile } from "../config/request/resolve.ts";
import { figuresToCompare, ratesAmong } from "../figures/compared-rates.ts";
import { areOfSpend, isLocal, keyColumns } from "../figures/dimensions.ts";
import { FIGURES, FIRST_CALL_FIGURES, SPEND_FIGURES, TIME_FIGURES } from "../figures/metrics.ts";
import { TOTAL, WITH_SPEND } from "../figures/reserved-keys.ts";
import type { RollupColumn, RollupQuery } from "../figures/rollup-query.ts";
import type { FigureSession, Row } from "../sources/figure-session.ts";
import { chanceReader, shownChange } from "./change-columns.ts";
import { costTest } from "./described-spend.ts";
import type { ExportJob } from "./job.ts";
import type { ManifestFile, TableEntry } from "./manifest.ts";
import { has } from "./statements/statements.ts";
import type { Column, Table, TotalRow, Value } from "./table.ts";
import type { Counterpart, Timeframe } from "./timeframe.ts";
import { addVersus, type ComparedRows, compareRows } from "./versus.ts";
import { watchWeeks } from "./weeks-of-range.ts";

/** `2026-W43` and `2026-10` are no dates for a spreadsheet or a database. */
const PERIOD_START = "period_start";

const MAX_FILLED_ROWS = 2_000_000;

export async function writeRollup(
  job: ExportJob,
  { dimensions }: Extract<Content, { kind: "rollup" }>,
): Promise<ManifestFile[]> {
  const { ask, timeframe, session } = job;
  const spend = areOfSpend(dimensions) ? job.spend : undefined;
  const { raw, fill, top, minCell, format } = ask;
  const { span, grain, periods, compared } = timeframe;
  const hasTotal = ask.total && (dimensions.length > 0 || grain !== undefined); // one row of everything is its own total
  const isSplit = hasTotal && dimensions.length > 0 && spend !== undefined;
  const query: RollupQuery = {
    dimensions,
    raw,
    fill,
    top,
    minCell,
    figures: figuresOf(ask),
    offsets: isLocal(dimensions) ? await session.readOffsets(timeframe.timezone) : undefined,
    span,
    spend: spend?.form,
    outcomes: job.outcomes?.form,
    periods: grain && periods,
    compared: compared.map(({ as, span, periods, isUnreached }) => ({
      ...{ as, span, isUnreached },
      periods: grain && periods,
    })),
  };
  const keys = fill || top !== undefined ? await session.countKeys(query) : { shown: 0, folded: 0 };
  if (fill) assertFillable(keys.shown, periods.length, ask.spell);
  const others: Row[] = [];
  const { columns, rows } = await session.rollup(query, (row) => others.push(row));
  const blank = blankUnknown(columns, {
    compared,
    isFirstLoad: has(job.manifest.statements, "first_load"),
    costTestOf: (counterpart) => (spend ? costTest(spend, timeframe, counterpart) : () => false),
  });
  const callsAt = columns.findIndex(({ name }) => name === "calls");
  const [name, contents] = [dimensions.join("-"), dimensions.join()];
  const file = nameFile(name, format);
  const shown = chooseColumns(columns, ask.columns);
  const entry: RollupEntry = {
    contents,
    rows: 0,
    sums: sumsOf(shown),
    ...(hasTotal && ({ total_line: true } as const)),
    ...(isSplit && ({ with_spend_line: true } as const)),
    ...(spend !== job.spend && ({ without_costs: true } as const)),
    ...(top !== undefined && { top, keys_in_other: keys.folded }),
    ...(minCell !== undefined && {
      min_cell: minCell,
      rows_in_other: await session.countSmallCells({ ...query, minCell }),
      calls_in_other: 0,
      blank_rows: 0,
    }),
  };
  const counting = count(Iterator.from(rows).map(blank), columns, { entry, callsAt, others });
  const { rows: counted, versus } = compareWithRow(columns, counting, ask);
  if (versus) entry.versus = versus.described;
  const totals = [
    ...(hasTotal ? [await readTotal(session, query, "total")] : []),
    ...(isSplit ? [await readTotal(session, query, "with_spend")] : []),
  ];
  const all = { columns, rows: counted, totals: mapTotals(totals, (row) => blank(blankSteps(columns, row))) };
  const picked = pickColumns(all, shown);
  const outlet = { file, contents, query, columns: shown };
  await watchWeeks(job, outlet);
  const table = { ...picked, rows: job.remembered?.watch(outlet, picked.rows) ?? picked.rows };
  const judged = ask.chance ? withChance(table, compared) : table;
  const detailed = grain ? withPeriodDetails(judged, timeframe) : judged;
  return await job.table({
    ...(versus ? addVersus(detailed, versus) : detailed),
    name,
    audience: "shared",
    entry,
  });
}

type RollupEntry = TableEntry & { sums: Record<string, number> };

/** Returns a sum of 0 for each column that adds up. */
function sumsOf(columns: readonly RollupColumn[]): RollupEntry["sums"] {
  return Object.fromEntries(columns.flatMap(({ name, isAdditive }) => (isAdditive ? [[name, 0]] : [])));
}

/** Compares all rows with one of them, if that was asked for; they are all held in memory then. */
function compareWithRow(
  columns: readonly RollupColumn[],
  rows: Iterable<readonly Value[]>,
  { versus, columns: figures, grain, spell }: Ask,
): { rows: Iterable<readonly Value[]>; versus?: ComparedRows } {
  if (versus === undefined) return { rows };
  const all = [...rows];
  const options = { versus, rates: ratesAmong(figures), hasPeriods: grain !== undefined, spell };
  return { rows: all, versus: compareRows(columns, all, options) };
}

/**
 * Returns the figures to read. With share-safe files, a row's first and last start are left out: they belong to a
 * single call.
 */
function figuresOf({ columns, minCell, versus }: Ask): readonly string[] | undefined {
  const read = versus === undefined ? columns : columns && [...columns, ...figuresToCompare(columns)];
  if (minCell === undefined) return read;
  return (read ?? FIGURES).filter((name) => !TIME_FIGURES.includes(name));
}

/** Returns the key columns, and the requested figures with their comparisons, in the requested order. */
export function chooseColumns(
  columns: readonly RollupColumn[],
  names: readonly string[] | undefined,
): readonly RollupColumn[] {
  if (names === undefined) return columns;
  return [
    ...columns.filter(({ isKey }) => isKey),
    ...names.flatMap((name) =>
      columns.filter((column) => column.name === name || column.comparison?.of === name),
    ),
  ];
}

export function pickColumns({ columns, rows, totals }: Table, shown: readonly RollupColumn[]): Table {
  if (shown === columns) return { columns, rows, totals };
  const indexes = shown.map((column) => columns.indexOf(column));
  const pick = (row: readonly Value[]) => indexes.map((index) => row[index] ?? null);
  return { columns: shown, rows: Iterator.from(rows).map(pick), totals: mapTotals(totals, pick) };
}

/** Returns a function that blanks figures which the copy cannot know: readers would take them for known. */
export function blankUnknown(
  columns: readonly Column[],
  known: {
    compared: readonly Counterpart[];
    isFirstLoad: boolean;
    /** Returns a function that says whether costs of a period can be compared with those of the counterpart. */
    costTestOf: (counterpart: Counterpart) => (period: Value) => boolean;
  },
) {
  const { compared, isFirstLoad, costTestOf } = known;
  const sides = new Map(compared.map((each) => [each.as, { ...each, hasCost: costTestOf(each) }]));
  const always = () => true;
  const blankTests = columns.map(({ name, comparison }): ((period: Value) => boolean) | undefined => {
    const figure = comparison?.of ?? name;
    const isOfFirstCalls = FIRST_CALL_FIGURES.has(figure);
    if (isOfFirstCalls && isFirstLoad) return always;
    if (comparison === undefined) return undefined;
    const side = sides.get(comparison.as);
    const isKnown = side?.isCovered && !side.isUnreached;
    if (!isKnown || (isOfFirstCalls && !side.hasHistory)) return always;
    return SPEND_FIGURES.includes(figure) ? (period) => !side.hasCost(period) : undefined;
  });
  if (blankTests.every((test) => test === undefined)) return (row: readonly Value[]) => row;
  return (row: readonly Value[]) =>
    row.map((value, index) => (blankTests[index]?.(row[0] ?? null) ? null : value));
}

/** Blanks in a total what compares periods: all of them have no one period before. */
function blankSteps(columns: readonly Column[], row: readonly Value[]): readonly Value[] {
  return row.map((value, index) => (columns[index]?.comparison?.as === PERIOD_ON_PERIOD ? null : value));
}

/** Adds to each change whether it is within chance. */
export function withChance({ columns, rows, totals }: Table, compared: readonly Counterpart[]): Table {
  const isWithin = chanceReader(columns, compared);
  const judged = columns.map((column) => (shownChange(column) ? column.comparison : undefined));
  const addTo = (row: readonly Value[]) =>
    row.flatMap((value, index) => {
      const comparison = judged[index];
      if (comparison === undefined) return [value];
      const verdict = isWithin(row, comparison);
      return [value, verdict === null ? null : Number(verdict)];
    });
  return {
    columns: columns.flatMap((column, index): Column[] => {
      const comparison = judged[index];
      if (comparison === undefined) return [column];
      const { of, as } = comparison;
      return [
        column,
        { name: chanceName(of, as), type: "boolean", comparison: { of, as, shows: "within chance" } },
      ];
    }),
    rows: Iterator.from(rows).map(addTo),
    totals: mapTotals(totals, addTo),
  };
}

/** Adds each period's first day and the period it is compared with; null for calls in no period, and for the total. */
function withPeriodDetails(
  { columns: [period, ...columns], rows, totals }: Table,
  { periods, compared }: Pick<Timeframe, "periods" | "compared">,
): Table {
  const details: { column: RollupColumn | Column; values: ReadonlyMap<Value, string> }[] = [
    {
      column: { name: PERIOD_START, type: "date", isKey: true },
      values: new Map(periods.map(({ period, firstDay }) => [period, firstDay])),
    },
    ...compared.map((counterpart) => ({
      column: { name: COMPARISON_COLUMNS[counterpart.as].period, type: "text", isKey: true } as const,
      values: new Map(counterpart.periods.map(({ period, previous }) => [period, previous])),
    })),
  ];
  const addTo = ([period = null, ...cells]: readonly Value[]) => [
    period,
    ...details.map(({ values }) => values.get(period) ?? null),
    ...cells,
  ];
  return {
    columns: [...(period ? [period] : []), ...details.map(({ column }) => column), ...columns],
    rows: Iterator.from(rows).map(addTo),
    totals: mapTotals(totals, addTo),
  };
}

function mapTotals(totals: Table["totals"], map: (row: readonly Value[]) => readonly Value[]): TotalRow[] {
  return (totals ?? []).map(({ kind, values }) => ({ kind, values: map(values) }));
}

/** A row for every click and day would fill the memory before the disk. */
function assertFillable(keys: number, periods: number, spell: Ask["spell"]): void {
  if (keys * periods <= MAX_FILLED_ROWS) return;
  throw new UsageError(
    `${spell("fill")} would write ${keys * periods} rows: ${keys} keys in ${periods} periods; the maximum is ${MAX_FILLED_ROWS}`,
    { hint: "Use a shorter period, a coarser grain, or fewer dimensions." },
  );
}

function* count(
  rows: Iterable<readonly Value[]>,
  columns: readonly RollupColumn[],
  {
    entry,
    callsAt,
    others,
  }: {
    entry: RollupEntry;
    callsAt: number;
    /** Has the rows of what is folded once all rows were read. */
    others: readonly Row[];
  },
): Generator<readonly Value[]> {
  const summed = columns.flatMap(({ name, decimals = 0 }, index) =>
    name in entry.sums ? [{ name, index, decimals }] : [],
  );
  for (const row of rows) {
    entry.rows++;
    for (const { name, index, decimals } of summed) {
      // Seconds may have milliseconds, and amounts cents; further digits of a sum are rounding errors.
      const sum = (entry.sums[name] ?? 0) + Number(row[index]);
      entry.sums[name] = Math.round(sum * 10 ** decimals) / 10 ** decimals;
    }
    if (entry.blank_rows !== undefined && row[callsAt] === null) entry.blank_rows++;
    yield row;
  }
  if (entry.calls_in_other !== undefined)
    entry.calls_in_other = others.reduce((sum, row) => sum + Number(row[callsAt]), 0);
}

async function readTotal(
  session: FigureSession,
  query: RollupQuery,
  kind: TotalRow["kind"],
): Promise<TotalRow> {
  const keys = keyColumns(query.dimensions).length + (query.periods ? 1 : 0);
  const isWithSpend = kind === "with_spend";
  const [figures = []] = (await session.total({ ...query, isWithSpend })).rows;
  const name = isWithSpend ? WITH_SPEND : TOTAL;
  return { kind, values: [name, ...Array.from({ length: keys - 1 }, () => null), ...figures] };
}
