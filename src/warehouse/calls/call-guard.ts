import { toCaller } from "../../attribution/call-text.ts";
import { type Call, hashCall, isSortable } from "../../call.ts";
import {
  AFTER_ALL_TIMES,
  BEFORE_ALL_TIMES,
  type Cutoffs,
  cutoffsAt,
  KEEP_ALL,
  kindsPast,
  WITHHELD_KINDS,
  type WithheldKind,
} from "../../privacy/keep-settings.ts";
import { isPseudonym } from "../../privacy/pseudonym.ts";
import { describeName } from "../../privacy/undocumented.ts";
import { startOfRow, withhold, withholdFromRow } from "../../privacy/withhold.ts";
import type { Warehouse } from "../warehouse.ts";
import { type CallerHash, openCallerDigests } from "./caller-hash.ts";
import type { calls } from "./calls.ts";
import { type ForgottenCallers, openForgotten } from "./forgotten-callers.ts";

export type Withheld = Pick<
  typeof calls.$inferSelect,
  "row_hash" | "served_hash" | "withheld" | "caller_digest"
>;

type Prior = Omit<Withheld, "row_hash">;

/** Takes out of calls what may not be kept, before they are written, and recognizes them all the same. */
export class Keeping {
  readonly digests: CallerHash | undefined;
  /** Those of whom nothing is kept; undefined where nobody was forgotten. */
  readonly forgotten: ForgottenCallers | undefined;
  readonly #cutoffs: Cutoffs;
  readonly #readStart;
  readonly #nowMs: number;

  /**
   * @param cutoffs what may not be kept, at one moment for all calls of a run
   * @throws CalltallyError (exit 7) where the callers of the warehouse are digests, or some were forgotten, and the key is lost
   */
  constructor(warehouse: Warehouse, cutoffs: Cutoffs, nowMs: number) {
    this.#nowMs = nowMs;
    this.digests = openCallerDigests(warehouse);
    this.forgotten = openForgotten(warehouse);
    this.#cutoffs = this.forgotten === undefined ? cutoffs : { ...cutoffs, extra: AFTER_ALL_TIMES };
    this.#readStart = warehouse.sqlite
      .prepare<[number], string>("SELECT started_at FROM sync_runs WHERE run_id = ?")
      .pluck();
  }

  /** @param firstRunId the run that first met the call, whose start replaces an unknown start of the call. @default now */
  kindsPast(callStarted: string | null, firstRunId?: number): WithheldKind[] {
    if (callStarted !== null && isSortable(callStarted)) return kindsPast(this.#cutoffs, callStarted);
    const firstMet = firstRunId === undefined ? undefined : this.#readStart.get(firstRunId);
    return kindsPast(this.#cutoffs, firstMet ?? new Date(this.#nowMs).toISOString());
  }

  /**
   * @param call with what is stored of it, or how it was served: `served_hash` is null where that is not known
   * @param hash of the call, where it is known @default computed
   */
  toStored<C extends Call>(
    call: C & Prior,
    kinds: readonly WithheldKind[],
    hash?: string,
  ): { call: C & Withheld; removed: readonly WithheldKind[] } {
    const { call: kept, withheld: removed } = withhold(call, kinds);
    const all = new Set([...toKinds(call.withheld), ...removed]);
    const isNumberTaken = all.has("caller_numbers") && !isWithoutNumber(call.withheld);
    const row = {
      ...kept,
      row_hash: hash !== undefined && removed.length === 0 ? hash : hashCall(kept),
      served_hash:
        call.served_hash && isNumberTaken ? this.#keyed().seal(call.served_hash) : call.served_hash,
      withheld: all.size === 0 ? null : WITHHELD_KINDS.filter((kind) => all.has(kind)).join(","),
      caller_digest: isNumberTaken ? this.#digestOf(call) : call.caller_digest,
    };
    return { call: row, removed };
  }

  /** Whether a call of the service is what is stored of it, but for what may not be kept, or was not. */
  isSame(
    call: Call,
    { row_hash, withheld, caller_digest }: Omit<Withheld, "served_hash">,
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

  /** Returns a hash of what was served in the form in which a row with these kinds withheld has it. */
  toStoredHash(hash: string, withheld: string | null): string {
    return isWithoutNumber(withheld) ? this.#keyed().seal(hash) : hash;
  }

  /** Whether a call with this hash is served just as it was when it was stored. */
  isServedAs(hash: string, { served_hash, withheld }: Pick<Withheld, "served_hash" | "withheld">): boolean {
    return served_hash !== null && served_hash === this.toStoredHash(hash, withheld);
  }

  /** Whether something is withheld of a stored call that may be kept now. */
  mayKeepMore(withheld: string | null, kinds: readonly WithheldKind[]): boolean {
    return withheld !== null && !toKinds(withheld).every((kind) => kinds.includes(kind));
  }

  /** Whether a text has the number of a forgotten caller in it, unless it is the stored one. */
  namesForgotten(text: string | null, stored: string | null | undefined): boolean {
    if (this.forgotten === undefined || text === null || text === stored) return false;
    return this.forgotten.mask(text) !== text;
  }

  /** Strips the JSON of a row that does not parse. Without its number nobody could find it to forget its caller. */
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

/** Keeps whatever comes, but for what is of forgotten callers. */
export function keepingAll(warehouse: Warehouse): Keeping {
  return new Keeping(warehouse, cutoffsAt(KEEP_ALL, 0), 0);
}

export function isWithoutLink(withheld: string | null): boolean {
  return toKinds(withheld).includes("recording_urls");
}

function isWithoutNumber(withheld: string | null): boolean {
  return toKinds(withheld).includes("caller_numbers");
}

function toKinds(withheld: string | null): readonly WithheldKind[] {
  return withheld === null ? [] : WITHHELD_KINDS.filter((kind) => withheld.split(",").includes(kind));
}
