import { stringify } from "csv-stringify/sync";
import { localTime } from "../calendar/local-time.ts";
import { encodeTable } from "../export/formats/encode-table.ts";
import { listsOf } from "../export/job.ts";
import type { ManifestFile } from "../export/manifest.ts";
import type { Scope } from "../export/scope.ts";
import type { Column } from "../export/table.ts";
import { ADJUSTMENTS } from "../request/option-values.ts";
import type { ConversionOptions } from "../request/resolve.ts";
import type { CallFilter } from "../rollup/call-filter.ts";
import type { ConversionJob, ConversionLists } from "./conversion-job.ts";
import { KINDS, type Reason, reasonAgainst } from "./conversion-kinds.ts";
import { populationOf } from "./conversions.ts";
import { openUploadKey } from "./upload-key.ts";
import { hasUploadFile, type NewLine, readUploadLines, type UploadLine } from "./upload-table.ts";
import { type Hindrance, hindranceOf, type Order, toOrders } from "./uploaded-orders.ts";

/** The value is that of the conversions of this name; without one none is restated. */
type Value = Pick<ConversionOptions, "name" | "value" | "currency">;

const SECOND_MS = 1000;

/** What is to be said of a conversion. */
interface Adjustment {
  order: Order;
  action: "retract" | "restate";
  /** Why it is retracted. */
  reason: Reason | "another click" | "gone" | "excluded caller" | null;
}

/**
 * Writes what has to be said of conversions in earlier files, once each: `RETRACT` where the call is none any more,
 * `RESTATE` where its value is another. Beside it stand the conversions that cannot be adjusted, each with the reason.
 */
export async function writeAdjustments(job: ConversionJob): Promise<ManifestFile[]> {
  const { nowMs } = job;
  const { conversion } = job.ask;
  const lists = listsOf(job);
  const { reader, repeats, rewritten } = lists;
  const known = readUploadLines(reader, ADJUSTMENTS, rewritten);
  // A run of a report that was cut short once somebody had been sent its file sends the others the same.
  const isRepeated = repeats !== undefined && hasUploadFile(reader, ADJUSTMENTS, repeats, rewritten);
  const due = isRepeated ? [] : findAdjustments(lists, job.scope, toOrders(known), conversion);
  const hindered = due.map((adjustment) => ({
    ...adjustment,
    hindrance: hindranceOf(adjustment.order, nowMs),
  }));
  const lines = hindered
    .filter(({ hindrance }) => hindrance === undefined)
    .map((adjustment) => toLine(adjustment, conversion, nowMs));
  const repeated = known.filter(
    ({ contents, report_run_id }) => isRepeated && contents === ADJUSTMENTS && report_run_id === repeats,
  );
  const written: Omit<UploadLine, "key_digest">[] = [...repeated, ...lines];
  const file = await job.write(`${ADJUSTMENTS}.csv`, toFile(written, job.scope.timezone));
  lists.remember({ contents: ADJUSTMENTS, file, rows: written.length, lines, isChosen: true });

  const left = hindered.filter(({ hindrance }) => hindrance !== undefined);
  const columns: Column[] = [
    { name: "call_id", type: "integer" },
    { name: "conversion_name", type: "text" },
    { name: "conversion_time", type: "time" },
    { name: "adjustment", type: "text" },
    { name: "reason", type: "text" },
  ];
  const rows = left.map(({ order, action, hindrance = null }) => [
    order.call_id,
    order.conversion_name,
    order.occurred_at,
    action,
    hindrance,
  ]);
  const rest = await job.write(
    `${ADJUSTMENTS}.excluded.csv`,
    await encodeTable({ columns, rows }, { format: "csv" }),
  );
  const count = (hindrance: Hindrance) => left.filter((each) => each.hindrance === hindrance).length;
  const countOf = (action: UploadLine["action"]) => written.filter((line) => line.action === action).length;
  return [
    {
      contents: ADJUSTMENTS,
      ...file,
      rows: written.length,
      examined: written.length + left.length,
      excluded: Object.fromEntries(
        (["no order id", "too old"] as const)
          .map((each) => [each, count(each)] as const)
          .filter(([, n]) => n > 0),
      ),
      adjustments: { retract: countOf("retract"), restate: countOf("restate") },
    },
    { contents: `${ADJUSTMENTS}.excluded`, ...rest, rows: left.length },
  ];
}

