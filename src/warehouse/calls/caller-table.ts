import { and, eq, max, sql } from "drizzle-orm";
import type { Reader, Warehouse } from "../warehouse.ts";
import { CALLER_INDEX, callers, indexCallers } from "./callers.ts";
import { call_facts } from "./facts.ts";

export interface CallerCall {
  call_id: number;
  caller_id: number | null;
  call_started: string | null;
}

type FirstCall = Omit<CallerCall, "caller_id">;

interface Entry {
  before: FirstCall | undefined;
  first: FirstCall | undefined;
  /** Whether the first call was removed, and the next must be found. */
  isOpen: boolean;
}

/**
 * Up to so many callers (80 MB), a first load keeps them in memory instead of an index: new callers come in random
 * order, and each page would write most of that index again.
 */
const MAX_REMEMBERED = 1_000_000;

/** Sorts after any start. */
const NO_START = "~";

/** Keeps first calls consistent with the facts: begin a change before the facts are written, and end it afterwards. */
export class CallerTable {
  readonly #warehouse: Warehouse;
  readonly #isIndexed;
  readonly #insert;
  readonly #insertAll;
  readonly #readIds;
  readonly #readLast;
  #remembered = new Map<string, number>();
  #last: number | null = null;
  readonly #readEntries;
  readonly #readFirst;
  readonly #update;
  readonly #delete;
  readonly #setFirst;

