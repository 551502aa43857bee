import { sql } from "drizzle-orm";
import { integer, sqliteTable } from "drizzle-orm/sqlite-core";
import { about, describeTable } from "./described.ts";
import type { Reader, Warehouse } from "./warehouse.ts";

export const moment = sqliteTable("moment", {
  moment_ms: about(integer().primaryKey(), "The moment, in milliseconds since 1970."),
});
export const MOMENT = describeTable(
  moment,
  "The moment of the last transaction that wrote, which is the `changed_ms` of the calls that it changed: one row.",
);

const IN_TRANSACTION = Symbol("in a transaction");

export interface Tx extends Warehouse {
  readonly [IN_TRANSACTION]: true;
}

/** Runs `work` in one immediate transaction. An async `work` would continue after the commit, so its type is refused. */
export function writeTransaction<T>(
  warehouse: Warehouse,
  work: (tx: Tx) => T extends PromiseLike<unknown> ? never : T,
): T {
  warehouse.assertInPlace();
  return warehouse.sqlite.transaction(() => work(toTx(warehouse))).immediate();
}

/** Runs `work` like {@link writeTransaction}; keeps what it wrote only if it says so. */
export function tentativeTransaction<T>(
  warehouse: Warehouse,
  work: (tx: Tx) => { result: T; isKept: boolean },
): T {
  using _rollback = begin(warehouse);
  const { result, isKept } = work(toTx(warehouse));
  if (isKept) warehouse.sqlite.exec("COMMIT");
  return result;
}

/** Runs async work in one immediate transaction, on a connection that nothing else uses meanwhile. */
export async function longTransaction<T>(warehouse: Warehouse, work: (tx: Tx) => Promise<T>): Promise<T> {
  using _rollback = begin(warehouse);
  const result = await work(toTx(warehouse));
  warehouse.sqlite.exec("COMMIT");
  return result;
}

function begin({ sqlite, assertInPlace }: Warehouse): Disposable {
  assertInPlace();
  sqlite.exec("BEGIN IMMEDIATE");
  return {
    [Symbol.dispose]() {
      // A full disk has already ended it.
      if (sqlite.inTransaction) sqlite.exec("ROLLBACK");
    },
  };
}

function toTx(warehouse: Warehouse): Tx {
  beginMoment(warehouse);
  return { ...warehouse, [IN_TRANSACTION]: true };
}

/** Begins a moment that is later than those of all earlier transactions, even if the clock was set back. */
export function beginMoment({ db }: Pick<Warehouse, "db">, earliestMs = 0): void {
  const nowMs = Math.max(earliestMs, Date.now());
  db.update(moment)
    .set({ moment_ms: sql`max(${moment.moment_ms} + 1, ${nowMs})` })
    .run();
}

/** Returns the moment of a transaction, in milliseconds since 1970. */
export function readMoment({ db }: Pick<Reader, "db">): number {
  return db.select().from(moment).get()?.moment_ms ?? 0;
}
