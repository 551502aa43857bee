import { UsageError } from "../base/errors.ts";
import { namesOf } from "../base/records.ts";
import { isCurrency } from "../base/text/currency.ts";
import { toCaseless } from "../calls/attribution/call-text.ts";
import { SIGNS } from "./amount-text.ts";
import type { Columns, FieldOf, Form, FoundColumns, HeaderMap } from "./columns.ts";
import type { Intake } from "./intake.ts";

type Header = ReturnType<typeof toHeader>;

/** A currency at the end of a header: `Cost (eur)`, `Cost EUR`, `Total ($)`, `Total €`. */
const CURRENCY_BEHIND =
  /^(.+?)(?:\s*[([](?:(\p{L}{3})|(\p{L}{0,3}\p{Sc}))[)\]]|[\s_]([A-Z]{3})|\s*(\p{Sc}))$/iu;

/** Returns a header in full, and as a name without the currency at its end; a `$` may belong to many countries. */
function toHeader(cell: string) {
  const full = toCaseless(cell);
  const [, name = "", inBrackets, signInBrackets, bare, bareSign] = CURRENCY_BEHIND.exec(full) ?? [];
  const sign = signInBrackets ?? bareSign;
  if (sign !== undefined) return { full, name, currency: SIGNS.get(sign) ?? null };
  const isBare = bare !== undefined && cell.trim().endsWith(bare.toUpperCase());
  const currency = (inBrackets ?? (isBare ? bare : "")).toUpperCase();
  return isCurrency(currency) ? { full, name, currency } : { full, name: full, currency: null };
}

function indexOf(headers: readonly Header[], name: string): number | undefined {
  const index = headers.findIndex((header) => header.full === name || header.name === name);
  return index === -1 ? undefined : index;
}

function hasOneOf(headers: readonly Header[], names: readonly string[] = []): boolean {
  return names.some((name) => indexOf(headers, name) !== undefined);
}

/** Whether a line has the headers by which a form is recognized; `except` is not asked for. */
export function isOfForm<Field extends string>(
  { headers: names, needs = [], marks }: Form<Field>,
  record: readonly string[],
  except?: Field,
): boolean {
  const headers = record.map(toHeader);
  return (
    needs.every((field) => field === except || hasOneOf(headers, names[field])) &&
    (marks === undefined || hasOneOf(headers, marks))
  );
}

/** Returns where the columns of a line are if it is the header. @throws UsageError for two columns of one header */
export function findColumns<C extends Columns, F extends Form<FieldOf<C>>, Options, Row>(
  record: readonly string[],
  { columns, several, forms, amount, isMeant, isHeader }: Intake<C, F, Options, Row>,
  map: HeaderMap<FieldOf<C>>,
): FoundColumns<FieldOf<C>, F> | undefined {
  const fields = fieldsOf(columns);
  const headers = record.map(toHeader);
  const form = forms.find((each) => isOfForm(each, record));
  const indexes = new Map<FieldOf<C>, number[]>();
  const used = new Set<number>();
  const use = (field: FieldOf<C>, places: number[]) => {
    if (places.length > 0) indexes.set(field, places);
    for (const place of places) used.add(place);
  };
  for (const field of fields) {
    const places = (map[field] ?? []).map((name) => indexOf(headers, toCaseless(name)));
    if (places.includes(undefined)) return undefined;
    use(
      field,
      places.flatMap((place) => place ?? []),
    );
  }
  // With --map, headers of any known form are recognized.
  const known = form ? [form] : used.size > 0 ? forms : [];
  for (const field of fields) {
    if (indexes.has(field)) continue;
    const names = known.flatMap(({ headers: headersOf }) => headersOf[field] ?? []);
    const places = [...new Set(names.flatMap((name) => placesOf(headers, name)))].filter(
      (place) => !used.has(place),
    );
    use(field, several.includes(field) ? places : places.slice(0, 1));
  }
  const headerOf = (field: FieldOf<C>) => headers[indexes.get(field)?.[0] ?? -1]?.full;
  for (const [field, places] of [...indexes]) {
    if (isMeant?.(field, headerOf) ?? true) continue;
    indexes.delete(field);
    for (const place of places) used.delete(place);
  }
  if (!isHeader((field) => indexes.has(field))) return undefined;
  const isMapped = amount !== undefined && map[amount] !== undefined;
  assertOnce(headers, indexes, { several, amount: isMapped ? undefined : amount });
  const place = amount === undefined ? undefined : indexes.get(amount)?.[0];
  return {
    form,
    indexes,
    currency: place === undefined ? null : (headers[place]?.currency ?? null), // Amount spent (USD)
    width: headers.findLastIndex(({ full }) => full !== "") + 1,
    unused: record.filter((name, index) => name.trim() !== "" && !used.has(index)),
  };
}

const placesOf = (headers: readonly Header[], name: string) =>
  headers.flatMap((header, place) => (header.full === name || header.name === name ? [place] : []));

/** @param amount the field whose header may end with a currency */
function assertOnce<Field extends string>(
  headers: readonly Header[],
  indexes: ReadonlyMap<Field, readonly number[]>,
  { several, amount }: { several: readonly Field[]; amount: Field | undefined },
): void {
  for (const [field, [index = -1]] of indexes) {
    if (several.includes(field)) continue;
    const { full, name } = headers[index] ?? toHeader("");
    // Amount spent (USD) and Amount spent (EUR) are the same cost twice.
    const isByName = field === amount;
    if (headers.filter((other) => other.full === full || (isByName && other.name === name)).length === 1)
      continue;
    throw new UsageError(`it has several columns "${isByName ? name : full}"`, {
      hint: "Remove all but one of them from the file.",
    });
  }
}

export function fieldsOf<C extends Columns>(columns: C): FieldOf<C>[];
export function fieldsOf(columns: Columns): string[] {
  return namesOf(columns);
}
