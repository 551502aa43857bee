import { and, eq, getTableColumns, getTableName, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { namesOf } from "../../base/records.ts";
import { about, describeTable } from "../described.ts";
import type { Tx } from "../transaction.ts";
import { prepareUpsert } from "../upsert.ts";
import type { Warehouse } from "../warehouse.ts";
import { fact_changes, withoutFactLog } from "./fact-log.ts";
import { call_facts } from "./facts.ts";

export const callers = sqliteTable("callers", {
  caller: about(text().primaryKey(), "The number as `+` and digits, or its keyed digest.", "caller"),
  first_call_id: about(
    integer().notNull(),
    "The caller's first live call: ties go to the lower id; one without a start only if there is no other.",
  ),
  first_call_started: about(text(), "Start of that call, ISO 8601 UTC."),
  calls: about(integer().notNull(), "Number of live calls."),
});
export const CALLERS = describeTable(callers, "The callers of live calls, one row per caller.");

export interface CallerCall {
  call_id: number;
  caller: string | null;
  call_started: string | null;
}

type FirstCall = Omit<CallerCall, "caller">;

interface Entry {
  before: FirstCall | undefined;
  first: FirstCall | undefined;
  calls: number;
  /** Whether the first call was removed, and the next must be found. */
  isOpen: boolean;
}

/** Sorts after any start. */
const NO_START = "~";

/** Keeps first calls consistent with the facts: begin a change before the facts are written, and end it afterwards. */
export class CallerTable {
  readonly #readCallers;
  readonly #readFirst;
  readonly #upsert;
  readonly #delete;
  readonly #setFirst;

  constructor(warehouse: Warehouse) {
    const { db, sqlite } = warehouse;
    const { call_id, caller, call_started, is_live } = call_facts;
    this.#readCallers = sqlite.prepare<[string], FirstCall & { caller: string; calls: number }>(
      `SELECT caller, first_call_id AS call_id, first_call_started AS call_started, calls FROM callers
        WHERE caller IN (SELECT value FROM json_each(?))`,
    );
    this.#readFirst = db
      .select({ call_id, call_started })
      .from(call_facts)
      .where(and(eq(caller, sql.placeholder("caller")), eq(is_live, true)))
      .orderBy(sql`${call_started} NULLS LAST`, call_id)
      .limit(1)
      .prepare();
    this.#upsert = prepareUpsert(warehouse, callers, namesOf(getTableColumns(callers)));
    this.#delete = db
      .delete(callers)
      .where(eq(callers.caller, sql.placeholder("caller")))
      .prepare();
    this.#setFirst = db
      .update(call_facts)
      .set({ is_first_call: sql`${sql.placeholder("isFirst")}` })
      .where(eq(call_id, sql.placeholder("call_id")))
      .prepare();
  }

  begin(removed: readonly CallerCall[], added: readonly CallerCall[]): Map<string, Entry> {
    const names = new Set([...removed, ...added].map(({ caller }) => caller));
    const entries = new Map<string, Entry>();
    for (const { caller, calls, ...first } of this.#readCallers.all(JSON.stringify([...names]))) {
      entries.set(caller, { before: first, first, calls, isOpen: false });
    }
    const entryOf = (caller: string): Entry => {
      const entry = entries.get(caller) ?? { before: undefined, first: undefined, calls: 0, isOpen: false };
      entries.set(caller, entry);
      return entry;
    };
    for (const { caller, call_id } of removed) {
      if (caller === null) continue;
      const entry = entryOf(caller);
      entry.calls--;
      entry.isOpen ||= entry.first?.call_id === call_id;
    }
    for (const { caller, ...call } of added) {
      if (caller === null) continue;
      const entry = entryOf(caller);
      entry.calls++;
      if (entry.first === undefined || isBefore(call, entry.first)) entry.first = call;
    }
    return entries;
  }

  /** @param written ids of calls whose stored facts already have the right first-call flag */
  end(entries: ReadonlyMap<string, Entry>, written: ReadonlySet<number> = new Set()): void {
    for (const [caller, entry] of entries) {
      if (entry.isOpen) entry.first = this.#readFirst.get({ caller });
      const { before, first, calls, isOpen } = entry;
      const isOther = before?.call_id !== first?.call_id;
      // A call that was written may now be another caller's first.
      if (before && isOther && !written.has(before.call_id))
        this.#setFirst.run({ isFirst: 0, call_id: before.call_id });
      if (first === undefined) {
        this.#delete.run({ caller });
        continue;
      }
      if (isOpen || (isOther && !written.has(first.call_id)))
        this.#setFirst.run({ isFirst: 1, call_id: first.call_id });
      this.#upsert({ caller, first_call_id: first.call_id, first_call_started: first.call_started, calls });
    }
  }
}

/** Whether a call is its caller's first, in a change that has begun. */
export function isFirstCall(entries: ReadonlyMap<string, Entry>, { caller, call_id }: CallerCall): boolean {
  const entry = caller === null ? undefined : entries.get(caller);
  return entry?.isOpen === false && entry.first?.call_id === call_id;
}

/** Calls without a start come last; ties go to the lower id. */
function isBefore(a: FirstCall, b: FirstCall): boolean {
  if (a.call_started === b.call_started) return a.call_id < b.call_id;
  return (a.call_started ?? NO_START) < (b.call_started ?? NO_START);
}

/** Renames callers in all facts, without logging it as a change of facts. */
export function renameCallers(tx: Tx, toName: (caller: string) => string): void {
  const { sqlite } = tx;
  sqlite.function("renamed_caller", { directOnly: true, deterministic: true }, (caller) =>
    toName(String(caller)),
  );
  withoutFactLog(tx, () => {
    for (const table of [call_facts, callers, fact_changes]) {
      sqlite.exec(`UPDATE ${getTableName(table)} SET caller = renamed_caller(caller)
        WHERE caller IS NOT NULL AND caller <> renamed_caller(caller)`);
    }
  });
}

/** Returns the first live call of the same caller. */
export function readFirstCall({ db }: Warehouse, callId: number) {
  const { call_id, caller, call_started } = call_facts;
  const own = db.select({ caller }).from(call_facts).where(eq(call_id, callId)).get()?.caller;
  if (own == null) return undefined;
  return db
    .select({ call_id, call_started })
    .from(callers)
    .innerJoin(call_facts, eq(call_id, callers.first_call_id))
    .where(eq(callers.caller, own))
    .get();
}
