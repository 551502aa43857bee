import { randomInt } from "node:crypto";
import { UsageError } from "../../base/errors.ts";
import { toInstants } from "../../calendar/dates.ts";
import { HISTORY_DAYS } from "../../calendar/history.ts";
import { localDate } from "../../calendar/local-time.ts";
import type { Job } from "../../export/job.ts";
import { listsOf } from "../../export/job.ts";
import { fingerprintOf, type ManifestFile, settledUntil } from "../../export/manifest.ts";
import { resolveTimeframe } from "../../export/timeframe.ts";
import { type Calls, MARKS } from "../../figures/calls.ts";
import { Cells, type Side } from "../../figures/cells.ts";
import { Dictionary, type FactValue } from "../../figures/dictionary.ts";
import { isLocal, type KeyColumn, keyColumns, SPEND_DIMENSIONS } from "../../figures/dimensions.ts";
import { compareValues } from "../../figures/key-order.ts";
import type { Codes } from "../../figures/key-table.ts";
import type { ZoneOffset } from "../../figures/rollup-query.ts";
import { periodCodes } from "../../figures/time-keys.ts";
import type { Content } from "../../request/contents.ts";
import { EXPLORE_FILE } from "../../request/option-values.ts";
import type { FigureSession } from "../../rollup/figure-session.ts";
import type { SessionSpend } from "../../rollup/session-spend.ts";
import { toExplorePage } from "./explore-page.ts";
import {
  type Ledger,
  type OutcomeLedger,
  type PageData,
  packCalls,
  packDuration,
  type SpendLedger,
} from "./packed-calls.ts";
import type { PageFacts } from "./page-facts.ts";

/** More would make a file that mail and browsers refuse. */
const MAX_CALLS = 250_000;

export async function writeExplore(
  job: Job,
  { dimensions }: Extract<Content, { kind: "explore" }>,
): Promise<ManifestFile[]> {
  const { session } = listsOf(job);
  const { ask, manifest } = job;
  const { timezone } = ask;
  // Days outside of these have no calls, and calls without a start are on no day.
  const { periods: days } = await resolveTimeframe(
    session,
    { ...ask, grain: "day", compare: undefined },
    null,
  );
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined)
    throw new UsageError("Cannot make a page to explore: there are no calls", {
      hint: "Run `calltally sync`, or choose other days or another filter.",
    });
  const range = { from: first.period, to: last.period };
  const span = toInstants(range, timezone);
  const count = await countCalls(session, span);
  if (count > MAX_CALLS)
    throw new UsageError(`Cannot make a page to explore of ${count} calls: the maximum is ${MAX_CALLS}`, {
      hint: "Choose fewer days with --last or --from and --to, or fewer calls with a filter; `calltally report` and `calltally export` have no such limit.",
    });
  const stored = dimensions.filter((dimension) => !isLocal([dimension]));
  const offsets = await session.readOffsets(timezone);
  const keys = keyColumns([...stored, "hour"]);
  const read = await session.columns(keys, { span, offsets });
  const dayOf = periodCodes(read.calls.startsMs, days, new Dictionary());
  const packed = packCalls({
    ...sortCalls(read.calls, [{ name: "day", codes: dayOf, values: undefined }, ...read.keys]),
    spend: job.spend && spendLedger(job.spend, { span, periods: days }),
    outcomes: job.outcomes && (await outcomeLedger(session, { span, periods: days }, { keys, offsets })),
  });
  const described = { contents: "explore", rows: count, sums: sumsOf(read.calls) };
  const { exclude_callers, ...filter } = ask.filter;
  const { duration_unit, qualified_seconds } = session.rules;
  const facts: Omit<PageFacts, "sha256"> = {
    timezone,
    ...range,
    filter,
    excludedCallers: exclude_callers?.length ?? null,
    dimensions: [...stored, "weekday", "hour"],
    rules: { duration_unit, qualified_seconds },
    spend: job.spend && manifest.spend && { form: job.spend.form, described: manifest.spend },
    outcomes: job.outcomes && manifest.outcomes && { form: job.outcomes.form, described: manifest.outcomes },
    warehouse: job.basis,
    ...(await historyOf(session, timezone)),
    settledUntil: settledUntil(manifest.run, job.lookbackHours) ?? null,
    fingerprint: fingerprintOf({ ...manifest, files: [...manifest.files, described] }),
  };
  const page = toExplorePage(facts, packed);
  return [{ ...described, ...(await job.write(EXPLORE_FILE, page)) }];
}

async function countCalls(session: FigureSession, span: ReturnType<typeof toInstants>): Promise<number> {
  const { rows } = await session.rollup({ dimensions: [], figures: [], span });
  return Number([...rows][0]?.[0] ?? 0);
}

