import { z } from "zod";
import type { Evidence } from "./evidence.ts";
import { nameKeys } from "./order-key.ts";
import { PassRecord } from "./record.ts";
import type { Row, Slice } from "./slice.ts";
import { isSure, judge } from "./verdict.ts";

// What a proven pass is proven by, as lines of JSON: a header, then the pages in the order of the walk. The format is in
// docs/certificate.md; test/verify has another reader of it.

const FORMAT = "calltally certificate 1";
const whole = z.int();
const count = whole.min(0);
const text = z.string();
const time = z.iso.datetime({ precision: 3 });
/** The first and last start that sort as text, in milliseconds: years 0000 to 9999. */
const STARTS = { first: -62_167_219_200_000, last: 253_402_300_799_999 };
/** Digits of a rank as text. */
const RANK_DIGITS = 10;

const headerSchema = z.strictObject({
  format: z.literal(FORMAT),
  run_id: count,
  order_key: text.nullable(),
  verdict: text.refine(isSure),
  /** `total` of the first and the last response. */
  first_total: count,
  last_total: count,
  /** Calls read, each counted once. */
  calls: count,
  /** Rows asked for, and rows that pages were to share. */
  limit: count,
  overlap: count,
  pages: count,
  /** How many of the first pages an interrupted process had read. */
  resumed: count,
  /** How many of the last pages are the closing look at the front. */
  closing: count,
  /** Looks past the last call, each after so many pages, and how many of its rows no page had before. */
  behind: z.array(
    z.strictObject({
      after: count,
      offset: count,
      total: count,
      rows: count,
      unseen: count,
      request_id: text.nullable(),
    }),
  ),
});
export type CertificateHeader = z.infer<typeof headerSchema>;

const pageSchema = z.strictObject({
  offset: count,
  total: count,
  request_id: text.nullable(),
  fetched_at: time,
  /** The first one, then differences. */
  ids: z.array(whole.nullable()),
  /** Milliseconds since 1970, as differences; only if a key that is left has it. */
  starts: z.array(whole.nullable()).optional(),
  /** Ranks of the names in the pass; only if a key that is left has it. */
  names: z.array(count.max(10 ** RANK_DIGITS - 1).nullable()).optional(),
  /** Indexes of rows of which only the id could be read. */
  rejected: z.array(count).optional(),
});
type PageLine = z.infer<typeof pageSchema>;

/** A page as the ledger has it. */
export interface CertifiedPage extends Slice {
  fetchedAt: string;
}

/** Yields the lines of the certificate of a proven pass. @param pages reads its pages, twice if it is in an order by source */
export function* writeCertificate(
  header: Pick<CertificateHeader, "run_id" | "verdict" | "calls" | "limit" | "overlap">,
  { keys, totals, slices, resumed, closing, behind }: Evidence,
  pages: () => Iterable<CertifiedPage>,
): Generator<string> {
  const members = new Set(keys.flatMap((key) => key.members));
  const ranks = members.has("insight_name") ? rankNames(pages()) : undefined;
  const looks = behind.map(({ after, offset, total, rows, unseen, requestId = null }) => {
    return { after, offset, total, rows, unseen, request_id: requestId };
  });
  yield JSON.stringify({
    format: FORMAT,
    ...header,
    order_key: nameKeys(keys),
    first_total: totals.first,
    last_total: totals.last,
    pages: slices,
    ...{ resumed, closing, behind: looks },
  });
  for (const { offset, total, requestId = null, fetchedAt, rows } of pages()) {
    const rejected = rows.flatMap(({ isRejected }, index) => (isRejected ? [index] : []));
    const starts = () => toDifferences(rows.map(({ started }) => started && Date.parse(started)));
    const line: PageLine = {
      offset,
      total,
      request_id: requestId,
      fetched_at: fetchedAt,
      ids: toDifferences(rows.map(({ id }) => id)),
      ...(members.has("call_started") && { starts: starts() }),
      ...(ranks && { names: rows.map(({ name }) => ranks.get(name ?? "") ?? null) }),
      ...(rejected.length > 0 && { rejected }),
    };
    yield JSON.stringify(line);
  }
}