/** Returns what is to be said of conversions that were not retracted: nothing of most. */
function findAdjustments(
  { reader, session }: ConversionLists,
  scope: Scope,
  orders: readonly Order[],
  conversion: Value,
): Adjustment[] {
  const standing = orders.filter(({ isRetracted }) => !isRetracted);
  if (standing.length === 0) return [];
  const { seal } = openUploadKey(reader);
  const latest = new Map(
    standing.map((order) => [JSON.stringify([order.conversion_name, order.call_id]), order]),
  );
  // That a call has become too old for a conversion does not make the one that was told of wrong.
  const kind = {
    ...KINDS["google-ads"],
    maxAgeMs: Number.POSITIVE_INFINITY,
    minAgeMs: Number.NEGATIVE_INFINITY,
  };
  const clicks = new Map<number, string>();
  // By the rule by which it was told of: with --every each call of a click is one.
  const reasonsBy = new Map(
    [true, false].map((every) => {
      const likeCalls = [
        ...new Set(standing.flatMap((order) => (order.is_every === every ? order.call_id : []))),
      ];
      const { exclude_callers, ...others } = populationOf(scope.filter);
      const judge = (population: CallFilter) =>
        [...session.conversions({ ...kind, every, likeCalls }, population).read()].map(
          (call): [number, Adjustment["reason"]] => {
            if (call.key !== null) clicks.set(call.call_id, seal(call.key));
            const isCounted = call.is_live || scope.filter.include_gone;
            return [call.call_id, isCounted ? (reasonAgainst(call, kind, 0) ?? null) : "gone"];
          },
        );
      const reasonsOfAll = new Map(judge(others));
      if (exclude_callers === undefined) return [every, reasonsOfAll];
      const reasons = judge({ ...others, exclude_callers }).map(
        ([id, reason]): [number, Adjustment["reason"]] => {
          // Of a caller who is left out, no call is the first of a click.
          const isExcluded = reason === "duplicate" && reasonsOfAll.get(id) === null;
          return [id, isExcluded ? "excluded caller" : reason];
        },
      );
      return [every, new Map(reasons)];
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

function isOtherValue(order: Order, { name, value, currency }: Value): boolean {
  if (order.conversion_name !== name || value === undefined) return false;
  const isSameValue = order.value !== null && Number(order.value) === Number(value);
  return !isSameValue || (currency !== undefined && order.currency !== currency);
}

function toLine({ order, action, reason }: Adjustment, { value, currency }: Value, nowMs: number): NewLine {
  const { conversion_name, call_id, order_id, is_every, adjusted_at } = order;
  // Google takes a second adjustment of the same time for the first one.
  const ms = Math.max(nowMs, Date.parse(adjusted_at) + SECOND_MS);
  return {
    conversion_name,
    call_id,
    key: null,
    order_id,
    action,
    reason,
    value: action === "restate" ? (value ?? null) : null,
    currency: action === "restate" ? (currency ?? null) : null,
    occurred_at: new Date(ms - (ms % SECOND_MS)).toISOString(),
    is_every,
  };
}

/** Yields the lines of the file: what Google calls a retraction in its API is `RETRACT` here. */
function* toFile(lines: readonly Omit<UploadLine, "key_digest">[], timezone: string): Generator<string> {
  const toLocal = localTime(timezone);
  yield `Parameters:TimeZone=${timezone}\n`;
  yield stringify([
    [
      "Order ID",
      "Conversion Name",
      "Adjustment Time",
      "Adjustment Type",
      "Adjusted Value",
      "Adjusted Value Currency",
    ],
  ]);
  for (const { order_id, conversion_name, occurred_at, action, value, currency } of lines) {
    const { local } = toLocal(occurred_at);
    yield stringify([[order_id, conversion_name, local, action.toUpperCase(), value, currency]]);
  }
}
