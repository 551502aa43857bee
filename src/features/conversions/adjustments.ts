import type { CallFilter } from "../../calls/filter.ts";
import {
  type AdjustableKind,
  type AdjustmentKind,
  adjustedBy,
  excludedOf,
} from "../../config/request/conversion-kinds.ts";
import { OUTCOME_VALUE } from "../../config/request/option-values.ts";
import type { ConversionOptions } from "../../config/request/resolve.ts";
import { encodeTable } from "../../export/formats/encode-table.ts";
import { type ExportJob, type Lists, listsOf } from "../../export/job.ts";
import type { ManifestFile } from "../../export/manifest.ts";
import type { Column } from "../../export/table.ts";
import type { Timeframe } from "../../export/timeframe.ts";
import type { Candidate, ConversionQuery } from "../../sources/sqlite/sqlite-conversions-sql.ts";
import { KINDS, type Kind, type Reason, reasonAgainst } from "./conversion-kinds.ts";
import { prepareWorth, withCurrency } from "./conversion-worth.ts";
import { populationOf } from "./conversions.ts";
import { hasUploadFile, openUploadKey } from "./upload-files.ts";
import type { UploadLedger } from "./upload-ledger.ts";
import { readUploadLines, type UploadLine } from "./upload-table.ts";
import { type NotAdjustable, type Order, toOrders, whyNotAdjustable } from "./uploaded-orders.ts";

/** The present value of the conversions with a name, unless their topic has one; undefined to restate none. */
export type AdjustedValue = Pick<ConversionOptions, "name" | "value" | "currency">;

export interface Adjustment {
  order: Order;
  action: "retract" | "restate";
  reason: Reason | "another click" | "gone" | "excluded caller" | null;
  /** What a restated conversion is worth. */
  value: string | null;
}

/** @param kind whose conversions the orders are */
export function findAdjustments(
  lists: Lists,
  timeframe: Timeframe,
  { kind, orders }: { kind: AdjustableKind; orders: readonly Order[] },
  conversion: AdjustedValue,
): Adjustment[] {
  const standing = orders.filter(({ isRetracted }) => !isRetracted);
  if (standing.length === 0) return [];
  const { seal } = openUploadKey(lists.reader);
  const latest = new Map(
    standing.map((order) => [JSON.stringify([order.conversion_name, order.call_id]), order]),
  );
  const isNamed = (order: Order) => order.conversion_name === conversion.name;
  const isEarned = conversion.value === OUTCOME_VALUE;
  // By the rule it was reported by: with --every each call of a click is a conversion.
  const ruleOf = (order: Order) => JSON.stringify([order.is_every, order.qualify, isNamed(order)]);
  const callsBy = new Map(
    [...Map.groupBy(standing, ruleOf)].map(([rule, [order, ...others]]) => {
      if (order === undefined) return [rule, undefined];
      const { is_every: every, qualify } = order;
      const likeCalls = [...new Set([order, ...others].map(({ call_id }) => call_id))];
      const query = { every, qualify, isEarned: isEarned && isNamed(order), likeCalls };
      return [rule, judgeCalls(lists, timeframe, { ...KINDS[kind], ...query })];
    }),
  );
  const worthOf = prepareWorth(lists, conversion);
  return standing.flatMap((order): Adjustment[] => {
    const retract = (reason: Adjustment["reason"]): Adjustment[] => [
      { order, action: "retract", reason, value: null },
    ];
    const call = callsBy.get(ruleOf(order))?.get(order.call_id);
    if (call === undefined) return retract("gone");
    if (call.reason !== undefined) return retract(call.reason);
    if (call.key !== null && seal(call.key) !== order.key_digest) return retract("another click");
    const isLatest = latest.get(JSON.stringify([order.conversion_name, order.call_id])) === order;
    if (!isLatest) return retract("duplicate");
    if (!isNamed(order)) return [];
    const value = worthOf(call);
    if (value !== null)
      return isOtherValue(order, value, conversion)
        ? [{ order, action: "restate", reason: null, value }]
        : [];
    // No adjustment can make a value blank. While a job is open, the last value stays: the platform may refuse a second
    // conversion of an old click.
    return isEarned && order.value !== null && !call.is_open ? retract("nothing earned") : [];
  });
}

