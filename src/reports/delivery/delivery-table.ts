import { and, count, eq, gte, inArray, lt, max, sql } from "drizzle-orm";
import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { hasEnded, markProcess } from "../../base/process-mark.ts";
import { about, describeTable } from "../../warehouse/described.ts";
import { writeTransaction } from "../../warehouse/transaction.ts";
import type { Reader, Warehouse } from "../../warehouse/warehouse.ts";
import { type ReportRun, report_runs } from "./report-run-table.ts";

const columns = {
  delivery_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the delivery."),
  report_run_id: about(
    integer()
      .notNull()
      .references(() => report_runs.report_run_id),
    "The report run.",
  ),
  channel: about(text({ enum: ["email", "webhook", "command"] }).notNull(), "email, webhook or command."),
  recipient: about(
    text().notNull(),
    "The mail address; or the host of a web hook or the program of a command, with eight digits of a hash of the rest.",
    "recipient",
  ),
  status: about(
    text({ enum: ["pending", "sending", "delivered", "failed", "outcome unknown"] }).notNull(),
    "pending, sending, delivered, failed, or outcome unknown: it may have arrived. Only pending ones are sent automatically.",
  ),
  attempts: about(integer().notNull().default(0), "Attempts so far."),
  last_error: about(text(), "Error of the last attempt, without secrets; null for none.", "text"),
  started_at: about(text(), "Start of the first attempt, ISO 8601 UTC; null before it."),
  finished_at: about(text(), "When it was delivered, failed or became unknown, ISO 8601 UTC; null before."),
  message_id: about(text(), "Message-ID of an e-mail, the same in each attempt; null for other channels."),
  process: about(text(), "The process of the last attempt, as in `report_runs`; null before the first one."),
};

export const deliveries = sqliteTable("deliveries", columns, (table) => [
  uniqueIndex("deliveries_once").on(table.report_run_id, table.channel, table.recipient),
]);
export const DELIVERIES = describeTable(deliveries, "A report run's delivery to one recipient.");

export type Delivery = typeof deliveries.$inferSelect;
export type Channel = Delivery["channel"];
export type DeliveryStatus = Delivery["status"];

export type DeliveryKey = Pick<Delivery, "channel" | "recipient" | "message_id">;

/** The state of a delivery whose process was killed while sending. */
const ABANDONED = {
  status: "outcome unknown",
  last_error: "The process ended while sending",
} as const;

/**
 * Records the recipients of a report run before anything is sent, and returns the ledger's entry for each, in the
 * same order. A delivery whose process was killed while sending becomes `outcome unknown`.
 */
export function openDeliveries(
  warehouse: Warehouse,
  runId: number,
  keys: readonly DeliveryKey[],
  now: string,
): Delivery[] {
  // An entry lost in a power cut would mean a second mail.
  warehouse.sqlite.pragma("synchronous = FULL");
  return writeTransaction(warehouse, () => {
    const { db } = warehouse;
    for (const key of keys) {
      const row = { report_run_id: runId, ...key, status: "pending" } as const;
      db.insert(deliveries).values(row).onConflictDoNothing().run();
    }
    const abandoned = readStored(warehouse, runId).filter(isAbandoned);
    const ids = abandoned.map(({ delivery_id }) => delivery_id);
    const unknown = { ...ABANDONED, finished_at: now };
    db.update(deliveries).set(unknown).where(inArray(deliveries.delivery_id, ids)).run();
    const rows = readStored(warehouse, runId);
    return keys.map(({ channel, recipient }) => {
      const row = rows.find((each) => each.channel === channel && each.recipient === recipient);
      if (row === undefined) throw new Error(`The delivery to ${recipient} was not recorded`);
      return row;
    });
  });
}

export function recordAttempt({ db }: Warehouse, deliveryId: number, now: string): void {
  db.update(deliveries)
    .set({
      attempts: sql`${deliveries.attempts} + 1`,
      started_at: sql`coalesce(${deliveries.started_at}, ${now})`,
      process: markProcess() ?? null,
    })
    .where(eq(deliveries.delivery_id, deliveryId))
    .run();
}

