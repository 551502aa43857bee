import type { Span } from "../../base/calendar/dates.ts";
import type { LabelledPeriod } from "../../base/calendar/periods.ts";
import { UsageError } from "../../base/errors.ts";
import { type ExportJob, listsOf } from "../../export/job.ts";
import type { ManifestFile } from "../../export/manifest.ts";
import { MARKS } from "../../figures/calls.ts";
import { Dictionary } from "../../figures/dictionary.ts";
import { type Dimension, keyColumns } from "../../figures/dimensions.ts";
import { periodCodes } from "../../figures/time-keys.ts";
import { groupCalls } from "./group-calls.ts";
import { CALL_ID, listCalls } from "./list-calls.ts";
import { packCalls } from "./packed-calls.ts";
import { outcomeLedger, sortCalls, spendLedger, withPageValues } from "./page-data.ts";
import type { ListedColumn } from "./page-facts.ts";

/** More would make a file that mail and browsers refuse. */
const MAX_CALLS = 250_000;
/** The list doubles the file, and takes three times as long to make. */
const MAX_LISTED = 100_000;

interface PackedPage {
  packed: Uint8Array;
  described: Pick<ManifestFile, "contents" | "rows" | "sums" | "min_cell">;
  /** The columns of the list of calls. */
  listed?: readonly ListedColumn[] | undefined;
}

/** Days in order, each with its name, and their span. */
interface Days {
  span: Span;
  periods: readonly LabelledPeriod[];
}

type Pack = (job: ExportJob, dimensions: readonly Dimension[], days: Days) => Promise<PackedPage>;

/** Packs a line for each call. */
export const packLines: Pack = async (job, dimensions, { span, periods }) => {
  const { session } = listsOf(job);
  const { ask } = job;
  const { rows } = await session.rollup({ dimensions: [], figures: [], span });
  assertMost(job, Number([...rows][0]?.[0] ?? 0), ask.rows ? MAX_LISTED : MAX_CALLS);
  const offsets = await session.readOffsets(ask.timezone);
  const keys = keyColumns([...dimensions, "hour"]);
  const { calls, keys: codes } = await session.columns(ask.rows ? [CALL_ID, ...keys] : keys, {
    span,
    offsets,
  });
  const [ids] = ask.rows ? codes.splice(0, 1) : [];
  const listed = ids && listCalls(job, span, ids);
  const ofDays = periodCodes(calls.startsMs, periods, new Dictionary());
  const packed = packCalls({
    // Listed calls are in the order of their times.
    ...sortCalls(calls, [
      { name: "day", codes: ofDays, values: undefined },
      ...(listed?.codes ?? []),
      ...withPageValues(codes),
    ]),
    spend: job.spend && spendLedger(job.spend, { span, periods }),
    outcomes: job.outcomes && (await outcomeLedger(session, { span, periods }, { keys, offsets })),
  });
  const marked = (mark: number) => calls.marks.reduce((sum, marks) => sum + Number((marks & mark) !== 0), 0);
  const sums = {
    calls: calls.rows,
    answered_calls: marked(MARKS.answered),
    missed_calls: marked(MARKS.missed),
  };
  return { packed, described: { contents: "explore", rows: calls.rows, sums }, listed: listed?.columns };
};

/** Packs groups of calls, none of them small. */
export const packGroups: Pack = async (job, dimensions, { span, periods }) => {
  const { session } = listsOf(job);
  const { minCell = 1 } = job.ask;
  const keys = keyColumns(dimensions);
  const { calls, keys: codes } = await session.columns(keys, { span, offsets: [] });
  const ofDays = periodCodes(calls.startsMs, periods, new Dictionary());
  const { columns, values, groups, sums } = groupCalls(calls, {
    keys,
    codes: withPageValues(codes),
    ofDays,
    minCell,
  });
  assertMost(job, groups, MAX_CALLS);
  const { calls: all = 0, answered_calls = 0, missed_calls = 0 } = sums;
  return {
    packed: packCalls({ columns, values, spend: undefined, outcomes: undefined }),
    described: {
      contents: "explore",
      rows: groups,
      min_cell: minCell,
      sums: { calls: all, answered_calls, missed_calls },
    },
  };
};

/** @throws UsageError for more lines than a page can hold */
function assertMost({ ask: { rows, minCell, spell } }: ExportJob, count: number, most: number): void {
  if (count <= most) return;
  const what = minCell === undefined ? "calls" : "groups of calls";
  const fewer =
    minCell === undefined
      ? rows
        ? `leave out ${spell("rows")}`
        : `group calls with ${spell("min_cell")}`
      : "name fewer dimensions";
  throw new UsageError(
    `Cannot make a page to explore ${rows ? "that lists" : "of"} ${count} ${what}: the maximum is ${most}`,
    {
      hint: `Choose fewer days with --last or --from and --to, or a filter, or ${fewer}; \`calltally report\` and \`calltally export\` have no such limit.`,
    },
  );
}
