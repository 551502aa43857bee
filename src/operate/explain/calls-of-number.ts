import { count, desc, eq, inArray, sql } from "drizzle-orm";
import { type FoundCallers, findCallers, noCallsError } from "../../warehouse/by-number/find-callers.ts";
import { calls } from "../../warehouse/calls/calls.ts";
import { call_facts } from "../../warehouse/calls/facts.ts";
import type { Reader } from "../../warehouse/warehouse.ts";

/** What is shown of a call to recognize it. */
export interface CallOfNumber {
  call_id: number;
  /** ISO 8601 UTC. */
  call_started: string | null;
  duration: number | null;
  disposition: string | null;
  channel: string;
  source: string | null;
  gone_at: string | null;
}

export interface CallsOfNumber extends Omit<FoundCallers, "ids"> {
  /** Of all calls, gone ones too. */
  total: number;
  /** The latest first. */
  calls: CallOfNumber[];
}

const SHOWN = 10;

/** Finds the calls of a phone number. @throws UsageError as {@link findCallers} does, and if there are none */
export function readCallsOfNumber(
  reader: Reader,
  text: string,
  options: Parameters<typeof findCallers>[2],
): CallsOfNumber {
  const { ids, ...spelling } = findCallers(reader, text, options);
  const isTheirs = inArray(call_facts.caller_id, ids);
  const { total } = reader.db.select({ total: count() }).from(call_facts).where(isTheirs).get() ?? {
    total: 0,
  };
  if (total === 0) throw noCallsError(spelling, options.as);
  const { call_id, call_started, duration, disposition, channel, source } = call_facts;
  const latest = reader.db
    .select({ call_id, call_started, duration, disposition, channel, source, gone_at: calls.gone_at })
    .from(call_facts)
    .innerJoin(calls, eq(calls.call_id, call_id))
    .where(isTheirs)
    .orderBy(sql`${desc(call_started)} NULLS LAST`, desc(call_id))
    .limit(SHOWN)
    .all();
  return { ...spelling, total, calls: latest };
}
