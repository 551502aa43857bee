import type { Recognize } from "../../api/recognized-page.ts";
import { isSameRecording } from "../../call.ts";
import type { Warehouse } from "../warehouse.ts";
import { isWithoutLink, type Keeping } from "./call-guard.ts";

interface StoredRow {
  call_id: number;
  served_hash: string | null;
  call_started: string | null;
  insight_name: string | null;
  link: string | null;
  withheld: string | null;
  first_run_id: number;
}

/**
 * Prepares to find calls by the hash of what was served.
 *
 * @param signature members of a recording link that sign it, besides the usual ones
 * @param keeping what may be kept of them
 */
export function prepareRecognize(
  { sqlite }: Warehouse,
  signature: ReadonlySet<string>,
  keeping: Keeping,
): Recognize {
  const readCalls = sqlite.prepare<[string], StoredRow>(
    `SELECT call_id, served_hash, call_started, insight_name, recording_url AS link, withheld, first_run_id
      FROM calls WHERE call_id IN (SELECT value FROM json_each(?))`,
  );
  return (served) => {
    const ids = served.flatMap((call) => call?.call_id ?? []);
    if (ids.length === 0) return [];
    const stored = new Map(readCalls.all(JSON.stringify(ids)).map((row) => [row.call_id, row]));
    return served.map((call) => {
      if (call === undefined) return undefined;
      const row = stored.get(call.call_id);
      if (row === undefined) return undefined;
      const { served_hash: hash, call_started, insight_name, link, withheld, first_run_id } = row;
      if (hash === null || keeping.toStoredHash(call.hash, withheld) !== hash) return undefined;
      const known = { ...call, call_started, insight_name };
      if (withheld !== null) {
        if (keeping.mayKeepMore(withheld, keeping.kindsPast(call_started, first_run_id))) return undefined;
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
