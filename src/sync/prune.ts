import { setImmediate } from "node:timers/promises";
import { and, asc, eq, getTableColumns, gte, isNull, lt, type SQL, sql } from "drizzle-orm";
import {
  BEFORE_ALL_TIMES,
  type Cutoffs,
  WITHHELD_KINDS,
  type WithheldKind,
} from "../calls/privacy/keep-settings.ts";
import { withhold } from "../calls/privacy/withhold.ts";
import { Keeping } from "../warehouse/calls/call-guard.ts";
import { prepareReplaceCall } from "../warehouse/calls/call-table.ts";
import { calls } from "../warehouse/calls/calls.ts";
import { withholdDrift } from "../warehouse/calls/drift.ts";
import { BATCH_ROWS, eachBatch } from "../warehouse/calls/each-call.ts";
import { call_facts } from "../warehouse/calls/facts.ts";
import { rejected_calls } from "../warehouse/calls/rejected.ts";
import { transcripts, WHOLE_CALL } from "../warehouse/calls/transcripts.ts";
import type { LockedWarehouse } from "../warehouse/file/lock.ts";
import { insertPrivacyAct, updatePrivacyAct } from "../warehouse/privacy-act-table.ts";
import { readRetention, setRetention } from "../warehouse/retention.ts";
import { type Tx, writeTransaction } from "../warehouse/transaction.ts";
import type { Reader, Warehouse } from "../warehouse/warehouse.ts";

/** From how many calls, and rows that could not be parsed, something was removed. */
export type PruneCounts = Record<WithheldKind | "rejected_rows", number>;

export interface PruneOptions {
  cutoffs: Cutoffs;
  nowMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Runs in short transactions and continues after a kill.
 * @throws CalltallyError (exit 7) if the key of the callers' digests is lost
 */
export async function prune(warehouse: LockedWarehouse, options: PruneOptions): Promise<PruneCounts> {
  return await new Pruning(warehouse, warehouse, options).run();
}

export async function countPrunable(reader: Reader, options: PruneOptions): Promise<PruneCounts> {
  return await new Pruning(reader, undefined, options).run();
}

export function hasAny(counts: PruneCounts): boolean {
  return Object.values(counts).some((count) => count > 0);
}

/** Calls that began in a span of time, and kinds that they may still contain. */
interface Stretch {
  kinds: WithheldKind[];
  from: string;
  /** Exclusive. */
  to: string;
}

interface Place {
  started: string;
  callId: number;
}

type StoredRow = ReturnType<Pruning["selectCalls"]>["_"]["result"][number];

class Pruning {
  readonly #counts: PruneCounts = {
    ...{ transcripts: 0, summaries: 0, caller_numbers: 0, recording_urls: 0, extra: 0 },
    rejected_rows: 0,
  };
  readonly #reader: Reader;
  readonly #writer: Warehouse | undefined;
  readonly #options: PruneOptions;
  readonly #keeping: Keeping;
  readonly #replaceCall;
  /** Whether bytes may have to be erased even if no call has anything to remove. */
  readonly #hasUnerased: boolean;
  #actId: number | undefined;

  /** @param writer undefined to count only */
  constructor(reader: Reader, writer: Warehouse | undefined, options: PruneOptions) {
    this.#reader = reader;
    this.#writer = writer;
    this.#options = options;
    this.#keeping = new Keeping(reader, options.cutoffs, options.nowMs);
    this.#replaceCall = writer && prepareReplaceCall(writer);
    this.#hasUnerased = this.#isFirstOfKind();
  }

