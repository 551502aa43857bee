import { readFileSync } from "node:fs";
import { type Clock, systemClock } from "../base/clock.ts";
import { attempt } from "../base/errors.ts";

const POLL_MS = 5000;

/** Returns the text of a file; empty if it cannot be read. */
export function readTextOf(path: string): string {
  return attempt(() => readFileSync(path, "utf8")) ?? "";
}

/**
 * Calls back each time that the text of a file has changed, until the signal aborts. Reads it every few seconds: file
 * systems of other machines report no changes.
 * @param known the text in use
 */
export async function watchFile(
  path: string,
  known: string,
  { signal, clock = systemClock }: { signal: AbortSignal; clock?: Clock },
  onChange: (text: string) => Promise<void>,
): Promise<void> {
  for (let last = known; !signal.aborted; ) {
    await clock.sleep(POLL_MS, signal).catch(() => undefined);
    const text = readTextOf(path);
    if (signal.aborted || text === last) continue;
    last = text;
    await onChange(text);
  }
}
