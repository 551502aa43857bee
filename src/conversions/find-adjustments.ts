import type { Timeframe } from "../export/timeframe.ts";
import type { ConversionOptions } from "../request/resolve.ts";
import type { CallFilter } from "../rollup/call-filter.ts";
import { KINDS, type Reason, reasonAgainst } from "./conversion-kinds.ts";
import { populationOf } from "./conversions.ts";
import { openUploadKey } from "./upload-key.ts";
import type { ConversionLists } from "./upload-ledger.ts";
import type { Order } from "./uploaded-orders.ts";

/** The present value of the conversions with a name; undefined to restate none. */
export type AdjustedValue = Pick<ConversionOptions, "name" | "value" | "currency">;

export interface Adjustment {
  order: Order;
  action: "retract" | "restate";
  reason: Reason | "another click" | "gone" | "excluded caller" | null;
}

export function findAdjustments(
  { reader, session }: ConversionLists,
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
  const clicks = new Map<number, string>();
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
    if (reason !== null || !isLatest) return [{ order, action: "retract", reason: reason ?? "duplicate" }];
    return isOtherValue(order, conversion) ? [{ order, action: "restate", reason: null }] : [];
  });
}

function isOtherValue(order: Order, { name, value, currency }: AdjustedValue): boolean {
  if (order.conversion_name !== name || value === undefined) return false;
  const isSameValue = order.value !== null && Number(order.value) === Number(value);
  return !isSameValue || (currency !== undefined && order.currency !== currency);
}
