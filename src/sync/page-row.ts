import type { AttributionPage, ServedPage } from "../api/attribution-client.ts";
import type { ParsedRow } from "../api/parse.ts";
import { parseServedRow, takeFingerprint } from "../api/served-row.ts";
import type { Call } from "../call.ts";
import type { Row } from "../paging/slice.ts";
import type { KnownCall, Recognize } from "../warehouse/recognize.ts";

/** A row of a page: parsed, or recognized by its bytes as one that the warehouse has. */
export type PageRow = ParsedRow | { known: KnownCall; bytes: Buffer };

/** A page whose calls are parsed as far as they need to be. */
export type Page = Omit<AttributionPage, "rows"> & { rows: readonly PageRow[] };

/**
 * Parses the calls of a page that are not known just as they are.
 *
 * @throws ApiError where it is not JSON
 */
export function parseNews({ served, parse, ...place }: ServedPage, recognize: Recognize): Page {
  try {
    const fingerprints = served.map(takeFingerprint);
    const known = recognize(fingerprints);
    const rows = served.map((bytes, index): PageRow => {
      const call = known[index];
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

/** What the walk needs to know of the row. */
export function toWalkRow(row: PageRow): Row {
  if ("rejected" in row) return { id: row.rejected.call_id, started: null, name: null, isRejected: true };
  const { call_id, call_started, insight_name } = callOf(row);
  return { id: call_id, started: call_started, name: insight_name };
}

function callOf(
  row: Exclude<PageRow, { rejected: unknown }>,
): Pick<Call, "call_id" | "call_started" | "insight_name"> {
  return "known" in row ? row.known : row.call;
}
