// What a clock and a calendar on the wall show, from the zones of the engine alone.

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Returns the local day and time of a moment, as in `2026-03-08` and `01:59:59`. */
export function onTheWall(moment: string, timeZone: string): { day: string; time: string } {
  const clock =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  clocks.set(timeZone, clock);
  const [day = "", time = ""] = clock.format(new Date(moment)).split(" ");
  return { day, time };
}

const HOUR_MS = 3_600_000;

/** Returns the day some days later, or earlier. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 24 * HOUR_MS).toISOString().slice(0, 10);
}

/** Returns the first moment of a local day, found by trying each quarter of an hour around it. */
export function startOf(day: string, timeZone: string): string {
  for (let ms = Date.parse(day) - 15 * HOUR_MS; ; ms += HOUR_MS / 4) {
    const moment = new Date(ms).toISOString();
    if (onTheWall(moment, timeZone).day === day) return moment;
  }
}

/** Returns the label of the period that a day is in. */
function labelOf(day: string, grain: "day" | "week" | "month" | "quarter"): string {
  const [year = "", month = ""] = day.split("-");
  if (grain === "day") return day;
  if (grain === "month") return `${year}-${month}`;
  if (grain === "quarter") return `${year}-Q${Math.ceil(Number(month) / 3)}`;
  // The week of a day is that of its Thursday.
  const weekday = (new Date(day).getUTCDay() + 6) % 7;
  const thursday = addDays(day, 3 - weekday);
  const days = (Date.parse(thursday) - Date.parse(`${thursday.slice(0, 4)}-01-01`)) / (24 * HOUR_MS);
  return `${thursday.slice(0, 4)}-W${String(Math.floor(days / 7) + 1).padStart(2, "0")}`;
}

/** Returns the periods of some days: each label, and the moment at which its first of these days begins. */
export function periodsOf(
  { from, to }: { from: string; to: string },
  grain: "day" | "week" | "month" | "quarter",
  zone: string,
): { period: string; startsAt: string }[] {
  const found: { period: string; startsAt: string }[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) {
    const period = labelOf(day, grain);
    if (found.at(-1)?.period !== period) found.push({ period, startsAt: startOf(day, zone) });
  }
  return found;
}
