import pLimit, { type LimitFunction } from "p-limit";
import { type Clock, systemClock } from "../../base/clock.ts";
import { describeError } from "../../base/errors.ts";
import { jitteredDelayMs, MAX_RETRY_AFTER_MS, type RetryPolicy } from "../../service/api/retry.ts";
import { readOrigin } from "../../warehouse/origin.ts";
import type { Warehouse } from "../../warehouse/warehouse.ts";
import { AlreadyTakenError, type AttemptOutcome, withoutSecrets } from "./attempt.ts";
import {
  claimDelivery,
  type Delivery,
  openDeliveries,
  readDelivery,
  recordAttempt,
  recordAttemptEnd,
} from "./delivery-table.ts";
import { type DeliverySource, type DeliveryTarget, type Recipient, toRecipients } from "./delivery-target.ts";
import { sweepRunFolders } from "./run-folder.ts";

/** For one call, which blocks its caller. */
export const BRIEF_RETRY: RetryPolicy = {
  attempts: 3,
  baseDelayMs: 2000,
  maxDelayMs: 10_000,
  budgetMs: 30_000,
};

export type DeliveryJob = Pick<DeliverySource, "runId" | "summary" | "values"> & {
  targets: readonly DeliveryTarget[];
};

export interface DeliverOptions {
  /** Ends attempts and waits; unsent deliveries stay `pending` for the next call. */
  signal: AbortSignal;
  retry: RetryPolicy;
  /** Temporary failures stay `pending` for another call until this many attempts. @default 1 call */
  attemptsInAll?: number | undefined;
  /** Texts that must not be kept in the ledger, whatever error quotes them: the token. */
  secrets?: readonly string[];
  clock?: Clock;
  random?: () => number;
}

/** State of a delivery at the end of a call; `sending` if another process is at it. */
export type DeliveryResult = Pick<Delivery, "channel" | "recipient" | "status" | "attempts" | "last_error">;

/**
 * Delivers a report run to each recipient once, concurrently, and returns the results in the order of the targets.
 * The ledger is updated before and after each attempt; failures are independent, and settled deliveries are not
 * repeated.
 * @throws UsageError if a target's options are impossible; nothing was sent
 */
export async function deliver(
  warehouse: Warehouse,
  { targets, ...job }: DeliveryJob,
  options: DeliverOptions,
): Promise<DeliveryResult[]> {
  const { clock = systemClock } = options;
  sweepRunFolders(warehouse.path);
  const warehouseId = readOrigin(warehouse).warehouse_id;
  const source = { ...job, database: warehouse.path, warehouseId, now: () => clock.now() };
  const all = targets.flatMap((target) => toRecipients(target, source));
  // If two targets have one address, it gets one mail: the first target's.
  const unique = Map.groupBy(all, ({ key }) => `${key.channel} ${key.recipient}`);
  const recipients = [...unique.values()].flatMap(([first]) => first ?? []);
  const keys = recipients.map(({ key }) => key);
  const entries = openDeliveries(warehouse, job.runId, keys, isoOf(clock));
  const limits = { email: pLimit(2), webhook: pLimit(4), command: pLimit(2) };
  const settled = await Promise.allSettled(
    entries.map(async ({ delivery_id, status, channel }, index) => {
      const recipient = recipients[index];
      const context = { warehouse, id: delivery_id, limit: limits[channel], options: { ...options, clock } };
      if (recipient !== undefined && status === "pending") await deliverTo(recipient, context);
      return readDelivery(warehouse, delivery_id);
    }),
  );
  return settled.map((result) => {
    // The ledger itself could not be written, which concerns all recipients.
    if (result.status === "rejected") throw result.reason;
    const { channel, recipient, status, attempts, last_error } = result.value;
    return { channel, recipient, status, attempts, last_error };
  });
}

interface DeliveryContext {
  warehouse: Warehouse;
  id: number;
  limit: LimitFunction;
  options: DeliverOptions & { clock: Clock };
}

/** Tries until the delivery is settled, the policy is used up, or the signal aborts. */
async function deliverTo(recipient: Recipient, context: DeliveryContext): Promise<void> {
  const { warehouse, id, limit, options } = context;
  const { signal, retry, clock, random = Math.random, attemptsInAll = 0 } = options;
  const startedMs = clock.now();
  for (let failures = 1; !signal.aborted; failures++) {
    const outcome = await limit(() => attemptOnce(recipient, context));
    if (outcome?.kind !== "temporary" || signal.aborted) return;
    const delayMs =
      Math.min(outcome.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS) || jitteredDelayMs(failures, retry, random);
    if (failures >= retry.attempts || clock.now() - startedMs + delayMs > retry.budgetMs) {
      const isGivenUp = readDelivery(warehouse, id).attempts >= attemptsInAll;
      const failed = { status: "failed", error: outcome.error, isClaimed: false, now: isoOf(clock) } as const;
      if (isGivenUp) recordAttemptEnd(warehouse, id, failed);
      return;
    }
    await clock.sleep(delayMs, signal).catch(() => undefined); // aborted: it stays pending
  }
}

/** Returns undefined if the ledger already has it settled, or the signal aborted before. */
async function attemptOnce({ attempt }: Recipient, { warehouse, id, options }: DeliveryContext) {
  const { signal, clock, secrets = [] } = options;
  if (signal.aborted) return undefined;
  recordAttempt(warehouse, id, isoOf(clock));
  let isClaimed = false;
  const claim = () => {
    if (!isClaimed && !claimDelivery(warehouse, id)) throw new AlreadyTakenError();
    isClaimed = true;
  };
  let outcome: AttemptOutcome;
  try {
    outcome = await attempt({ signal, claim, isClaimed: () => isClaimed });
  } catch (error) {
    if (error instanceof AlreadyTakenError) return undefined;
    outcome = { kind: isClaimed ? "unknown" : "refused", error: describeError(error) };
  }
  if (outcome.kind !== "delivered") outcome = { ...outcome, error: withoutSecrets(outcome.error, secrets) };
  const error = outcome.kind === "delivered" ? null : outcome.error;
  recordAttemptEnd(warehouse, id, { status: STATUS_OF[outcome.kind], error, isClaimed, now: isoOf(clock) });
  return outcome;
}

const STATUS_OF = {
  delivered: "delivered",
  refused: "failed",
  temporary: "pending",
  unknown: "outcome unknown",
} as const;

const isoOf = (clock: Clock) => new Date(clock.now()).toISOString();