  constructor(warehouse: Warehouse) {
    const { db, sqlite } = warehouse;
    this.#warehouse = warehouse;
    const { call_id, caller_id, call_started, is_live } = call_facts;
    this.#isIndexed = sqlite.prepare<[string]>("SELECT 1 FROM sqlite_schema WHERE name = ?");
    this.#insert = sqlite.prepare<[string]>("INSERT INTO callers (caller) VALUES (?)");
    this.#readLast = db
      .select({ caller_id: max(callers.caller_id) })
      .from(callers)
      .prepare();
    this.#insertAll = sqlite.prepare<[string]>(
      "INSERT OR IGNORE INTO callers (caller) SELECT value FROM json_each(?)",
    );
    this.#readIds = sqlite
      .prepare<[string], [caller: string, caller_id: number]>(
        "SELECT value, caller_id FROM json_each(?) CROSS JOIN callers ON caller = value",
      )
      .raw();
    this.#readEntries = sqlite.prepare<[string], CallerCall & { caller_id: number; call_id: number | null }>(
      `SELECT caller_id, first_call_id AS call_id, first_call_started AS call_started FROM callers
        WHERE caller_id IN (SELECT value FROM json_each(?))`,
    );
    this.#readFirst = db
      .select({ call_id, call_started })
      .from(call_facts)
      .where(and(eq(caller_id, sql.placeholder("caller_id")), eq(is_live, true)))
      .orderBy(sql`${call_started} NULLS LAST`, call_id)
      .limit(1)
      .prepare();
    this.#update = db
      .update(callers)
      .set({
        first_call_id: sql`${sql.placeholder("first_call_id")}`,
        first_call_started: sql`${sql.placeholder("first_call_started")}`,
      })
      .where(eq(callers.caller_id, sql.placeholder("caller_id")))
      .prepare();
    // Searching a log would take long: unused callers go when it is trimmed.
    this.#delete = sqlite.prepare<[number]>(
      `DELETE FROM callers WHERE caller_id = ? AND NOT EXISTS (SELECT 1 FROM fact_changes)
        AND NOT EXISTS (SELECT 1 FROM call_facts WHERE call_facts.caller_id = callers.caller_id)`,
    );
    this.#setFirst = db
      .update(call_facts)
      .set({ is_first_call: sql`${sql.placeholder("isFirst")}` })
      .where(eq(call_id, sql.placeholder("call_id")))
      .prepare();
  }

  /** Adds new callers; returns a function from a caller of these calls to the id. */
  prepareIdOf(calls: readonly { caller: string | null }[]): (caller: string | null) => number | null {
    const names = new Set(calls.flatMap(({ caller }) => caller ?? []));
    const ids = this.#isIndexed.get(CALLER_INDEX) === undefined ? this.#remember(names) : this.#find(names);
    return (caller) => (caller === null ? null : (ids.get(caller) ?? null));
  }

  #find(names: ReadonlySet<string>): ReadonlyMap<string, number> {
    const sorted = JSON.stringify([...names].sort());
    this.#insertAll.run(sorted);
    return new Map(this.#readIds.all(sorted));
  }

  #remember(names: ReadonlySet<string>): ReadonlyMap<string, number> {
    // After a resumption, or a transaction that was rolled back, memory is not what is stored.
    if (this.#readLastId() !== this.#last) this.#remembered = new Map(this.#readAll());
    const ids = this.#remembered;
    for (const caller of names) {
      if (!ids.has(caller)) ids.set(caller, Number(this.#insert.run(caller).lastInsertRowid));
    }
    this.#last = this.#readLastId();
    if (ids.size > MAX_REMEMBERED) {
      indexCallers(this.#warehouse);
      this.#remembered = new Map();
    }
    return ids;
  }

  #readLastId(): number | null {
    return this.#readLast.get()?.caller_id ?? null;
  }

  #readAll(): Iterable<[caller: string, caller_id: number]> {
    const { sqlite } = this.#warehouse;
    return sqlite.prepare<[], [string, number]>("SELECT caller, caller_id FROM callers").raw().iterate();
  }

  /** @param removed may have gone calls among them @param added live calls */
  begin(removed: readonly CallerCall[], added: readonly CallerCall[]): Map<number, Entry> {
    const ids = new Set([...removed, ...added].map(({ caller_id }) => caller_id));
    const entries = new Map<number, Entry>();
    for (const { caller_id, call_id, call_started } of this.#readEntries.all(JSON.stringify([...ids]))) {
      const first = call_id === null ? undefined : { call_id, call_started };
      entries.set(caller_id, { before: first, first, isOpen: false });
    }
    const entryOf = ({ caller_id }: CallerCall) => (caller_id === null ? undefined : entries.get(caller_id));
    for (const call of removed) {
      const entry = entryOf(call);
      if (entry) entry.isOpen ||= entry.first?.call_id === call.call_id;
    }
    for (const call of added) {
      const entry = entryOf(call);
      if (entry && (entry.first === undefined || isBefore(call, entry.first))) entry.first = call;
    }
    return entries;
  }

  /** @param written ids of calls whose stored facts already have the right first-call flag */
  end(entries: ReadonlyMap<number, Entry>, written: ReadonlySet<number> = new Set()): void {
    for (const [caller_id, entry] of entries) {
      if (entry.isOpen) entry.first = this.#readFirst.get({ caller_id });
      const { before, first, isOpen } = entry;
      const isOther = before?.call_id !== first?.call_id;
      // A call that was written may now be another caller's first.
      if (before && isOther && !written.has(before.call_id))
        this.#setFirst.run({ isFirst: 0, call_id: before.call_id });
      if (first && (isOpen || (isOther && !written.has(first.call_id))))
        this.#setFirst.run({ isFirst: 1, call_id: first.call_id });
      if (isOther || before?.call_started !== first?.call_started)
        this.#update.run({
          first_call_id: first?.call_id ?? null,
          first_call_started: first?.call_started ?? null,
          caller_id,
        });
      if (first === undefined) this.#delete.run(caller_id);
    }
  }
}

/** Whether a call is its caller's first, in a change that has begun. */
export function isFirstCall(
  entries: ReadonlyMap<number, Entry>,
  { caller_id, call_id }: CallerCall,
): boolean {
  const entry = caller_id === null ? undefined : entries.get(caller_id);
  return entry?.isOpen === false && entry.first?.call_id === call_id;
}

/** Calls without a start come last; ties go to the lower id. */
function isBefore(a: FirstCall, b: FirstCall): boolean {
  if (a.call_started === b.call_started) return a.call_id < b.call_id;
  return (a.call_started ?? NO_START) < (b.call_started ?? NO_START);
}

/** Returns the first live call of the same caller. */
export function readFirstCall({ db }: Reader, callId: number) {
  const { first_call_id, first_call_started } = callers;
  const first = db
    .select({ call_id: first_call_id, call_started: first_call_started })
    .from(call_facts)
    .innerJoin(callers, eq(callers.caller_id, call_facts.caller_id))
    .where(eq(call_facts.call_id, callId))
    .get();
  return first?.call_id == null ? undefined : { ...first, call_id: first.call_id };
}