/** Returns false if another process has it, or has settled it. */
export function claimDelivery({ db }: Warehouse, deliveryId: number): boolean {
  const isPending = and(eq(deliveries.delivery_id, deliveryId), eq(deliveries.status, "pending"));
  const claimed = { status: "sending", process: markProcess() ?? null } as const;
  return db.update(deliveries).set(claimed).where(isPending).run().changes === 1;
}

export interface AttemptEnd {
  /** `pending` if there will be another attempt. */
  status: Exclude<DeliveryStatus, "sending">;
  error: string | null;
  /** Whether this attempt has claimed the delivery; otherwise it must not touch another process's claim. */
  isClaimed: boolean;
  /** ISO 8601 UTC. */
  now: string;
}

export function recordAttemptEnd(
  { db }: Warehouse,
  deliveryId: number,
  { status, error, isClaimed, now }: AttemptEnd,
): void {
  const isIt = eq(deliveries.delivery_id, deliveryId);
  db.update(deliveries)
    .set({ status, last_error: error, finished_at: status === "pending" ? null : now })
    .where(isClaimed ? isIt : and(isIt, eq(deliveries.status, "pending")))
    .run();
}

export function readDelivery({ db }: Reader, deliveryId: number): Delivery {
  const row = db.select().from(deliveries).where(eq(deliveries.delivery_id, deliveryId)).get();
  if (row === undefined) throw new Error(`There is no delivery ${deliveryId}`);
  return row;
}

/** In the order recorded; what a killed process was sending is `outcome unknown`. */
export function readDeliveries(warehouse: Reader, runId: number): Delivery[] {
  return readStored(warehouse, runId).map((row) => (isAbandoned(row) ? { ...row, ...ABANDONED } : row));
}

function readStored({ db }: Reader, runId: number): Delivery[] {
  const isOfRun = eq(deliveries.report_run_id, runId);
  return db.select().from(deliveries).where(isOfRun).orderBy(deliveries.delivery_id).all();
}

/** Whether somebody has the report, or may have it. */
const MAY_HAVE_ARRIVED: DeliveryStatus[] = ["sending", "delivered", "outcome unknown"];

/**
 * Returns which numbers of news a run has to report: after the last one that somebody got, undefined if nobody got any; and
 * up to the last one of its first attempt, null for a new run.
 */
export function readNewsSpan(
  { db }: Reader,
  { runId, report, account }: { runId: number } & Pick<ReportRun, "report" | "account">,
): { after: number | undefined; upTo: number | null } {
  const run = db.select().from(report_runs).where(eq(report_runs.report_run_id, runId)).get();
  const reported = db
    .select({ until: max(report_runs.news_until) })
    .from(report_runs)
    .innerJoin(deliveries, eq(deliveries.report_run_id, report_runs.report_run_id))
    .where(
      and(
        eq(report_runs.report, report),
        sql`${report_runs.account} IS ${account}`,
        lt(report_runs.report_run_id, runId),
        inArray(deliveries.status, MAY_HAVE_ARRIVED),
      ),
    )
    .get();
  return { after: reported?.until ?? undefined, upTo: run?.news_until ?? null };
}

/** Of that run, or of a later delivered one, e.g. by hand. */
export function readDeliveriesSince(
  warehouse: Reader,
  { report_run_id, report, account }: Pick<ReportRun, "report_run_id" | "report" | "account">,
): Delivery[] {
  const isLater = and(gte(report_runs.report_run_id, report_run_id), eq(report_runs.report, report));
  const last = warehouse.db
    .select({ runId: max(deliveries.report_run_id) })
    .from(deliveries)
    .innerJoin(report_runs, eq(report_runs.report_run_id, deliveries.report_run_id))
    .where(and(isLater, sql`${report_runs.account} IS ${account}`))
    .get();
  return last?.runId == null ? [] : readDeliveries(warehouse, last.runId);
}

/** Returns who got something, or may have, and how many times. */
export function readDeliveredTo({ db }: Reader) {
  const { channel, recipient, status } = deliveries;
  return db
    .select({ channel, recipient, deliveries: count() })
    .from(deliveries)
    .where(inArray(status, ["delivered", "outcome unknown"]))
    .groupBy(channel, recipient)
    .orderBy(channel, recipient)
    .all();
}

function isAbandoned({ status, process }: Delivery): boolean {
  return status === "sending" && (process === null || hasEnded(process));
}
