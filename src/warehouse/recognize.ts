import { inArray } from "drizzle-orm";
import type { Recognize } from "../api/recognized-page.ts";
import { isSameRecording } from "../call.ts";
import type { Warehouse } from "./open.ts";
import { elementsOf, prepareRead } from "./positional.ts";
import { calls } from "./schema.ts";

type StoredRow = [
  call_id: number,
  served_hash: string | null,
  call_started: string | null,
  insight_name: string | null,
  recording_url: string | null,
];

/**
 * Prepares to find calls by the hash of what was served.
 *
 * @param signature members of a recording link that sign it, besides the usual ones
 */
export function prepareRecognize({ db, sqlite }: Warehouse, signature: ReadonlySet<string>): Recognize {
  const { call_id, served_hash, call_started, insight_name, recording_url } = calls;
  const readCalls = prepareRead<StoredRow>(
    sqlite,
    db
      .select({ call_id, served_hash, call_started, insight_name, recording_url })
      .from(calls)
      .where(inArray(call_id, elementsOf("ids"))),
  );
  return (served) => {
    const ids = served.flatMap((call) => call?.call_id ?? []);
    if (ids.length === 0) return [];
    const stored = new Map(readCalls(JSON.stringify(ids)).map((row) => [row[0], row]));
    return served.map((call) => {
      if (call === undefined) return undefined;
      const [, hash, call_started = null, insight_name = null, link = null] = stored.get(call.call_id) ?? [];
      if (call.hash !== hash) return undefined;
      // Without a query now, where there was one.
      if (call.recording_url === undefined && link !== null && /[?#]/.test(link)) return undefined;
      const isResigned = call.recording_url !== undefined && call.recording_url !== link;
      if (isResigned && !isSameRecording(link, call.recording_url ?? null, signature)) return undefined;
      const { call_id, recording_url } = call;
      return { call_id, hash, recording_url, call_started, insight_name, isResigned };
    });
  };
}
