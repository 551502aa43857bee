import { inArray } from "drizzle-orm";
import type { Recognize } from "../../api/recognized-page.ts";
import { isSameRecording } from "../../call.ts";
import { elementsOf, prepareRead } from "../positional.ts";
import { calls } from "../schema.ts";
import type { Warehouse } from "../warehouse.ts";
import { isWithoutLink, type Keeping } from "./call-guard.ts";

type StoredRow = [
  call_id: number,
  served_hash: string | null,
  call_started: string | null,
  insight_name: string | null,
  recording_url: string | null,
  withheld: string | null,
  first_run_id: number,
];

/**
 * Prepares to find calls by the hash of what was served.
 *
 * @param signature members of a recording link that sign it, besides the usual ones
 * @param keeping what may be kept of them
 */
export function prepareRecognize(
  { db, sqlite }: Warehouse,
  signature: ReadonlySet<string>,
  keeping: Keeping,
): Recognize {
  const { call_id, served_hash, call_started, insight_name, recording_url, withheld, first_run_id } = calls;
  const readCalls = prepareRead<StoredRow>(
    sqlite,
    db
      .select({ call_id, served_hash, call_started, insight_name, recording_url, withheld, first_run_id })
      .from(calls)
      .where(inArray(call_id, elementsOf("ids"))),
  );
  return (served) => {
    const ids = served.flatMap((call) => call?.call_id ?? []);
    if (ids.length === 0) return [];
    const stored = new Map(readCalls(JSON.stringify(ids)).map((row) => [row[0], row]));
    return served.map((call) => {
      if (call === undefined) return undefined;
      const row = stored.get(call.call_id);
      if (row === undefined) return undefined;
      const [, hash, call_started, insight_name, link, withheld, firstRunId] = row;
      if (hash === null || keeping.toStoredHash(call.hash, withheld) !== hash) return undefined;
      const known = { ...call, call_started, insight_name };
      if (withheld !== null) {
        if (keeping.mayKeepMore(withheld, keeping.kindsPast(call_started, firstRunId))) return undefined;
        if (isWithoutLink(withheld)) return { ...known, isResigned: false };
      }
      // Without a query now, where there was one.
      if (call.recording_url === undefined && link !== null && /[?#]/.test(link)) return undefined;
      const isResigned = call.recording_url !== undefined && call.recording_url !== link;
      if (isResigned && !isSameRecording(link, call.recording_url ?? null, signature)) return undefined;
      return { ...known, isResigned };
    });
  };
}
