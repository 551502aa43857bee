import { inArray, sql } from "drizzle-orm";
import { type AttributedMembers, attributeCall, type CallFacts } from "../../attribution/attribute-call.ts";
import type { AttributionRules } from "../../attribution/attribution-rules.ts";
import { isPseudonym } from "../../privacy/pseudonym.ts";
import { elementsOf, excluded, placeholders, prepareRead, prepareWrite } from "../positional.ts";
import { call_facts } from "../schema.ts";
import type { Tx } from "../transaction.ts";
import type { Warehouse } from "../warehouse.ts";
import type { CallerHash } from "./caller-hash.ts";
import { type CallerCall, CallerTable, isFirstCall } from "./callers.ts";
import { addUnsettled, readUnsettled } from "./first-load.ts";

/** A call whose facts are to be written. */
export interface CallToAttribute {
  call: AttributedMembers & { call_id: number; caller_digest?: string | null };
  /** Whether the service shows it; of a call that has facts already they tell. */
  isLive?: boolean;
  /** Whether it has no facts yet. */
  isNew: boolean;
}

/** The columns of the facts, without the key. */
export const FACTS = [
  "is_live",
  "call_started",
  "duration",
  "outcome",
  "is_qualified",
  "is_first_call",
  "caller",
  "source",
  "medium",
  "campaign",
  "campaign_id",
  "gclid",
  "gclsrc",
  "channel",
  "referring_host",
  "utm_source_folded",
  "utm_medium_folded",
  "utm_campaign_folded",
  "utm_content_folded",
  "utm_term_folded",
  "insight_name",
  "org_unit_id",
  "org_unit_name",
  "tracking_number",
  "disposition",
] as const satisfies readonly (keyof typeof call_facts.$inferInsert)[];

/** The columns of the facts, the key first. */
export const FACT_COLUMNS = ["call_id", ...FACTS] as const;

/** Writes the facts of calls. */
export class CallFactsTable {
  readonly #rules: AttributionRules;
  readonly #isFirstLoad: boolean;
  readonly #digests: CallerHash | undefined;
  readonly #callers: CallerTable;
  readonly #readStored;
  readonly #upsert;

  /**
   * @param rules those in force
   * @param isFirstLoad whether callers are settled by `settleCallers`, once all calls are written
   * @param digests makes the digests by which callers are known, where they are not known by their numbers
   */
  constructor(
    warehouse: Pick<Warehouse, "db" | "sqlite">,
    rules: AttributionRules,
    { isFirstLoad, digests }: { isFirstLoad: boolean; digests: CallerHash | undefined },
  ) {
    const { db, sqlite } = warehouse;
    this.#isFirstLoad = isFirstLoad;
    this.#digests = digests;
    this.#rules = rules;
    this.#callers = new CallerTable(warehouse);
    this.#readStored = prepareReadStored(warehouse);
    // Which call is first is settled at the end: what is stored of it stays until then.
    const updated = isFirstLoad ? FACTS.filter((column) => column !== "is_first_call") : FACTS;
    this.#upsert = prepareWrite<(typeof FACT_COLUMNS)[number]>(
      sqlite,
      db
        .insert(call_facts)
        .values(placeholders(FACT_COLUMNS))
        .onConflictDoUpdate({ target: call_facts.call_id, set: excluded(updated) }),
    );
  }

  /** Writes the facts of calls that are new or have other content; each call once. */
  write(tx: Tx, calls: readonly CallToAttribute[]): void {
    if (calls.length === 0) return;
    const known = calls.filter(({ isNew }) => !isNew).map(({ call }) => call.call_id);
    const allStored = this.#readStored(known);
    const before = new Map(allStored.map((facts) => [facts.call_id, facts]));
    const rows = calls.map(({ call, isLive = true }) => {
      const { call_id } = call;
      const stored = before.get(call_id);
      const facts = attributeCall(call, this.#rules);
      const caller = this.#toCaller(facts, call.caller_digest);
      const is_first_call = stored?.is_first_call ?? false;
      return { ...facts, caller, call_id, is_live: stored?.is_live ?? isLive, is_first_call, stored };
    });
    if (this.#isFirstLoad) {
      addUnsettled(tx, rows.length);
      for (const row of rows) this.#upsert(row);
      return;
    }
    // Of a call that goes on being live, the same caller's at the same time, nothing changes for its caller.
    const moved = rows.filter(
      ({ stored, caller, call_started }) =>
        stored === undefined || stored.caller !== caller || stored.call_started !== call_started,
    );
    const movedIds = new Set(moved.map(({ call_id }) => call_id));
    const change = this.#callers.begin(
      allStored.filter(({ call_id, is_live }) => is_live && movedIds.has(call_id)),
      moved.filter(({ is_live }) => is_live),
    );
    for (const row of moved) row.is_first_call = isFirstCall(change, row);
    for (const row of rows) this.#upsert(row);
    this.#callers.end(change, movedIds);
  }

  #toCaller({ caller }: CallFacts, digest: string | null | undefined): string | null {
    if (this.#digests === undefined || isPseudonym(caller)) return caller;
    return digest ?? (caller === null ? null : this.#digests.hash(caller));
  }
}

/** Records in the facts whether the service shows calls. */
export function setLive(warehouse: Tx, callIds: readonly number[], isLive: boolean): void {
  if (callIds.length === 0) return;
  const others = prepareReadStored(warehouse)(callIds).filter((stored) => stored.is_live !== isLive);
  const isSettled = readUnsettled(warehouse) === 0;
  const callers = new CallerTable(warehouse);
  const change = isSettled
    ? callers.begin(
        others.filter(({ is_live }) => is_live),
        others.filter(({ is_live }) => !is_live),
      )
    : new Map();
  const ids = JSON.stringify(others.map(({ call_id }) => call_id));
  warehouse.db
    .update(call_facts)
    .set({ is_live: isLive })
    .where(sql`${call_facts.call_id} IN (SELECT value FROM json_each(${ids}))`)
    .run();
  callers.end(change);
}

/** What was stored of a call that decides about its caller's first. */
interface StoredFacts extends CallerCall {
  is_live: boolean;
  is_first_call: boolean;
}

function prepareReadStored({
  db,
  sqlite,
}: Pick<Warehouse, "db" | "sqlite">): (callIds: readonly number[]) => StoredFacts[] {
  const { call_id, caller, call_started, is_live, is_first_call } = call_facts;
  const read = prepareRead<
    [id: number, caller: string | null, started: string | null, live: number, first: number]
  >(
    sqlite,
    db
      .select({ call_id, caller, call_started, is_live, is_first_call })
      .from(call_facts)
      .where(inArray(call_id, elementsOf("ids"))),
  );
  return (callIds) =>
    read(JSON.stringify(callIds)).map(([call_id, caller, call_started, live, first]) => ({
      call_id,
      caller,
      call_started,
      is_live: live === 1,
      is_first_call: first === 1,
    }));
}
