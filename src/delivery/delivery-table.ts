import { and, eq, gte, inArray, max, sql } from "drizzle-orm";
import { hasEnded, markProcess } from "../base/process-mark.ts";
import { deliveries, report_runs } from "../warehouse/schema.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { ReportRun } from "./report-run-table.ts";

/** What was delivered to one recipient, as the ledger has it. */
export type Delivery = typeof deliveries.$inferSelect;
export type Channel = Delivery["channel"];
export type DeliveryStatus = Delivery["status"];

/** One recipient of one report run. */
export type DeliveryKey = Pick<Delivery, "channel" | "recipient" | "message_id">;

/** What the ledger says of a delivery whose process was killed between its two entries. */
const KILLED = "The process ended while it was being sent";

/**
 * Records the recipients of a report run before anything is sent, and returns what the ledger holds of each, in the same
 * order: those of an earlier process as they were left. One that was being sent when its process was killed is `outcome
 * unknown` from now on.
 *
 * @param again whether what failed, or is unknown, is to be sent again
 */
export function openDeliveries(
  warehouse: Warehouse,
  runId: number,
  keys: readonly DeliveryKey[],
  { again, now }: { again: boolean; now: string },
): Delivery[] {
  // An entry that a power cut took back would be a second mail.
  warehouse.sqlite.pragma("synchronous = FULL");
  return writeTransaction(warehouse, () => {
    const { db } = warehouse;
    for (const key of keys) {
      const row = { report_run_id: runId, ...key, status: "pending" } as const;
      db.insert(deliveries).values(row).onConflictDoNothing().run();
    }
    for (const { delivery_id } of readSending(warehouse, runId)) {
      const unknown = { status: "outcome unknown", last_error: KILLED, finished_at: now } as const;
      db.update(deliveries).set(unknown).where(eq(deliveries.delivery_id, delivery_id)).run();
    }
    if (again) {
      const isOver = inArray(deliveries.status, ["failed", "outcome unknown"]);
      db.update(deliveries)
        .set({ status: "pending", finished_at: null })
        .where(and(eq(deliveries.report_run_id, runId), isOver))
        .run();
    }
    const rows = readDeliveries(warehouse, runId);
    return keys.map(({ channel, recipient }) => {
      const row = rows.find((each) => each.channel === channel && each.recipient === recipient);
      if (row === undefined) throw new Error(`The delivery to ${recipient} was not recorded`);
      return row;
    });
  });
}

/** Records that an attempt begins; nothing that could arrive has been sent yet. */
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

/**
 * Records that a delivery is about to be sent: from now on it may arrive. Returns false where another process has it, or
 * has settled it, and it must not be sent.
 */
export function claimDelivery({ db }: Warehouse, deliveryId: number): boolean {
  const isPending = and(eq(deliveries.delivery_id, deliveryId), eq(deliveries.status, "pending"));
  const claimed = { status: "sending", process: markProcess() ?? null } as const;
  return db.update(deliveries).set(claimed).where(isPending).run().changes === 1;
}

/** How an attempt ended. */
export interface AttemptEnd {
  /** `pending` where there is to be another attempt. */
  status: Exclude<DeliveryStatus, "sending">;
  error: string | null;
  /** Whether this attempt has claimed the delivery; one that has not must leave that of another process alone. */
  isClaimed: boolean;
  /** ISO 8601 UTC. */
  now: string;
}

/** Records how an attempt ended. */
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

/** Returns one delivery as the ledger has it. */
export function readDelivery({ db }: Warehouse, deliveryId: number): Delivery {
  const row = db.select().from(deliveries).where(eq(deliveries.delivery_id, deliveryId)).get();
  if (row === undefined) throw new Error(`There is no delivery ${deliveryId}`);
  return row;
}

/**
 * Returns the deliveries of a report run, in the order in which they were recorded; what was being sent when its process
 * was killed is `outcome unknown`.
 */
export function readDeliveries({ db }: Warehouse, runId: number): Delivery[] {
  const rows = db
    .select()
    .from(deliveries)
    .where(eq(deliveries.report_run_id, runId))
    .orderBy(deliveries.delivery_id)
    .all();
  return rows.map((row) =>
    isAbandoned(row) ? { ...row, status: "outcome unknown", last_error: KILLED } : row,
  );
}

/**
 * Returns the latest deliveries of a report from one of its runs on: those of that run, or of a later run that was delivered,
 * such as one by hand.
 */
export function readDeliveriesSince(
  warehouse: Warehouse,
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

function readSending({ db }: Warehouse, runId: number): Delivery[] {
  const isSending = and(eq(deliveries.report_run_id, runId), eq(deliveries.status, "sending"));
  return db.select().from(deliveries).where(isSending).all().filter(isAbandoned);
}

function isAbandoned({ status, process }: Delivery): boolean {
  return status === "sending" && (process === null || hasEnded(process));
}
