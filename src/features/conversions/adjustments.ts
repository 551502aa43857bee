import { stringify } from "csv-stringify/sync";
import { compileRules } from "../../attribution/compiled-rules.ts";
import type { CallFilter } from "../../call/filter.ts";
import { encodeTable } from "../../export/formats/encode-table.ts";
import { type Job, type Lists, listsOf } from "../../export/job.ts";
import type { ManifestFile } from "../../export/manifest.ts";
import type { Column } from "../../export/table.ts";
import type { Timeframe } from "../../export/timeframe.ts";
import { ADJUSTMENTS } from "../../request/option-values.ts";
import type { ConversionOptions } from "../../request/resolve.ts";
import { GOOGLE_ZONE, KINDS, type Reason, reasonAgainst, toUploadTime } from "./conversion-kinds.ts";
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

export function findAdjustments(
  { reader, session }: Lists,
  timeframe: Timeframe,
  orders: readonly Order[],
  conversion: AdjustedValue,
): Adjustment[] {
  const standing = orders.filter(({ isRetracted }) => !isRetracted);
  if (standing.length === 0) return [];
  const { seal } = openUploadKey(reader);
  const latest = new Map(
    standing.map((order) => [JSON.stringify([order.conversion_name, order.call_id]), order]),
  );
  // A reported conversion stays right when its call becomes too old to report.
  const kind = {
    ...KINDS["google-ads"],
    maxAgeMs: Number.POSITIVE_INFINITY,
    minAgeMs: Number.NEGATIVE_INFINITY,
  };
  const { aboutTopic } = compileRules(session.rules);
  const clicks = new Map<number, string>();
  const values = new Map<number, string>();
  // By the rule it was reported by: with --every each call of a click is a conversion.
  const reasonsBy = new Map(
    [true, false].map((every) => {
      const likeCalls = [
        ...new Set(standing.flatMap((order) => (order.is_every === every ? order.call_id : []))),
      ];
      const { exclude_callers, ...others } = populationOf(timeframe.filter);
      const judge = (population: CallFilter) => {
        const reasons = new Map<number, Adjustment["reason"]>();
        for (const call of session.conversions({ ...kind, every, likeCalls }, population).read()) {
          if (call.key !== null) clicks.set(call.call_id, seal(call.key));
          const value = aboutTopic(call.topic)?.value;
          if (value) values.set(call.call_id, value);
          const isCounted = call.is_live || timeframe.filter.include_gone;
          reasons.set(call.call_id, isCounted ? (reasonAgainst(call, kind, 0) ?? null) : "gone");
        }
        return reasons;
      };
      const reasonsOfAll = judge(others);
      if (exclude_callers === undefined) return [every, reasonsOfAll];
      const reasons = judge({ ...others, exclude_callers });
      for (const [id, reason] of reasons) {
        // An excluded caller has no first call of a click.
        const isExcluded = reason === "duplicate" && reasonsOfAll.get(id) === null;
        if (isExcluded) reasons.set(id, "excluded caller");
      }
      return [every, reasons];
    }),
  );
  return standing.flatMap((order): Adjustment[] => {
    const { conversion_name, call_id, is_every, key_digest } = order;
    const isLatest = latest.get(JSON.stringify([conversion_name, call_id])) === order;
    const reasons = reasonsBy.get(is_every);
    const ofCall = reasons?.has(call_id) ? (reasons.get(call_id) ?? null) : "gone";
    const reason = ofCall ?? (clicks.get(call_id) === key_digest ? null : "another click");
    if (reason !== null || !isLatest)
      return [{ order, action: "retract", reason: reason ?? "duplicate", value: null }];
    const value = values.get(call_id) ?? conversion.value;
    return value !== undefined && isOtherValue(order, { ...conversion, value })
      ? [{ order, action: "restate", reason: null, value }]
      : [];
  });
}

function isOtherValue(order: Order, { name, value, currency }: AdjustedValue): boolean {
  if (order.conversion_name !== name) return false;
  const isSameValue = order.value !== null && Number(order.value) === Number(value);
  return !isSameValue || (currency !== undefined && order.currency !== currency);
}

const SECOND_MS = 1000;

/**
 * Writes each adjustment of earlier conversions once: `RETRACT` if the call is no longer a conversion, `RESTATE` if
 * its value changed. A second file lists the conversions that cannot be adjusted, with reasons.
 */
export async function writeAdjustments(job: Job, ledger: UploadLedger): Promise<ManifestFile[]> {
  const { nowMs } = job;
  const { conversion } = job.ask;
  const lists = listsOf(job);
  const { reader } = lists;
  const { repeats, rewritten } = ledger;
  const known = readUploadLines(reader, ADJUSTMENTS, rewritten);
  // If some recipients already have the file of an interrupted run, the others get the same.
  const isRepeated = repeats !== undefined && hasUploadFile(reader, ADJUSTMENTS, repeats, rewritten);
  const due = isRepeated ? [] : findAdjustments(lists, job.timeframe, toOrders(known), conversion);
  const judged = due.map((each) => ({ ...each, notAdjustable: whyNotAdjustable(each.order, nowMs) }));
  const left = judged.filter(({ notAdjustable }) => notAdjustable !== undefined);
  const lines = judged
    .filter(({ notAdjustable }) => notAdjustable === undefined)
    .map((adjustment) => toLine(adjustment, conversion, nowMs));
  const repeated = known.filter(
    ({ contents, report_run_id }) => isRepeated && contents === ADJUSTMENTS && report_run_id === repeats,
  );
  const written: Omit<UploadLine, "key_digest">[] = [...repeated, ...lines];
  const file = await job.write(`${ADJUSTMENTS}.csv`, toFile(written));
  ledger.add({ contents: ADJUSTMENTS, file, rows: written.length, lines, isChosen: true });

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
    `${ADJUSTMENTS}.excluded.csv`,
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
      contents: ADJUSTMENTS,
      ...file,
      rows: written.length,
      examined: written.length + left.length,
      excluded,
      adjustments: { retract: countOf("retract"), restate: countOf("restate") },
    },
    { contents: `${ADJUSTMENTS}.excluded`, ...rest, rows: left.length },
  ];
}

function toLine({ order, action, reason, value }: Adjustment, { currency }: AdjustedValue, nowMs: number) {
  const { conversion_name, call_id, order_id, is_every, adjusted_at } = order;
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
  };
}

/** Google's files say `RETRACT` for what its API calls a retraction. */
function* toFile(lines: readonly Omit<UploadLine, "key_digest">[]): Generator<string> {
  yield `${GOOGLE_ZONE}\n`;
  yield "Order ID,Conversion Name,Adjustment Time,Adjustment Type,Adjusted Value,Adjusted Value Currency\n";
  for (const { order_id, conversion_name, occurred_at, action, value, currency } of lines) {
    const time = toUploadTime(occurred_at);
    yield stringify([[order_id, conversion_name, time, action.toUpperCase(), value, currency]]);
  }
}
