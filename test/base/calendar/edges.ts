import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { notByChance } from "../../support/draws.ts";

/*
 * Zones, moments and dates that are rarely drawn by chance: where clocks change by other than an hour or at midnight, the
 * moments on either side of that, and the first and last days of months, quarters, years and ISO years. A test counts what it
 * draws of them with `Cases`, and fails if it no longer draws one.
 */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A zone, and a moment at which its clocks change. */
interface Change {
  zone: string;
  ms: number;
}

const ODD_CHANGES: readonly Change[] = (
  [
    ["Antarctica/Troll", "2026-03-29T01:00Z"], // by two hours, and back
    ["Antarctica/Troll", "2026-10-25T01:00Z"],
    ["Australia/Lord_Howe", "2026-10-03T15:30Z"], // by half an hour, and back
    ["Australia/Lord_Howe", "2026-04-04T15:00Z"],
    ["Europe/Berlin", "2026-03-29T01:00Z"],
    ["America/New_York", "2026-11-01T06:00Z"],
    ["Pacific/Apia", "2011-12-30T10:00Z"], // over the date line: a day is skipped
    ["America/Sao_Paulo", "2018-11-04T03:00Z"], // at midnight: the day begins at one
    ["America/Sao_Paulo", "2018-02-18T02:00Z"], // at midnight: the last hour comes twice
    ["America/St_Johns", "2010-11-07T02:31Z"], // just after midnight, which comes twice
    ["Asia/Pyongyang", "2015-08-14T15:00Z"], // by half an hour at midnight
    ["Africa/Casablanca", "2026-02-15T02:00Z"],
  ] as const
).map(([zone, utc]) => ({ zone, ms: Date.parse(utc) }));

/** Most are odd; the rest are any zone of the list at any time, usually without a clock change. */
const changes: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ODD_CHANGES) },
  fc.record({
    zone: fc.constantFrom("UTC", ...Intl.supportedValuesOf("timeZone")),
    ms: fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2040, 0) }),
  }),
);

/** A zone and instants, ISO 8601 UTC: at a clock change, a millisecond away from it, or within two hours. */
export const moments: fc.Arbitrary<{ zone: string; instants: string[] }> = changes.chain(({ zone, ms }) => {
  const near = fc
    .tuple(fc.constantFrom(-120, -60, -30, 0, 0, 0, 30, 60, 120), fc.constantFrom(-1, 0, 1))
    .map(([minutes, more]) => ms + minutes * MINUTE_MS + more);
  const anywhere = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2040, 0) });
  return fc.record({
    zone: fc.constant(zone),
    instants: fc.array(
      fc.oneof({ weight: 5, arbitrary: near }, anywhere).map((ms) => new Date(ms).toISOString()),
      { minLength: 1, maxLength: 16 },
    ),
  });
});

/** Minutes by which the clocks of a zone change at an instant: 0 if they do not. */
export function minutesChanged(utc: string, zone: string): number {
  const at = (ms: number) =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).offsetNanoseconds / 6e10;
  const ms = Date.parse(utc);
  return at(ms) - at(ms - 1);
}

export const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
/** The date that many days later. */
export const shift = (date: string, days: number) => dateOf(Date.parse(date) + days * DAY_MS);
export const isLastOfMonth = (date: string) => shift(date, 1).endsWith("-01");

/** Dates of which most are the first or the last days of months, years and ISO years, or leap days. */
export function dates(firstYear: number, lastYear: number): fc.Arbitrary<string> {
  const year = fc.integer({ min: firstYear, max: lastYear });
  const ofMonths = fc
    .tuple(year, fc.integer({ min: 0, max: 11 }), fc.constantFrom(-1, 0, 0, 1, 27, 28, 29))
    .map(([year, month, days]) => dateOf(Date.UTC(year, month, 1 + days)));
  const ofYears = fc
    .tuple(year, fc.integer({ min: -4, max: 5 }))
    .map(([year, days]) => dateOf(Date.UTC(year, 0, days)));
  const leapDays = fc
    .tuple(year, fc.constantFrom(28, 29, 29, 30))
    .map(([year, day]) => dateOf(Date.UTC(Math.ceil(year / 4) * 4, 1, day)));
  const any = fc.integer({ min: Date.UTC(firstYear, 0), max: Date.UTC(lastYear, 0) }).map(dateOf);
  return fc.oneof(ofMonths, ofYears, leapDays, any);
}

export interface Range {
  from: string;
  to: string;
}

/** Ranges that begin with such a date: of one day, of several, up to a date or the end of a month, and whole months. */
export function rangesFrom(date: fc.Arbitrary<string>): fc.Arbitrary<Range> {
  const some = fc
    .tuple(date, fc.constantFrom(0, 0, 1, 6, 7, 27, 28, 30, 100, 363, 364, 365))
    .map(([from, days]) => ({ from, to: shift(from, days) }));
  const begun = date.map((to) => ({ from: `${to.slice(0, 8)}01`, to }));
  const upToEnd = fc
    .tuple(date, fc.boolean(), fc.constantFrom(1, 1, 2, 3, 12, 13))
    .map(([date, isWhole, months]) => {
      const [year = 0, month = 0] = date.split("-").map(Number);
      const to = dateOf(Date.UTC(year, month - 1 + months, 0));
      return { from: isWhole ? `${date.slice(0, 8)}01` : date, to };
    });
  return fc.oneof(some, begun, upToEnd);
}

/** Ranges in a zone: at the edges of months and years, and around a clock change. */
export const zonedRanges: fc.Arbitrary<Range & { zone: string }> = changes.chain(({ zone, ms }) => {
  const changed = Temporal.Instant.fromEpochMilliseconds(ms)
    .toZonedDateTimeISO(zone)
    .toPlainDate()
    .toString();
  const around = fc.constantFrom(-1, 0, 0, 1).map((days) => shift(changed, days));
  return rangesFrom(fc.oneof({ weight: 2, arbitrary: around }, dates(2009, 2028))).map((range) => ({
    ...range,
    zone,
  }));
});

/** Counts how often a property met its relevant cases. */
export class Cases {
  readonly #counts = new Map<string, number>();

  note(name: string, isSo: boolean): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + Number(isSo));
  }

  /** The cases that were met fewer times, and not by chance. */
  rarerThan(least: number): string[] {
    const times = notByChance(least);
    return [...this.#counts].filter(([, count]) => count < times).map(([name]) => name);
  }
}
