import { callerOf } from "../attribution/attribute-call.ts";
import { type Call, hashCall, isSortable } from "../call.ts";
import { type Cutoffs, cutoffsAt, KEEP_ALL, KEEP_KINDS, type KeepKind, kindsPast } from "../privacy/keep.ts";
import { startOfRow, withhold, withholdFromRow } from "../privacy/withhold.ts";
import { type CallerHash, openCallerDigests } from "./caller-hash.ts";
import type { Warehouse } from "./open.ts";
import type { calls } from "./schema.ts";

type Row = typeof calls.$inferSelect;

/** What a row of `calls` says of what is not kept of the call. */
export type Withheld = Pick<Row, "row_hash" | "content_hash" | "served_hash" | "withheld" | "caller_digest">;

/** A call as it is stored: without what may not be kept. */
type StoredCall = Call & Withheld;

/** What was stored of a call before; of a new one nothing. */
type Prior = Omit<Withheld, "row_hash">;
const NOTHING_WITHHELD = { content_hash: null, withheld: null, caller_digest: null };

/** Takes out of calls what may not be kept, before they are written, and recognizes them all the same. */
export class Keeping {
  /** Makes the digests by which callers are known, where they are not known by their numbers. */
  readonly digests: CallerHash | undefined;
  readonly #cutoffs: Cutoffs;
  readonly #readStart;
  readonly #nowMs: number;

  /**
   * @param cutoffs what may not be kept, at one moment for all calls of a run
   * @throws CalltallyError (exit 7) where the callers of the warehouse are digests, and their key is lost
   */
  constructor(warehouse: Pick<Warehouse, "db" | "sqlite" | "path">, cutoffs: Cutoffs, nowMs: number) {
    this.#cutoffs = cutoffs;
    this.#nowMs = nowMs;
    this.digests = openCallerDigests(warehouse);
    this.#readStart = warehouse.sqlite
      .prepare<[number], string>("SELECT started_at FROM sync_runs WHERE run_id = ?")
      .pluck();
  }

  /**
   * Returns what may not be kept of a call.
   *
   * @param firstRunId the run that first met it; of a new one, now counts where its own time is not known
   */
  kindsPast(callStarted: string | null, firstRunId?: number): KeepKind[] {
    return kindsPast(this.#cutoffs, this.#since(callStarted, firstRunId));
  }

  #since(callStarted: string | null, firstRunId: number | undefined): string {
    if (callStarted !== null && isSortable(callStarted)) return callStarted;
    const firstMet = firstRunId === undefined ? undefined : this.#readStart.get(firstRunId);
    return firstMet ?? new Date(this.#nowMs).toISOString();
  }

  /** Returns a call of the service as it is to be stored. @param served hash of it as it was served, where that is known */
  toStored(call: Call, kinds: readonly KeepKind[], served: string | null): StoredCall {
    const prior = { ...NOTHING_WITHHELD, served_hash: served };
    const pruned = this.toPruned({ ...call, ...prior }, kinds);
    return pruned?.call ?? { ...call, ...prior, row_hash: hashCall(call) };
  }

  /** Returns the kinds of which a stored call has something that may not be kept. */
  findRemovable(stored: Call, kinds: readonly KeepKind[]): readonly KeepKind[] {
    return withhold(stored, kinds).withheld;
  }

  /** Returns a stored call without what may not be kept, and the kinds of that; undefined where it has nothing of it. */
  toPruned<C extends Call & Prior>(
    stored: C,
    kinds: readonly KeepKind[],
  ): { call: C & Withheld; removed: readonly KeepKind[] } | undefined {
    const { call: kept, withheld: removed } = withhold(stored, kinds);
    if (removed.length === 0) return undefined;
    const all = new Set([...toKinds(stored.withheld), ...removed]);
    const isSealed = all.has("caller_numbers") && !isWithoutNumber(stored.withheld);
    const seal = (hash: string) => (isSealed ? this.#keyed().seal(hash) : hash);
    const caller = isSealed ? callerOf(stored.caller_id) : null;
    const call = {
      ...kept,
      row_hash: hashCall(kept),
      content_hash: seal(stored.content_hash ?? hashCall(stored)),
      served_hash: stored.served_hash && seal(stored.served_hash),
      withheld: KEEP_KINDS.filter((kind) => all.has(kind)).join(","),
      caller_digest: caller === null ? stored.caller_digest : this.#keyed().hash(caller),
    };
    return { call, removed };
  }

  /** Whether a call of the service is as it was when this row was written. */
  isSameContent(call: Call, { row_hash, content_hash, withheld }: Omit<Withheld, "caller_digest">): boolean {
    if (withheld === null) return hashCall(call, row_hash) === row_hash;
    return this.toStoredHash(hashCall(call), withheld) === content_hash;
  }

  /** Returns a hash of what was served in the form in which a row with these kinds withheld has it. */
  toStoredHash(hash: string, withheld: string | null): string {
    return isWithoutNumber(withheld) ? this.#keyed().seal(hash) : hash;
  }

  /** Whether something is withheld of a stored call that may be kept now. */
  mayKeepMore(withheld: string | null, kinds: readonly KeepKind[]): boolean {
    return withheld !== null && !toKinds(withheld).every((kind) => kinds.includes(kind));
  }

  /** Returns the JSON of a row that does not parse without what may not be kept. */
  toStoredRow(json: string, firstRunId?: number): string {
    return withholdFromRow(json, this.kindsPast(startOfRow(json), firstRunId));
  }

  /** Returns the key of a row without a call id, by the hash of it. */
  toRowKey(sha256: string): string {
    return this.digests === undefined ? `sha256:${sha256}` : `sealed:${this.digests.seal(sha256)}`;
  }

  #keyed(): CallerHash {
    if (this.digests === undefined) throw new Error("The callers of the warehouse are no digests");
    return this.digests;
  }
}

/** Keeps whatever comes. */
export function keepingAll(warehouse: Pick<Warehouse, "db" | "sqlite" | "path">): Keeping {
  return new Keeping(warehouse, cutoffsAt(KEEP_ALL, 0), 0);
}

/** Whether the recording's link of a stored call is not kept. */
export function isWithoutLink(withheld: string | null): boolean {
  return toKinds(withheld).includes("recording_urls");
}

function isWithoutNumber(withheld: string | null): boolean {
  return toKinds(withheld).includes("caller_numbers");
}

function toKinds(withheld: string | null): readonly KeepKind[] {
  return withheld === null ? [] : KEEP_KINDS.filter((kind) => withheld.split(",").includes(kind));
}
