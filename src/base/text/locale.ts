/** The locale of the text that is being written; undefined for `1,234.5`, `26 Oct 2026`, and weeks from Monday. */
let current: string | undefined;

/** Writes numbers and dates as a locale does, a BCP 47 tag, until `write` returns: it must not wait for anything. */
export function inLocale<T>(locale: string | undefined, write: () => T): T {
  const before = current;
  current = locale;
  try {
    return write();
  } finally {
    current = before;
  }
}

/** Writes as a locale does from now on: for a program that has only one. */
export function setLocale(locale: string | undefined): void {
  current = locale;
}

export function isLocalized(): boolean {
  return current !== undefined;
}

/** Making a format takes as long as formatting a hundred numbers. */
const formats = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();

function formatOf<F extends Intl.NumberFormat | Intl.DateTimeFormat, O>(
  make: new (locale: string, options: O) => F,
  options: O,
): F {
  const key = `${current} ${make.name} ${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known instanceof make) return known;
  const format = new make(current ?? "en-US", options);
  formats.set(key, format);
  return format;
}

/** With Latin digits, like the words around them. */
export function formatNumber(number: number, options: Intl.NumberFormatOptions = {}): string {
  return formatOf(Intl.NumberFormat, { numberingSystem: "latn", ...options }).format(number);
}

/** Returns how many digits after the point amounts of a currency have: 2, but 0 of yen. */
export function digitsOf(currency: string): number {
  const format = formatOf(Intl.NumberFormat, { style: "currency", currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** @param day YYYY-MM-DD, of the Gregorian calendar */
export function formatDate(day: string, options: Intl.DateTimeFormatOptions): string {
  return dateFormat(options).format(toDate(day));
}

/** Oct 5 – Nov 1, 2026; with usual blanks, because not every font has thin ones. */
export function formatDates(from: string, to: string, options: Intl.DateTimeFormatOptions): string {
  return dateFormat(options).formatRange(toDate(from), toDate(to)).replaceAll("\u2009", " ");
}

function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const gregorian = { timeZone: "UTC", calendar: "gregory", numberingSystem: "latn", ...options };
  return formatOf(Intl.DateTimeFormat, gregorian);
}

const toDate = (day: string) => new Date(`${day}T00:00:00Z`);

/** Returns the items of Monday to Sunday, beginning with the first day of the week. */
export function inOrderOfWeek<T>(items: readonly T[]): T[] {
  const first = current === undefined ? 1 : firstDayOf(new Intl.Locale(current));
  return [...items.slice(first - 1), ...items.slice(0, first - 1)];
}

interface Week {
  firstDay: number;
}

/** Returns 1 for Monday, to 7 for Sunday. Programs know it as a method, as a member, or not at all. */
function firstDayOf(locale: Intl.Locale & { getWeekInfo?: () => Week; weekInfo?: Week }): number {
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1;
}
