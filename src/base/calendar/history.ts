/** Days of calls needed before a range so that its first-time callers are known. */
export const HISTORY_DAYS = 90;
const DAY_MS = 86_400_000;

/** Whether a copy has the days of a span: its first call came before they began. */
export function isCovered(startsAt: string | undefined, firstStart: string | null): boolean {
  if (startsAt === undefined || firstStart === null) return false;
  return Date.parse(firstStart) <= Date.parse(startsAt);
}

/** Whether enough calls lie before a moment: in the first weeks of any copy nearly all callers look new. */
export function hasHistory(startsAt: string | undefined, firstStart: string | null): boolean {
  if (startsAt === undefined || firstStart === null) return false;
  return Date.parse(startsAt) - Date.parse(firstStart) >= HISTORY_DAYS * DAY_MS;
}