function rankNames(pages: Iterable<CertifiedPage>): Map<string, number> {
  const names = new Set<string>();
  for (const { rows } of pages) for (const { name } of rows) if (name !== null) names.add(name);
  return new Map([...names].sort().map((name, rank) => [name, rank]));
}

function toDifferences(values: readonly (number | "" | null)[]): (number | null)[] {
  let last = 0;
  return values.map((value) => {
    if (value === null || value === "") return null;
    const difference = value - last;
    last = value;
    return difference;
  });
}

/** What was found in a certificate. */
export interface CertificateCheck {
  header: CertificateHeader;
  /** What does not hold; empty if the pages prove the verdict. */
  problems: string[];
  /** Ids of the calls that the pass has read. */
  ids: ReadonlySet<number>;
  /** When the first page was complete, ISO 8601 UTC; null without pages. */
  firstPageAt: string | null;
}

/** Judges the pages of a certificate as if they came from the service now. @throws Error if it is no certificate */
export function checkCertificate(lines: Iterable<string>): CertificateCheck {
  const parsed = Iterator.from(lines).map((line): unknown => JSON.parse(line));
  const header = headerSchema.parse(parsed.next().value);
  const { limit, overlap, resumed, closing, behind } = header;
  const record = new PassRecord({ limit, overlap });
  const ids = new Set<number>();
  const earlier: Slice[] = [];
  let pages = 0;
  let firstPageAt: string | null = null;
  for (const line of parsed) {
    const page = pageSchema.parse(line);
    if (firstPageAt === null || page.fetched_at < firstPageAt) firstPageAt = page.fetched_at;
    const slice = toSlice(page);
    for (const { id } of slice.rows) if (id !== null) ids.add(id);
    if (pages < resumed) earlier.push(slice);
    else if (pages < header.pages - closing) record.accept(slice);
    else record.acceptClosing(slice);
    if (++pages === resumed) record.takeUp(earlier);
    for (const { after, rows, unseen, request_id, ...look } of behind) {
      if (after !== pages) continue;
      const unread = Array.from({ length: rows }, (): Row => ({ id: null, started: null, name: null }));
      record.lookBehind({ ...look, rows: unread, requestId: request_id ?? undefined }, unseen);
    }
  }
  const evidence: Evidence = { ...record.evidence, resumed, seamsMended: 0, settled: false };
  const judgement = judge(evidence, ids.size);
  const compare = (what: string, is: unknown, certified: unknown) =>
    is === certified ? [] : [`${what} is ${is}, and the certificate says ${certified}`];
  const problems = [
    ...compare("the number of pages", pages, header.pages),
    ...compare("the number of calls", ids.size, header.calls),
    ...compare("the order", nameKeys(evidence.keys), header.order_key),
    ...compare("the verdict", judgement.verdict, header.verdict),
    ...compare("the first total", evidence.totals.first, header.first_total),
    ...compare("the last total", evidence.totals.last, header.last_total),
  ];
  return { header, problems, ids, firstPageAt };
}

function toSlice({ offset, total, request_id, ids, starts, names, rejected }: PageLine): Slice {
  const allIds = fromDifferences(ids, { first: Number.MIN_SAFE_INTEGER, last: Number.MAX_SAFE_INTEGER });
  const allStarts = fromDifferences(starts ?? [], STARTS);
  if (starts?.length !== (starts && ids.length) || names?.length !== (names && ids.length))
    throw new Error(`The page at ${offset} has not as many starts or names as ids`);
  const unread = new Set(rejected);
  const rows = allIds.map((id, index): Row => {
    const startMs = allStarts[index] ?? null;
    const rank = names?.[index] ?? null;
    return {
      id,
      started: startMs === null ? null : new Date(startMs).toISOString(),
      // Ranks of as many digits compare as the names do.
      name: rank === null ? null : String(rank).padStart(RANK_DIGITS, "0"),
      ...(unread.has(index) && { isRejected: true }),
    };
  });
  return { offset, total, rows, requestId: request_id ?? undefined };
}

/** @throws RangeError for a value outside the range */
function fromDifferences(
  differences: readonly (number | null)[],
  range: { first: number; last: number },
): (number | null)[] {
  let sum = 0;
  return differences.map((difference) => {
    if (difference === null) return null;
    sum += difference;
    if (sum < range.first || sum > range.last) throw new RangeError(`${sum} is out of range`);
    return sum;
  });
}
