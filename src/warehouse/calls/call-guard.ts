import { eq, sql } from "drizzle-orm";
import { toCaller } from "../../calls/attribution/call-text.ts";
import { hashCall, isSortable } from "../../calls/call.ts";
import type { Call } from "../../calls/columns.ts";
import {
  AFTER_ALL_TIMES,
  BEFORE_ALL_TIMES,
  type Cutoffs,
  cutoffsAt,
  KEEP_ALL,
  kindsPast,
  WITHHELD_KINDS,
  type WithheldKind,
} from "../../calls/privacy/keep-settings.ts";
import { isPseudonym } from "../../calls/privacy/pseudonym.ts";
import { describeName, startOfRow, withhold, withholdFromRow } from "../../calls/privacy/withhold.ts";
import { sync_runs } from "../runs/runs.ts";
import type { Reader } from "../warehouse.ts";
import { type CallerHash, openCallerDigests } from "./caller-hash.ts";
import type { calls } from "./calls.ts";
import { type ForgottenCallers, openForgotten } from "./forgotten-callers.ts";

export type WithheldContent = Pick<
  typeof calls.$inferSelect,
  "row_hash" | "served_hash" | "withheld" | "caller_digest"
>;

type Prior = Omit<WithheldContent, "row_hash">;

/** Removes from calls what may not be kept before they are written, and still recognizes unchanged calls. */
export class Keeping {
  readonly digests: CallerHash | undefined;
  /** Undefined if nobody was forgotten. */
  readonly forgotten: ForgottenCallers | undefined;
  readonly #cutoffs: Cutoffs;
  readonly #readStart;
  readonly #nowMs: number;

  /**
   * @param cutoffs the same for all calls of a run
   * @throws CalltallyError (exit 7) if the warehouse needs its caller key and the key is lost
   */
  constructor(warehouse: Reader, cutoffs: Cutoffs, nowMs: number) {
    this.#nowMs = nowMs;
    this.digests = openCallerDigests(warehouse);
    this.forgotten = openForgotten(warehouse);
    this.#cutoffs = this.forgotten === undefined ? cutoffs : { ...cutoffs, extra: AFTER_ALL_TIMES };
    this.#readStart = warehouse.db
      .select({ started_at: sync_runs.started_at })
      .from(sync_runs)
      .where(eq(sync_runs.run_id, sql.placeholder("run_id")))
      .prepare();
  }

  /** @param firstRunId the run that first read the call, whose start replaces an unknown start. @default now */
  kindsPast(callStarted: string | null, firstRunId?: number): WithheldKind[] {
    if (callStarted !== null && isSortable(callStarted)) return kindsPast(this.#cutoffs, callStarted);
    const firstMet =
      firstRunId === undefined ? undefined : this.#readStart.get({ run_id: firstRunId })?.started_at;
    return kindsPast(this.#cutoffs, firstMet ?? new Date(this.#nowMs).toISOString());
  }

  /**
   * @param call with its stored members, or how it was served; `served_hash` is null if unknown
   * @param hash of the call @default computed
   */
  toStored<C extends Call>(
    call: C & Prior,
    kinds: readonly WithheldKind[],
    hash?: string,
  ): { call: C & WithheldContent; removed: readonly WithheldKind[] } {
    const { call: stored, withheld: removed } = withhold(call, kinds);
    const all = new Set([...toKinds(call.withheld), ...removed]);
    const isNumberTaken = all.has("caller_numbers") && !isWithoutNumber(call.withheld);
    const row = {
      ...stored,
      row_hash: hash !== undefined && removed.length === 0 ? hash : hashCall(stored),
      served_hash:
        call.served_hash && isNumberTaken ? this.#keyed().seal(call.served_hash) : call.served_hash,
      withheld: all.size === 0 ? null : WITHHELD_KINDS.filter((kind) => all.has(kind)).join(","),
      caller_digest: isNumberTaken ? this.#digestOf(call) : call.caller_digest,
    };
    return { call: row, removed };
  }

  /** Whether a served call equals the stored one, apart from what is or was withheld. */
  isSame(
    call: Call,
    { row_hash, withheld, caller_digest }: Omit<WithheldContent, "served_hash">,
    kinds: readonly WithheldKind[],
  ): boolean {
    const left = [...kinds, ...toKinds(withheld)];
    if (hashCall(withhold(call, left).call) !== row_hash) return false;
    return !left.includes("caller_numbers") || this.#digestOf(call) === caller_digest;
  }

  #digestOf({ caller_id }: Pick<Call, "caller_id">): string | null {
    const caller = toCaller(caller_id);
    return caller === null || isPseudonym(caller) ? null : this.#keyed().hash(caller);
  }

  /** Returns the served hash in the form that rows with these withheld kinds store. */
  toStoredHash(hash: string, withheld: string | null): string {
    return isWithoutNumber(withheld) ? this.#keyed().seal(hash) : hash;
  }

  /** Whether a call is served exactly as when it was stored. */
  isServedAs(
    hash: string,
    { served_hash, withheld }: Pick<WithheldContent, "served_hash" | "withheld">,
  ): boolean {
    return served_hash !== null && served_hash === this.toStoredHash(hash, withheld);
  }

  /** Whether something withheld of a stored call may be kept now. */
  mayKeepMore(withheld: string | null, kinds: readonly WithheldKind[]): boolean {
    return withheld !== null && !toKinds(withheld).every((kind) => kinds.includes(kind));
  }

  /** Whether a text contains a forgotten caller's number, unless it equals the stored text. */
  namesForgotten(text: string | null, stored: string | null | undefined): boolean {
    if (this.forgotten === undefined || text === null || text === stored) return false;
    return this.forgotten.mask(text) !== text;
  }

  /** Strips the JSON of a row that could not be parsed. Without its number, nobody could later find it to forget its caller. */
  toStoredRow(json: string, firstRunId?: number): string {
    const kinds = this.kindsPast(startOfRow(json), firstRunId);
    return withholdFromRow(json, kinds.includes("caller_numbers") ? WITHHELD_KINDS : kinds);
  }

  toStoredPath(path: string): string {
    if (this.#cutoffs.extra === BEFORE_ALL_TIMES) return path;
    const [, parent = "", name = ""] = /^(dni_data\.)?(.*)$/s.exec(path) ?? [];
    return parent + describeName(name);
  }

  toRowKey(sha256: string): string {
    return this.digests === undefined ? `sha256:${sha256}` : `sealed:${this.digests.seal(sha256)}`;
  }

  #keyed(): CallerHash {
    if (this.digests === undefined) throw new Error("The callers of the warehouse are no digests");
    return this.digests;
  }
}

/** Keeps everything except data of forgotten callers. */
export function keepingAll(warehouse: Reader): Keeping {
  return new Keeping(warehouse, cutoffsAt(KEEP_ALL, 0), 0);
}

export function isWithoutLink(withheld: string | null): boolean {
  return toKinds(withheld).includes("recording_urls");
}

/** Whether a stored call lost its transcript to `keep` or `forget`, so that its topic stays as it was. */
export function isTopicKept({
  caller_id,
  withheld,
}: Pick<WithheldContent & Call, "caller_id" | "withheld">): boolean {
  return isPseudonym(caller_id) || toKinds(withheld).includes("transcripts");
}

function isWithoutNumber(withheld: string | null): boolean {
  return toKinds(withheld).includes("caller_numbers");
}

export function toKinds(withheld: string | null): readonly WithheldKind[] {
  return withheld === null ? [] : WITHHELD_KINDS.filter((kind) => withheld.split(",").includes(kind));
}
