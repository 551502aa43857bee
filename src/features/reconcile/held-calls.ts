import { eq, isNotNull, sql } from "drizzle-orm";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { calls } from "../../warehouse/calls/calls.ts";
import { rejected_calls } from "../../warehouse/calls/rejected.ts";
import { readRulesInForce } from "../../warehouse/calls/rules.ts";
import { readOrigin } from "../../warehouse/origin.ts";
import { readLastDoneRun } from "../../warehouse/runs/runs.ts";
import type { Reader } from "../../warehouse/warehouse.ts";

/** A call of the copy, with what a list may say of it. */
export interface HeldCall {
  call_id: number;
  /** ISO 8601 UTC, as all times here. */
  call_started: string | null;
  /** As served. */
  duration: number | null;
  org_unit_id: number | null;
  org_unit_name: string | null;
  missing_since: string | null;
  unlisted_since: string | null;
  gone_at: string | null;
}

/** The calls of an account's copy, at one moment. */
export class HeldCalls {
  /** Undefined for the only account. */
  readonly account: string | undefined;
  readonly durationUnit: "seconds" | "milliseconds";
  /** The organization unit that the copy is of; null for all that the service lists. */
  readonly orgUnitId: string | null;
  /** When the copy began to be read for the last time: a later call may not be in it yet. */
  readonly readAt: string;
  readonly #reader: Reader;
  readonly #find;
  readonly #rejected: ReadonlySet<number>;

  /** @throws CalltallyError (exit 9) before the first finished sync */
  constructor(reader: Reader, account: string | undefined) {
    this.account = account;
    this.#reader = reader;
    reader.sqlite.exec("BEGIN"); // one moment of the copy, also during a sync
    const run = readLastDoneRun(reader);
    if (run === undefined)
      throw new CalltallyError(EXIT.undelivered, "Cannot compare calls: no sync has finished yet", {
        hint: ({ sync }) => `Run ${sync} first.`,
      });
    this.readAt = run.first_page_at ?? run.started_at;
    this.durationUnit = readRulesInForce(reader).rules.duration_unit;
    this.orgUnitId = readOrigin(reader).org_unit_id;
    const { call_id, call_started, duration, org_unit_id, org_unit_name } = calls;
    const { missing_since, unlisted_since, gone_at } = calls;
    this.#find = reader.db
      .select({
        ...{ call_id, call_started, duration, org_unit_id, org_unit_name },
        ...{ missing_since, unlisted_since, gone_at },
      })
      .from(calls)
      .where(eq(call_id, sql.placeholder("call_id")))
      .prepare();
    const rejected = reader.db
      .select({ call_id: rejected_calls.call_id })
      .from(rejected_calls)
      .where(isNotNull(rejected_calls.call_id))
      .all();
    this.#rejected = new Set(rejected.flatMap((row) => row.call_id ?? []));
  }

  find(call_id: number): HeldCall | undefined {
    return this.#find.get({ call_id });
  }

  isRejected(callId: number): boolean {
    return this.#rejected.has(callId);
  }

  /** Reads the calls that count, by start. @param endsAt exclusive */
  between(startsAt: string, endsAt: string): IterableIterator<HeldCall> {
    return this.#reader.sqlite
      .prepare<[string, string], HeldCall>(
        `SELECT c.call_id, c.call_started, c.duration, c.org_unit_id, c.org_unit_name, c.missing_since, c.unlisted_since, c.gone_at
        FROM call_facts AS f JOIN calls AS c ON c.call_id = f.call_id
        WHERE f.is_live AND f.call_started >= ? AND f.call_started < ? ORDER BY f.call_started, f.call_id`,
      )
      .iterate(startsAt, endsAt);
  }
}