/** Returns the calls by id, each with the reason why it is not, or no longer, a conversion. */
function judgeCalls(
  { session }: Pick<Lists, "session">,
  { filter }: Timeframe,
  judged: Kind & ConversionQuery,
) {
  // A reported conversion stays right when its call becomes too old to report.
  const ages = { maxAgeMs: Number.POSITIVE_INFINITY, minAgeMs: Number.NEGATIVE_INFINITY };
  const kind = { ...judged, ...ages };
  const judge = (population: CallFilter) => {
    const calls = new Map<number, Candidate & { reason: NonNullable<Adjustment["reason"]> | undefined }>();
    for (const call of session.conversions(kind, population).read()) {
      const isCounted = call.is_live || filter.include_gone;
      calls.set(call.call_id, { ...call, reason: isCounted ? reasonAgainst(call, kind, 0) : "gone" });
    }
    return calls;
  };
  const { exclude_callers, ...others } = populationOf(filter);
  const all = judge(others);
  if (exclude_callers === undefined) return all;
  const calls = judge({ ...others, exclude_callers });
  for (const [id, call] of calls) {
    // An excluded caller has no first call of a click.
    if (call.reason === "duplicate" && all.get(id)?.reason === undefined) call.reason = "excluded caller";
  }
  return calls;
}

function isOtherValue(order: Order, value: string, { currency }: AdjustedValue): boolean {
  const isSameValue = order.value !== null && Number(order.value) === Number(value);
  return !isSameValue || (currency !== undefined && order.currency !== currency);
}

const SECOND_MS = 1000;

/**
 * Writes each adjustment of earlier conversions once: `RETRACT` if the call is no longer a conversion, `RESTATE` if
 * its value changed. A second file lists the conversions that cannot be adjusted, with reasons.
 */
export async function writeAdjustments(
  job: ExportJob,
  target: AdjustmentKind,
  ledger: UploadLedger,
): Promise<ManifestFile[]> {
  const kind = adjustedBy(target);
  const { adjustments } = KINDS[kind];
  const { nowMs } = job;
  const lists = listsOf(job);
  const conversion = withCurrency(lists, job);
  const { reader } = lists;
  const { repeats, rewritten } = ledger;
  const known = readUploadLines(reader, target, rewritten);
  // If some recipients already have the file of an interrupted run, the others get the same.
  const isRepeated = repeats !== undefined && hasUploadFile(reader, target, repeats, rewritten);
  const due = isRepeated
    ? []
    : findAdjustments(lists, job.timeframe, { kind, orders: toOrders(known) }, conversion);
  const judged = due.map((each) => ({
    ...each,
    notAdjustable: whyNotAdjustable(each.order, adjustments, nowMs),
  }));
  const left = judged.filter(({ notAdjustable }) => notAdjustable !== undefined);
  const lines = judged
    .filter(({ notAdjustable }) => notAdjustable === undefined)
    .map((adjustment) => toLine(adjustment, conversion, nowMs));
  const repeated = known.filter(
    ({ contents, report_run_id }) => isRepeated && contents === target && report_run_id === repeats,
  );
  const written: Omit<UploadLine, "key_digest">[] = [...repeated, ...lines];
  const file = await job.write(`${target}.csv`, adjustments.layOut(written));
  ledger.add({ contents: target, file, rows: written.length, lines, isChosen: true });

  const columns: Column[] = [
    { name: "call_id", type: "integer" },
    { name: "conversion_name", type: "text" },
    { name: "conversion_time", type: "time" },
    { name: "adjustment", type: "text" },
    { name: "reason", type: "text" },
  ];
  const rows = left.map(({ order, action, notAdjustable = null }) => [
    order.call_id,
    order.conversion_name,
    order.occurred_at,
    action,
    notAdjustable,
  ]);
  const rest = await job.write(
    `${excludedOf(target)}.csv`,
    await encodeTable({ columns, rows }, { format: "csv" }),
  );
  const countOf = (action: UploadLine["action"]) => written.filter((line) => line.action === action).length;
  const excluded: Partial<Record<NotAdjustable, number>> = {};
  for (const reason of ["no order id", "too old"] as const) {
    const count = left.filter(({ notAdjustable }) => notAdjustable === reason).length;
    if (count > 0) excluded[reason] = count;
  }
  return [
    {
      contents: target,
      ...file,
      rows: written.length,
      examined: written.length + left.length,
      excluded,
      adjustments: { retract: countOf("retract"), restate: countOf("restate") },
    },
    { contents: excludedOf(target), ...rest, rows: left.length },
  ];
}

function toLine({ order, action, reason, value }: Adjustment, { currency }: AdjustedValue, nowMs: number) {
  const { conversion_name, call_id, order_id, is_every, qualify, adjusted_at } = order;
  // Google ignores a second adjustment with the same time.
  const ms = Math.max(nowMs, Date.parse(adjusted_at) + SECOND_MS);
  return {
    conversion_name,
    call_id,
    key: null,
    order_id,
    action,
    reason,
    value,
    currency: action === "restate" ? (currency ?? null) : null,
    occurred_at: new Date(ms - (ms % SECOND_MS)).toISOString(),
    is_every,
    qualify,
  };
}
