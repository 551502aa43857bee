import { stringify } from "csv-stringify/sync";
import { compileRules } from "../attribution/compiled-rules.ts";
import type { CallFilter } from "../call/filter.ts";
import { encodeTable } from "../export/formats/encode-table.ts";
import { listsOf } from "../export/job.ts";
import type { Column } from "../export/table.ts";
import type { ConversionKind } from "../request/option-values.ts";
import type { RollupSession } from "../rollup/session.ts";
import type { Candidate } from "../rollup/sqlite/sqlite-conversions-sql.ts";
import { type Conversion, KINDS, type Kind, type Reason, reasonAgainst } from "./conversion-kinds.ts";
import { hasUploadFile, openUploadKey } from "./upload-files.ts";
import type { ConversionJob, ConversionLists } from "./upload-ledger.ts";
import { type NewLine, readUploadLines } from "./upload-table.ts";
import { nextOrderId, type Order, toOrders, whyNotAdjustable } from "./uploaded-orders.ts";

/** Why a conversion is not in this file: an earlier one had it, or the next one will. */
type PutOff = "uploaded" | "next file";

const SECOND_MS = 1000;

/** Writes conversions and, in a second file, the examined calls that are not conversions, with reasons. */
export async function writeConversions(job: ConversionJob, target: { kind: ConversionKind }) {
  const { ask, timeframe, nowMs } = job;
  const lists = listsOf(job);
  const kind = KINDS[target.kind];
  const { every = false, new: isNew = false } = ask.conversion;
  const name = kind.toName?.(ask.conversion.name) ?? ask.conversion.name;
  const options = { ...ask.conversion, name, timezone: timeframe.timezone, nowMs };
  const population = populationOf(timeframe.filter);
  const candidates = lists.session.conversions({ ...kind, every }, population, timeframe.span);
  const past = isNew ? readPast(lists, nowMs, { kind: target.kind, name, every }) : undefined;
  const judged = function* () {
    for (const call of candidates.read()) {
      yield { ...call, reason: reasonAgainst(call, kind, nowMs) ?? past?.reasonAgainst(call) };
    }
  };

  const lines: NewLine[] = [];
  let rows = 0;
  const { aboutTopic } = compileRules(lists.session.rules);
  const conversions = function* (): Generator<Conversion> {
    for (const { call_id, key, click_by, call_started, topic, reason } of judged()) {
      if (reason !== undefined || key === null || call_started === null) continue;
      const { isKnown = false, ...said } = past?.next(call_id, key, call_started) ?? {
        order_id: null,
        occurred_at: toSecond(Date.parse(call_started)),
      };
      rows++;
      const value = aboutTopic(topic)?.value ?? options.value ?? null;
      const currency = value === null ? null : (options.currency ?? null);
      if (!isKnown) {
        lines.push({
          conversion_name: name,
          call_id,
          key,
          order_id: kind.hasOrderId ? said.order_id : null,
          action: "convert",
          reason: null,
          value,
          currency,
          occurred_at: said.occurred_at,
          is_every: every,
        });
      }
      yield { call_id, key, click_by, value, ...said };
    }
  };
  const layout = kind.layOut(options);
  const file = await job.write(`${target.kind}.csv`, toLines(conversions(), layout), kind.audience);
  lists.remember({ contents: target.kind, file, rows, lines, isChosen: isNew });

  const { table, excluded } = excludedTable(judged());
  const rest = await job.write(`${target.kind}.excluded.csv`, await encodeTable(table, { format: "csv" }));
  return [
    {
      contents: target.kind,
      ...file,
      rows,
      examined: candidates.count,
      excluded,
      ...(isNew && { only_new: true as const }),
    },
    { contents: `${target.kind}.excluded`, ...rest, rows: candidates.count - rows },
  ];
}

/** Returns the calls among which a click's first call is found; it must not depend on which calls a file is about. */
export function populationOf({ exclude_callers, include_gone }: CallFilter): CallFilter {
  return { ...(exclude_callers && { exclude_callers }), ...(include_gone && { include_gone }) };
}

function* toLines(conversions: Iterable<Conversion>, layout: ReturnType<Kind["layOut"]>): Generator<string> {
  const { parameters, columns } = layout;
  if (parameters !== undefined) yield `${parameters}\n`;
  yield stringify([columns.map(({ name }) => name)]);
  for (const conversion of conversions) yield stringify([columns.map(({ of }) => of(conversion))]);
}

