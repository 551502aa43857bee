import type { VerifyCheck } from "../../../src/operate/verify/verified.ts";
import { verifyWarehouse } from "../../../src/operate/verify/verify-warehouse.ts";
import { CallGenerator } from "../../../src/sandbox/calls/generate.ts";
import { parseRow } from "../../../src/service/api/parse-row.ts";
import { type PageSlice, toSlice } from "../../../src/sync/fetch.ts";
import { syncWarehouse } from "../../../src/sync/sync-warehouse.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { makeRun } from "../../sync/scene.ts";

const CALLS = 60;

export type ServedRow = ReturnType<CallGenerator["callAt"]>;

/** What a response has. */
interface Served {
  rows: readonly ServedRow[];
  total: number;
}

const LIMIT = 20;

/** A service in memory, newest call first. Each sync begins an hour after the previous one. */
export class ListedCalls {
  readonly #generator = new CallGenerator(1, CALLS, Date.parse("2026-11-01T00:00:00.000Z"));
  readonly #warehouse: Warehouse;
  readonly calls = Array.from({ length: CALLS }, (_, index) => this.#generator.callAt(CALLS - 1 - index));
  /** Ids of rows without a readable duration. */
  readonly unreadable = new Set<number>();
  /** Changes a response: `calls` are all that the service lists, newest first; by default the slice is as it should be. */
  disturb: (asked: { offset: number; limit: number; requests: number }) => Partial<Served> = () => ({});
  /** How many pages a sync reads before the service fails. */
  failAfter = Number.POSITIVE_INFINITY;
  #nowMs = Date.parse("2026-11-02T00:00:00.000Z");
  #requests = 0;
  #next = CALLS;

  constructor(warehouse: Warehouse) {
    this.#warehouse = warehouse;
  }

  add(): number {
    const call = this.#generator.callAt(this.#next++);
    this.calls.unshift(call);
    return call.call_id;
  }

  async sync(force: "full" | "incremental", { hours = 1 } = {}): Promise<void> {
    this.#nowMs += hours * 3_600_000;
    let left = this.failAfter;
    let requests = 0;
    const fetch = async (offset: number): Promise<PageSlice> => {
      if (left-- === 0) throw new Error("The service failed");
      const disturbed = this.disturb({ offset, limit: LIMIT, requests: requests++ });
      const { rows: served = this.calls.slice(offset, offset + LIMIT), total = this.calls.length } =
        disturbed;
      const rows = served.map((row) =>
        parseRow(
          this.unreadable.has(row.call_id) ? { ...row, duration: "long" } : JSON.parse(JSON.stringify(row)),
        ),
      );
      const at = { sentMs: this.#nowMs, receivedMs: this.#nowMs, ageSeconds: 0 };
      const exchange = { attempt: this.#requests, nextAttempt: this.#requests + 1, ...at };
      const requestId = `request ${this.#requests++} at ${this.#nowMs}`;
      return toSlice({ rows, total, limit: LIMIT, offset, requestId, exchange });
    };
    const clock = { now: () => this.#nowMs++, sleep: () => Promise.resolve() };
    await syncWarehouse(makeRun(this.#warehouse, fetch, clock, { force }));
  }
}

export async function problemsOf(warehouse: Warehouse): Promise<VerifyCheck[]> {
  const checked = await Array.fromAsync(verifyWarehouse(warehouse, {}));
  return checked.filter(({ holds }) => !holds);
}
