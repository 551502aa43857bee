import type { Call } from "../call.ts";
import type { AttributionPage, ServedPage } from "./attribution-client.ts";
import type { ParsedRow } from "./parse-row.ts";
import { parseServedRow, takeFingerprint } from "./served-row.ts";

/*
 * A call that comes as it came before is recognized by the hash of its bytes and not parsed: of an unchanged pass that
 * takes almost half the time away. All of it is behind this interface: a page with some rows known, some parsed.
 */

/** A call as it was served, by what tells it from others. */
interface Served {
  call_id: number;
  /** Hash of its bytes, the query of its recording link left out. */
  hash: string;
  /** The recording link as served; undefined where it has no query. */
  recording_url?: string | undefined;
}

/** A call that the warehouse has just as it was served, but perhaps for the signature of its recording link. */
export interface KnownCall extends Served {
  call_started: string | null;
  insight_name: string | null;
  /** Whether the link was signed anew. */
  isResigned: boolean;
}

/** Finds those of the calls that are kept with the same hash, each in its place; undefined for the others. */
export type Recognize = (served: readonly (Served | undefined)[]) => readonly (KnownCall | undefined)[];

/** A row of a page: parsed, or recognized by its bytes as one that the warehouse has. */
export type PageRow = ParsedRow | { known: KnownCall; bytes: Buffer };

/** A page whose calls are parsed as far as they need to be. */
export type Page = Omit<AttributionPage, "rows"> & { rows: readonly PageRow[] };

/**
 * Parses the calls of a page that are not known just as they are.
 *
 * @throws ApiError where it is not JSON, or takes longer than an attempt may
 */
export function parseUnrecognized(
  { served, startDeadline, parse, ...place }: ServedPage,
  recognize: Recognize,
): Page {
  const assertInTime = startDeadline();
  try {
    const fingerprints = served.map(takeFingerprint);
    const known = recognize(fingerprints);
    const rows = served.map((bytes, index): PageRow => {
      const call = known[index];
      assertInTime();
      return call ? { known: call, bytes } : parseServedRow(bytes, fingerprints[index]);
    });
    return { ...place, rows };
  } catch (error) {
    if (error instanceof SyntaxError) return parse();
    throw error;
  }
}

/**
 * Parses those that are not known any more: since a page came, calls of it may have been written from another page that
 * was fetched beside it.
 */
export function parseOutdated(rows: readonly PageRow[], recognize: Recognize): readonly PageRow[] {
  if (!rows.some((row) => "known" in row)) return rows;
  const ids = new Set(rows.map(idOf));
  // Of a call that is twice on the page, the last one counts.
  const isPlain = ids.size === rows.length;
  const known = isPlain ? recognize(rows.map((row) => ("known" in row ? row.known : undefined))) : [];
  return rows.map((row, index) => ("known" in row && !known[index] ? parseServedRow(row.bytes) : row));
}

/** The call's identifier, null where the row is too bad to tell it. */
export function idOf(row: PageRow): number | null {
  return "rejected" in row ? row.rejected.call_id : callOf(row).call_id;
}

/** What the order of the walk may be made of. */
export function callOf(
  row: Exclude<PageRow, { rejected: unknown }>,
): Pick<Call, "call_id" | "call_started" | "insight_name"> {
  return "known" in row ? row.known : row.call;
}