/** Returns the table of excluded calls, and their number by reason once its rows were read. */
function excludedTable(calls: Iterable<Candidate & { reason: Reason | PutOff | undefined }>) {
  const excluded: Record<string, number> = {};
  const columns: Column[] = [
    { name: "call_id", type: "integer" },
    { name: "call_started", type: "time" },
    { name: "reason", type: "text" },
  ];
  const rows = function* () {
    for (const { call_id, call_started, reason } of calls) {
      if (reason === undefined) continue;
      excluded[reason] = (excluded[reason] ?? 0) + 1;
      yield [call_id, call_started, reason];
    }
  };
  return { table: { columns, rows: rows() }, excluded };
}

/** Reads what earlier files have reported to an ad platform, under one conversion name. */
function readPast(
  { reader, rewritten, repeats }: ConversionLists,
  nowMs: number,
  { kind, name, every }: { kind: ConversionKind; name: string; every: boolean },
) {
  const known = readUploadLines(reader, kind, rewritten);
  const orders = toOrders(known.filter(({ conversion_name }) => conversion_name === name));
  // Without earlier orders, the key is not needed.
  const toDigest = orders.length === 0 ? (key: string) => key : openUploadKey(reader).seal;
  const isAdjustable = (order: Order) =>
    kind === "google-ads" && whyNotAdjustable(order, nowMs) === undefined;
  const live = new Map<number, Order>();
  for (const order of orders) if (!order.isRetracted) live.set(order.call_id, order);
  /** Returns the earlier order for a call; that of another click only if no adjustment can retract it. */
  const earlierOrderOf = (callId: number, digest: string) => {
    const order = live.get(callId);
    return order !== undefined && (order.key_digest === digest || !isAdjustable(order)) ? order : undefined;
  };
  const usedIds = new Set(orders.flatMap(({ order_id }) => order_id ?? []));
  const toMoment = (digest: string, occurredAt: string) => `${occurredAt} ${digest}`;
  const momentsOf = (some: readonly Order[]) =>
    some.map(({ key_digest, occurred_at }) => toMoment(key_digest ?? "", occurred_at));
  const usedTimes = new Set(momentsOf(orders));
  // An order that cannot be retracted counts for its click or caller, whichever call turns out to be the first.
  const lasting = orders.filter((order) => !order.isRetracted && !isAdjustable(order));
  const lastingKeys = new Set(every ? momentsOf(lasting) : lasting.map(({ key_digest }) => key_digest));
  const toSame = (digest: string, time: string) =>
    every ? toMoment(digest, toSecond(Date.parse(time))) : digest;
  // If some recipients already have the file of an interrupted run, the others get the same conversions.
  const isRepeated = repeats !== undefined && hasUploadFile(reader, kind, repeats, rewritten);
  return {
    reasonAgainst: ({ call_id, key, call_started }: Candidate): PutOff | undefined => {
      if (key === null || call_started === null) return undefined;
      const digest = toDigest(key);
      const order = earlierOrderOf(call_id, digest);
      if (isRepeated && order?.report_run_id === repeats && order.key_digest === digest) return undefined;
      if (order !== undefined || lastingKeys.has(toSame(digest, call_started))) return "uploaded";
      return isRepeated ? "next file" : undefined;
    },
    /** Returns how the file reports a call; `isKnown` if the ledger has it. */
    next: (callId: number, key: string, callStarted: string) => {
      const digest = toDigest(key);
      const own = earlierOrderOf(callId, digest);
      if (own !== undefined) return { order_id: own.order_id, occurred_at: own.occurred_at, isKnown: true };
      const order_id = nextOrderId(callId, usedIds);
      // A platform ignores a conversion with the same click, name and second, even if the first was retracted.
      let ms = Date.parse(callStarted);
      while (usedTimes.has(toMoment(digest, toSecond(ms)))) ms += SECOND_MS;
      usedTimes.add(toMoment(digest, toSecond(ms)));
      return { order_id, occurred_at: toSecond(ms), isKnown: false };
    },
  };
}

function toSecond(ms: number): string {
  return new Date(ms - (((ms % SECOND_MS) + SECOND_MS) % SECOND_MS)).toISOString();
}

export function judgeCall(session: RollupSession, callId: number, target: ConversionKind, nowMs: number) {
  const kind = KINDS[target];
  const [call] = session.conversions({ ...kind, every: false, likeCalls: [callId] }, {}).read();
  return call && reasonAgainst(call, kind, nowMs);
}
