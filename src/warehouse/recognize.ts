import type { Warehouse } from "./open.ts";

/** A call as it was served, by what tells it from others. */
interface Served {
  call_id: number;
  /** Hash of its bytes. */
  hash: string;
}

/** A call that the warehouse has just as it was served. */
export interface KnownCall extends Served {
  call_started: string | null;
}

/** Finds those of the calls that are kept with the same hash, each in its place; undefined for the others. */
export type Recognize = (served: readonly (Served | undefined)[]) => readonly (KnownCall | undefined)[];

/** Prepares to find calls by the hash of what was served. */
export function prepareRecognize({ sqlite }: Warehouse): Recognize {
  const readCalls = sqlite
    .prepare<[ids: string], [call_id: number, served_hash: string | null, call_started: string | null]>(
      "SELECT call_id, served_hash, call_started FROM calls WHERE call_id IN (SELECT value FROM json_each(?))",
    )
    .raw();
  return (served) => {
    const ids = served.flatMap((call) => call?.call_id ?? []);
    if (ids.length === 0) return [];
    const stored = new Map(readCalls.all(JSON.stringify(ids)).map((row) => [row[0], row]));
    return served.map((call) => {
      if (call === undefined) return undefined;
      const [, hash, call_started = null] = stored.get(call.call_id) ?? [];
      return call.hash === hash ? { ...call, call_started } : undefined;
    });
  };
}
