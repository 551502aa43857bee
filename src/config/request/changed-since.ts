import { parseDate, toInstants } from "../../base/calendar/dates.ts";

/** What lists of changed calls begin after. */
export type ChangedSince = { runId: number } | { afterMs: number };

const RUN = /^\d{1,15}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Parses the id of a run, a time as in ISO 8601, or a local day.
 * @param zone IANA zone of days
 * @throws Error that says what is allowed
 */
export function parseChangedSince(text: string, zone = "UTC"): ChangedSince {
  if (RUN.test(text)) return { runId: Number(text) };
  const afterMs = TIME.test(text) ? Date.parse(text) : startOf(text, zone) - 1;
  if (!Number.isNaN(afterMs)) return { afterMs };
  throw new Error(`"${text}" is not a run, time or day, such as 412, 2026-11-20T09:30:00.000Z or 2026-11-20`);
}

function startOf(day: string, zone: string): number {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return Number.NaN;
  return Date.parse(toInstants({ from: parseDate(day) }, zone).startsAt ?? "");
}