  async run(): Promise<PruneCounts> {
    for (const step of this.#steps()) {
      if (this.#writer === undefined) step();
      else writeTransaction(this.#writer, (tx) => this.#record(tx, step));
      await setImmediate();
      this.#options.signal?.throwIfAborted();
    }
    return this.#counts;
  }

  *#steps(): Generator<() => void> {
    const isAllKept = WITHHELD_KINDS.every((kind) => this.#options.cutoffs[kind] === BEFORE_ALL_TIMES);
    if (isAllKept && readRetention(this.#reader).size === 0) return;
    const stretches = this.#findStretches();
    yield () => this.#lowerMarks();
    for (const stretch of stretches) {
      let place: Place | undefined = { started: stretch.from, callId: Number.MIN_SAFE_INTEGER };
      while (place !== undefined) {
        const from: Place = place;
        yield () => {
          place = this.#pruneAfter(from, stretch);
        };
      }
    }
    const { call_id, call_started } = call_facts;
    for (const untimed of eachBatch(call_id, this.selectCalls(isNull(call_started)))) {
      yield () => {
        for (const row of untimed) this.#pruneCall(row, WITHHELD_KINDS);
      };
    }
    yield () => {
      this.#pruneRejected();
      if (this.#writer) withholdDrift(this.#writer, this.#keeping);
    };
  }

  #record(tx: Tx, removeSome: () => void): void {
    const before = JSON.stringify(this.#counts);
    removeSome();
    const isNothing = JSON.stringify(this.#counts) === before;
    if (isNothing && !this.#hasUnerased) return;
    if (this.#actId === undefined) {
      const at = new Date(this.#options.nowMs).toISOString();
      this.#actId = insertPrivacyAct(tx, { at, act: "prune", counts: this.#counts });
    } else {
      updatePrivacyAct(tx, this.#actId, this.#counts);
    }
  }

  /** Whether a kind is limited for the first time. Until then, deleted and replaced data was not overwritten. */
  #isFirstOfKind(): boolean {
    const marks = readRetention(this.#reader);
    const isFirst = WITHHELD_KINDS.some(
      (kind) => this.#options.cutoffs[kind] !== BEFORE_ALL_TIMES && !marks.has(kind),
    );
    const { db } = this.#reader;
    return (
      isFirst && [calls, rejected_calls].some((table) => db.select().from(table).limit(1).get() !== undefined)
    );
  }

  /** Kinds with the same span are searched together. */
  #findStretches(): Stretch[] {
    const marks = readRetention(this.#reader);
    const stretches = new Map<string, Stretch>();
    for (const kind of WITHHELD_KINDS) {
      const [from, to] = [marks.get(kind) ?? BEFORE_ALL_TIMES, this.#options.cutoffs[kind]];
      if (from >= to) continue;
      const known = stretches.get(`${from} ${to}`) ?? { kinds: [], from, to };
      known.kinds.push(kind);
      stretches.set(`${from} ${to}`, known);
    }
    return [...stretches.values()];
  }

  /** Calls that may be kept again can come back from the service. */
  #lowerMarks(): void {
    for (const [kind, mark] of readRetention(this.#reader)) {
      const cutoff = this.#options.cutoffs[kind];
      if (mark > cutoff) this.#setMark([kind], cutoff);
    }
  }

  #setMark(kinds: readonly WithheldKind[], pruned_before: string): void {
    if (this.#writer === undefined) return;
    for (const kind of kinds) setRetention(this.#writer, kind, pruned_before);
  }

  /** Prunes some calls of a span, by time rather than id, since a mark is a time; returns where to continue. */
  #pruneAfter({ started, callId }: Place, { kinds, to }: Stretch): Place | undefined {
    const { call_started, call_id } = call_facts;
    const isNext = and(
      gte(call_started, started),
      lt(call_started, to),
      sql`(${call_started}, ${call_id}) > (${started}, ${callId})`,
    );
    const rows = this.selectCalls(isNext).orderBy(asc(call_started), asc(call_id)).limit(BATCH_ROWS).all();
    for (const row of rows) this.#pruneCall(row, kinds);
    const last = rows.length < BATCH_ROWS ? undefined : rows.at(-1);
    const mark = last?.call_started ?? to;
    this.#setMark(kinds, mark);
    return last && { started: mark, callId: last.call_id };
  }

  selectCalls(condition: SQL | undefined) {
    return this.#reader.db
      .select({ ...getTableColumns(calls), ...WHOLE_CALL })
      .from(call_facts)
      .innerJoin(calls, and(eq(calls.call_id, call_facts.call_id), condition))
      .leftJoin(transcripts, eq(transcripts.call_id, calls.call_id))
      .$dynamic();
  }

  /** @param counted the kinds searched for; another step counts the others */
  #pruneCall(row: StoredRow, counted: readonly WithheldKind[]): void {
    const past = this.#keeping.kindsPast(row.call_started, row.first_run_id);
    const kinds = past.filter((kind) => counted.includes(kind));
    const { withheld } = withhold(row, kinds);
    for (const kind of withheld) this.#counts[kind]++;
    if (withheld.length > 0) this.#replaceCall?.(this.#keeping.toStored(row, kinds).call);
  }

  #pruneRejected(): void {
    for (const { row_key, json, first_run_id } of this.#reader.db.select().from(rejected_calls).all()) {
      const rest = this.#keeping.toStoredRow(json, first_run_id);
      const isOther = rest !== json;
      if (isOther) this.#counts.rejected_rows++;
      const [, hash] = row_key.split("sha256:");
      const key = hash === undefined ? row_key : this.#keeping.toRowKey(hash);
      if (!isOther && key === row_key) continue;
      this.#writer?.db
        .update(rejected_calls)
        .set({ json: rest, row_key: key })
        .where(eq(rejected_calls.row_key, row_key))
        .run();
    }
  }
}
