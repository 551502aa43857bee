import { stringify } from "csv-stringify/sync";
import { pick } from "../../base/records.ts";
import type { CallFilter } from "../../calls/filter.ts";
import { type ConversionKind, excludedOf, ruleOfKind } from "../../config/request/conversion-kinds.ts";
import { OUTCOME_VALUE } from "../../config/request/option-values.ts";
import { encodeTable } from "../../export/formats/encode-table.ts";
import { type ExportJob, listsOf } from "../../export/job.ts";
import type { Column } from "../../export/table.ts";
import type { RollupSession } from "../../sources/session.ts";
import type { Candidate } from "../../sources/sqlite/sqlite-conversions-sql.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { audienceOf, kindOf, type Reason, reasonAgainst } from "./conversion-kinds.ts";
import { prepareWorth, withCurrency } from "./conversion-worth.ts";
import { hasUploadFile, openUploadKey } from "./upload-files.ts";
import type { Conversion, Layout } from "./upload-layouts.ts";
import type { UploadLedger } from "./upload-ledger.ts";
import { type NewLine, readUploadLines } from "./upload-table.ts";
import { OrderBook, toOrders, toSecond, whyNotAdjustable } from "./uploaded-orders.ts";

/** Why a conversion is not in this file: an earlier one had it, or the next one will. */
type PutOff = "uploaded" | "next file";

/** Writes conversions and, in a second file, the examined calls that are not conversions, with reasons. */
export async function writeConversions(job: ExportJob, target: ConversionKind, ledger: UploadLedger) {
  const { ask, timeframe, nowMs } = job;
  const lists = listsOf(job);
  const { every = false, new: isNew = false, qualify = "qualified" } = ask.conversion;
  const kind = { ...kindOf(target), qualify };
  const name = ruleOfKind(target).names?.toName(ask.conversion.name) ?? ask.conversion.name;
  const options = { ...withCurrency(lists, job), name, timezone: timeframe.timezone, nowMs };
  const population = populationOf(timeframe.filter);
  const isEarned = options.value === OUTCOME_VALUE;
  const query = { ...kind, every, isEarned };
  const candidates = lists.session.conversions(query, population, timeframe.span);
  const past = isNew ? readPast(lists.reader, ledger, { kind: target, name, every, nowMs }) : undefined;
  const judged = function* () {
    for (const call of candidates.read()) {
      yield { ...call, reason: reasonAgainst(call, kind, nowMs) ?? past?.reasonAgainst(call) };
    }
  };

  const lines: NewLine[] = [];
  let rows = 0;
  const worthOf = prepareWorth(lists, options);
  const conversions = function* (): Generator<Conversion> {
    for (const { reason, ...call } of judged()) {
      const { call_id, key, click_by, call_started } = call;
      if (reason !== undefined || key === null || call_started === null) continue;
      const { isKnown = false, ...conversion } = past?.next(call_id, key, call_started) ?? {
        order_id: null,
        occurred_at: toSecond(call_started),
      };
      rows++;
      const value = worthOf(call);
      const currency = value === null ? null : (options.currency ?? null);
      if (!isKnown) {
        lines.push({
          conversion_name: name,
          call_id,
          key,
          order_id: kind.hasOrderId ? conversion.order_id : null,
          action: "convert",
          reason: null,
          value,
          currency,
          occurred_at: conversion.occurred_at,
          is_every: every,
          qualify,
        });
      }
      yield { call_id, key, click_by, value, ...conversion };
    }
  };
  const layout = kind.layOut(options);
  const file = await job.write(`${target}.csv`, toLines(conversions(), layout), audienceOf(kind));
  ledger.add({ contents: target, file, rows, lines, isChosen: isNew });

  const { table, excluded } = excludedTable(judged());
  const rest = await job.write(`${excludedOf(target)}.csv`, await encodeTable(table, { format: "csv" }));
  return [
    {
      contents: target,
      ...file,
      rows,
      examined: candidates.count,
      excluded,
      ...(isNew && { only_new: true as const }),
    },
    { contents: excludedOf(target), ...rest, rows: candidates.count - rows },
  ];
}

/** Returns the calls among which a click's first call is found; it must not depend on which calls a file is about. */
export function populationOf(filter: CallFilter): CallFilter {
  return pick(filter, ["exclude_callers", "include_gone"]);
}

function* toLines(conversions: Iterable<Conversion>, layout: Layout): Generator<string> {
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
  reader: Reader,
  { rewritten, repeats }: UploadLedger,
  { kind, name, every, nowMs }: { kind: ConversionKind; name: string; every: boolean; nowMs: number },
) {
  const known = readUploadLines(reader, kind, rewritten);
  const { adjustments } = kindOf(kind);
  const book = new OrderBook(
    toOrders(known.filter(({ conversion_name }) => conversion_name === name)),
    (order) => adjustments !== undefined && whyNotAdjustable(order, adjustments, nowMs) === undefined,
    every,
  );
  // Without earlier orders, the key is not needed.
  const toDigest = book.isEmpty ? (key: string) => key : openUploadKey(reader).seal;
  // If some recipients already have the file of an interrupted run, the others get the same conversions.
  const isRepeated = repeats !== undefined && hasUploadFile(reader, kind, repeats, rewritten);
  return {
    reasonAgainst: ({ call_id, key, call_started }: Candidate): PutOff | undefined => {
      if (key === null || call_started === null) return undefined;
      const digest = toDigest(key);
      const order = book.earlierOf(call_id, digest);
      if (isRepeated && order?.report_run_id === repeats && order.key_digest === digest) return undefined;
      if (order !== undefined || book.isTaken(digest, call_started)) return "uploaded";
      return isRepeated ? "next file" : undefined;
    },
    /** Returns how the file reports a call; `isKnown` if the ledger has it. */
    next: (callId: number, key: string, callStarted: string) => {
      const digest = toDigest(key);
      const earlier = book.earlierOf(callId, digest);
      return earlier === undefined
        ? { order_id: book.freeId(callId), occurred_at: book.takeSecond(digest, callStarted), isKnown: false }
        : { order_id: earlier.order_id, occurred_at: earlier.occurred_at, isKnown: true };
    },
  };
}

export function judgeCall(session: RollupSession, callId: number, target: ConversionKind, nowMs: number) {
  const kind = kindOf(target);
  const [call] = session.conversions({ ...kind, every: false, likeCalls: [callId] }, {}).read();
  return call && reasonAgainst(call, kind, nowMs);
}
