import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { elementsOf, excluded, placeholders, prepareRead, prepareWrite } from "../positional.ts";
import { call_facts, callers } from "../schema.ts";
import type { Warehouse } from "../warehouse.ts";

/** A live call, by what decides about its caller's first. */
export interface CallerCall {
  call_id: number;
  caller: string | null;
  call_started: string | null;
}

type FirstCall = Omit<CallerCall, "caller">;

interface Entry {
  /** As stored before the change. */
  before: FirstCall | undefined;
  first: FirstCall | undefined;
  calls: number;
  /** Whether the first call went, and the next is to be looked for. */
  isOpen: boolean;
}

/** What is kept of a caller. */
const KEPT = ["first_call_id", "first_call_started", "calls"] as const;
/** Comes after any start. */
const NO_START = "~";

/**
 * Keeps the callers, and which call is the first of each, in step with the facts. A change is begun before the facts of
 * its calls are written, since they say whether a call is the first, and ended after it.
 */
export class CallerTable {
  readonly #readCallers;
  readonly #readFirst;
  readonly #upsert;
  readonly #delete;
  readonly #setFirst;

  constructor({ db, sqlite }: Pick<Warehouse, "db" | "sqlite">) {
    const { caller, first_call_id, first_call_started, calls } = callers;
    this.#readCallers = prepareRead<[caller: string, id: number, started: string | null, calls: number]>(
      sqlite,
      db
        .select({ caller, first_call_id, first_call_started, calls })
        .from(callers)
        .where(inArray(caller, elementsOf("callers"))),
    );
    this.#readFirst = prepareRead<[id: number, started: string | null]>(
      sqlite,
      db
        .select({ call_id: call_facts.call_id, call_started: call_facts.call_started })
        .from(call_facts)
        .where(and(eq(call_facts.caller, sql.placeholder("caller")), sql`${call_facts.is_live}`))
        .orderBy(sql`${call_facts.call_started} NULLS LAST`, asc(call_facts.call_id))
        .limit(sql.placeholder("limit")),
    );
    this.#upsert = prepareWrite<"caller" | (typeof KEPT)[number]>(
      sqlite,
      db
        .insert(callers)
        .values(placeholders(["caller", ...KEPT]))
        .onConflictDoUpdate({ target: caller, set: excluded(KEPT) }),
    );
    this.#delete = prepareWrite<"caller">(
      sqlite,
      db.delete(callers).where(eq(caller, sql.placeholder("caller"))),
    );
    this.#setFirst = prepareWrite<"is_first_call" | "call_id">(
      sqlite,
      db
        .update(call_facts)
        .set({ is_first_call: sql`${sql.placeholder("is_first_call")}` })
        .where(eq(call_facts.call_id, sql.placeholder("call_id"))),
    );
  }

  /** Begins a change: calls that are live no more, and calls that are from now on. */
  begin(removed: readonly CallerCall[], added: readonly CallerCall[]): Map<string, Entry> {
    const names = new Set([...removed, ...added].map(({ caller }) => caller));
    const entries = new Map<string, Entry>();
    for (const [caller, call_id, call_started, calls] of this.#readCallers(JSON.stringify([...names]))) {
      const first = { call_id, call_started };
      entries.set(caller, { before: first, first, calls, isOpen: false });
    }
    const entryOf = (caller: string): Entry => {
      const known = entries.get(caller);
      if (known !== undefined) return known;
      const entry = { before: undefined, first: undefined, calls: 0, isOpen: false };
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

  /**
   * Ends a change.
   *
   * @param written ids of the calls whose facts say already that they are first, or not
   */
  end(entries: ReadonlyMap<string, Entry>, written: ReadonlySet<number> = new Set()): void {
    for (const [caller, entry] of entries) {
      if (entry.isOpen) {
        const [first] = this.#readFirst(caller, 1);
        entry.first = first && { call_id: first[0], call_started: first[1] };
      }
      const { before, first, calls, isOpen } = entry;
      const isOther = before?.call_id !== first?.call_id;
      // One that was written may be the first of another caller now.
      if (before !== undefined && isOther && !written.has(before.call_id)) {
        this.#setFirst({ call_id: before.call_id, is_first_call: 0 });
      }
      if (first === undefined) {
        this.#delete({ caller });
        continue;
      }
      if (isOpen || (isOther && !written.has(first.call_id))) {
        this.#setFirst({ call_id: first.call_id, is_first_call: 1 });
      }
      this.#upsert({ caller, first_call_id: first.call_id, first_call_started: first.call_started, calls });
    }
  }
}

/** Whether a call is known, in a change that has begun, to be its caller's first. */
export function isFirstCall(entries: ReadonlyMap<string, Entry>, { caller, call_id }: CallerCall): boolean {
  const entry = caller === null ? undefined : entries.get(caller);
  return entry?.isOpen === false && entry.first?.call_id === call_id;
}

/** Calls of unknown time come last, and of two at the same moment the one with the lower id first. */
function isBefore(a: FirstCall, b: FirstCall): boolean {
  if (a.call_started === b.call_started) return a.call_id < b.call_id;
  return (a.call_started ?? NO_START) < (b.call_started ?? NO_START);
}