function sumsOf({ rows, marks }: Calls): Record<string, number> {
  const marked = (mark: number) => marks.reduce((sum, own) => sum + Number((own & mark) !== 0), 0);
  return { calls: rows, answered_calls: marked(MARKS.answered), missed_calls: marked(MARKS.missed) };
}

/** Returns the days from which on the copy has all calls, and enough calls before. */
async function historyOf(session: FigureSession, zone: string) {
  const first = await session.readFirstStart();
  if (first === null) return { coveredFrom: null, historyFrom: null };
  const history = new Date(Date.parse(first) + HISTORY_DAYS * 86_400_000).toISOString();
  return { coveredFrom: firstDayAfter(first, zone), historyFrom: firstDayAfter(history, zone) };
}

/** Returns the first day that begins at a moment or after it. */
function firstDayAfter(moment: string, zone: string): string {
  const day = localDate(moment, zone);
  const { startsAt = "", endsAt = "" } = toInstants({ from: day, to: day }, zone);
  return startsAt >= moment ? day : localDate(endsAt, zone);
}

interface KeyCodes {
  name: string;
  codes: Codes;
  /** Undefined for numbers. */
  values: readonly FactValue[] | undefined;
}

/** Sorts calls by all that the file has of them, so that their order shows nothing else. */
function sortCalls(
  { rows, marks, durations, callers }: Calls,
  keys: readonly KeyCodes[],
): Pick<PageData, "columns" | "values"> {
  const known: readonly { name: string; codes: ArrayLike<number> }[] = [
    ...keys,
    { name: "marks", codes: marks },
    { name: "duration", codes: Uint32Array.from(durations, packDuration) },
    { name: "caller", codes: shuffleCodes(callers) },
  ];
  const order = new Uint32Array(rows)
    .map((_, row) => row)
    .sort((a, b) => {
      for (const { codes } of known) {
        const difference = (codes[a] ?? 0) - (codes[b] ?? 0);
        if (difference !== 0) return difference;
      }
      return 0;
    });
  const values: Record<string, readonly FactValue[]> = {};
  const columns = new Map(known.map(({ name, codes }) => [name, order.map((row) => codes[row] ?? 0)]));
  for (const { name, values: all } of keys) {
    // The dictionary also has values of calls that are not in the file.
    const used = new Dictionary();
    const codes = columns.get(name)?.map((code) => used.codeOf(all?.[code] ?? null));
    if (all === undefined || codes === undefined) continue;
    columns.set(name, codes);
    values[name] = used.values;
  }
  return { columns, values };
}

function spendLedger(spend: SessionSpend, side: Side): SpendLedger {
  const dictionaries = new Map<string, Dictionary>();
  const dictionaryOf = ({ name }: KeyColumn) => {
    const known = dictionaries.get(name) ?? new Dictionary();
    dictionaries.set(name, known);
    return known;
  };
  const cells = new Cells(keyColumns(SPEND_DIMENSIONS), { dictionaryOf, periods: new Dictionary() });
  const found = spend.byCell(side, cells);
  return ledgerOf(found, cells, ({ costMicros, ...own }) => ({ ...own, costMicros: String(costMicros) }));
}

async function outcomeLedger(
  session: FigureSession,
  side: Side,
  { keys, offsets }: { keys: readonly KeyColumn[]; offsets: readonly ZoneOffset[] },
): Promise<OutcomeLedger> {
  const { cells, earned } = await session.earned(keys, side, offsets);
  return ledgerOf(earned, cells, ({ revenueMicros, ...own }) => ({
    ...own,
    revenueMicros: String(revenueMicros),
  }));
}

function ledgerOf<Sums, Amounts>(
  found: ReadonlyMap<number, Sums>,
  cells: Cells,
  toAmounts: (sums: Sums) => Amounts,
): Ledger<Amounts> {
  const rows = [...found].map(([cell, sums]) => ({
    day: String(cells.periods?.values[cells.periodOf(cell)]),
    values: cells.table.valuesOf(cells.keyOf(cell)),
    ...toAmounts(sums),
  }));
  // So that their order shows nothing else, either.
  const sorted = rows
    .map((row) => ({ row, text: JSON.stringify(row) }))
    .sort((a, b) => compareValues(a.text, b.text));
  return { keys: cells.columns.map(({ key }) => key.name), rows: sorted.map(({ row }) => row) };
}

/** Replaces codes from 1 on by others from 1 on, at random: neither their order nor another file says whose they are. */
function shuffleCodes(codes: Codes): Codes {
  const known = [...new Set(codes)].filter((code) => code !== 0);
  const shuffled = known.map((_, index) => index + 1);
  for (let at = shuffled.length - 1; at > 0; at--) {
    const other = randomInt(at + 1);
    [shuffled[at], shuffled[other]] = [shuffled[other] ?? 0, shuffled[at] ?? 0];
  }
  const codeOf = new Map(known.map((code, index) => [code, shuffled[index] ?? 0]));
  return codes.map((code) => codeOf.get(code) ?? 0);
}
