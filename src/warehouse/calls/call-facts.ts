import { sql } from "drizzle-orm";
import { attributeCall } from "../../calls/attribution/attribute-call.ts";
import type { AttributionRules } from "../../calls/attribution/attribution-rules.ts";
import type { AttributedMembers } from "../../calls/attribution/call-traits.ts";
import { isPseudonym } from "../../calls/privacy/pseudonym.ts";
import { readMoment, type Tx } from "../transaction.ts";
import { prepareUpsert } from "../upsert.ts";
import type { Reader, Warehouse } from "../warehouse.ts";
import type { CallerHash } from "./caller-hash.ts";
import { type CallerCall, CallerTable, isFirstCall } from "./caller-table.ts";
import { call_facts, FACT_COLUMNS, STORED_FACTS } from "./facts.ts";
import { addUnsettled, readUnsettled } from "./first-load.ts";

export interface CallToAttribute {
  call: AttributedMembers & { call_id: number; caller_digest?: string | null };
  /** As stored, or as derived before its transcript was removed. @default derived */
  topic?: string | null | undefined;
  /** Whether the service lists it. @default as the stored facts say */
  isLive?: boolean;
  isNew: boolean;
}

export class CallFactsTable {
  readonly #rules: AttributionRules;
  readonly #isFirstLoad: boolean;
  readonly #digests: CallerHash | undefined;
  readonly #callers: CallerTable;
  readonly #readStored;
  readonly #upsert;

  /** @param isFirstLoad whether `settleCallers` finds first calls after all calls are written */
  constructor(
    warehouse: Warehouse,
    rules: AttributionRules,
    { isFirstLoad, digests }: { isFirstLoad: boolean; digests: CallerHash | undefined },
  ) {
    this.#isFirstLoad = isFirstLoad;
    this.#digests = digests;
    this.#rules = rules;
    this.#callers = new CallerTable(warehouse);
    this.#readStored = prepareReadStored(warehouse);
    // A first load settles first calls at its end; until then the stored value stays.
    const updated = isFirstLoad ? STORED_FACTS.filter((column) => column !== "is_first_call") : STORED_FACTS;
    this.#upsert = prepareUpsert(warehouse, call_facts, [...FACT_COLUMNS, "changed_ms"], updated);
  }

  /** Writes the facts of new and changed calls; each call may occur once. */
  write(tx: Tx, calls: readonly CallToAttribute[]): void {
    if (calls.length === 0) return;
    if (this.#isFirstLoad) addUnsettled(tx, calls.length);
    const known = calls.filter(({ isNew }) => !isNew).map(({ call }) => call.call_id);
    const allStored = this.#readStored(known);
    const before = new Map(allStored.map((facts) => [facts.call_id, facts]));
    const attributed = calls.map(({ call, topic, isLive = true }) => {
      const facts = attributeCall(call, this.#rules, topic);
      const caller = toFactCaller(facts.caller, call.caller_digest, this.#digests);
      return { call_id: call.call_id, facts, caller, isLive };
    });
    const idOf = this.#callers.prepareIdOf(attributed);
    const changed_ms = readMoment(tx);
    const rows = attributed.map(({ call_id, facts, caller, isLive }) => {
      const stored = before.get(call_id);
      const is_first_call = stored?.is_first_call ?? false;
      const is_live = stored?.is_live ?? isLive;
      return { ...facts, caller_id: idOf(caller), call_id, is_live, is_first_call, changed_ms, stored };
    });
    if (this.#isFirstLoad) {
      for (const row of rows) this.#upsert(row);
      return;
    }
    // A call that stays live, with the same caller and start, changes nothing for its caller.
    const moved = rows.filter(
      ({ stored, caller_id, call_started }) =>
        stored === undefined || stored.caller_id !== caller_id || stored.call_started !== call_started,
    );
    const movedIds = new Set(moved.map(({ call_id }) => call_id));
    const change = this.#callers.begin(
      allStored.filter(({ call_id }) => movedIds.has(call_id)),
      moved.filter(({ is_live }) => is_live),
    );
    for (const row of moved) row.is_first_call = isFirstCall(change, row);
    for (const row of rows) this.#upsert(row);
    this.#callers.end(change, movedIds);
  }
}

/** Returns the caller as facts have it: the number, or its digest. @param digest of a number that is not kept */
export function toFactCaller(
  caller: string | null,
  digest: string | null | undefined,
  digests: CallerHash | undefined,
): string | null {
  if (digests === undefined || isPseudonym(caller)) return caller;
  return digest ?? (caller === null ? null : digests.hash(caller));
}

export function setLive(warehouse: Tx, callIds: readonly number[], isLive: boolean): void {
  if (callIds.length === 0) return;
  const others = prepareReadStored(warehouse)(callIds).filter((stored) => stored.is_live !== isLive);
  const isSettled = readUnsettled(warehouse) === 0;
  const callers = new CallerTable(warehouse);
  const change = callers.begin(isSettled && !isLive ? others : [], isSettled && isLive ? others : []);
  const ids = JSON.stringify(others.map(({ call_id }) => call_id));
  warehouse.db
    .update(call_facts)
    .set({ is_live: isLive })
    .where(sql`${call_facts.call_id} IN (SELECT value FROM json_each(${ids}))`)
    .run();
  callers.end(change);
}

function prepareReadStored({ sqlite }: Reader) {
  const read = sqlite.prepare<[string], CallerCall & { live: number; first: number }>(
    `SELECT call_id, caller_id, call_started, is_live AS live, is_first_call AS first FROM call_facts
      WHERE call_id IN (SELECT value FROM json_each(?))`,
  );
  return (callIds: readonly number[]) =>
    read.all(JSON.stringify(callIds)).map(({ live, first, ...call }) => ({
      ...call,
      is_live: live === 1,
      is_first_call: first === 1,
    }));
}
