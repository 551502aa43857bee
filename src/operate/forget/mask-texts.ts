import { presentNumber } from "../../calls/attribution/call-text.ts";
import { CALLS } from "../../warehouse/calls/calls.ts";
import { CALL_FACTS, call_facts } from "../../warehouse/calls/facts.ts";
import { type ForgottenCallers, openForgotten } from "../../warehouse/calls/forgotten-callers.ts";
import { REJECTED_CALLS } from "../../warehouse/calls/rejected.ts";
import { CAMPAIGN_NAMES, CAMPAIGNS } from "../../warehouse/campaign-table.ts";
import { type DescribedTable, type PersonalKind, personalColumns } from "../../warehouse/described.ts";
import type { Tx } from "../../warehouse/transaction.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { TABLES } from "../schema/schema.ts";

/**
 * Tables whose rows are stripped as a whole, so that their hashes and the facts of calls follow; and the names of
 * campaigns, which follow the facts.
 */
const STRIPPED: readonly DescribedTable[] = [CALLS, CALL_FACTS, CAMPAIGNS, CAMPAIGN_NAMES, REJECTED_CALLS];

/** Prepares to mask the numbers of forgotten callers in exported JSON, except tracking numbers. */
export function prepareMaskJson(
  warehouse: Reader,
  forgotten = openForgotten(warehouse),
): (json: string) => string {
  if (forgotten === undefined) return (json) => json;
  const rows = warehouse.db.selectDistinct({ number: call_facts.tracking_number }).from(call_facts).all();
  const called = new Set(rows.map(({ number }) => number));
  const isCalled = (text: string) =>
    text.startsWith('"') && called.has(presentNumber(String(JSON.parse(text))));
  return (json) => json.replace(JSON_TEXT, (text) => (isCalled(text) ? text : forgotten.mask(text)));
}

/**
 * Masks the numbers of forgotten callers in all other texts; returns how many changed. Of rows that become equal, one
 * is kept.
 */
export function maskTexts(warehouse: Tx, forgotten: ForgottenCallers): number {
  const { sqlite } = warehouse;
  const maskJson = prepareMaskJson(warehouse, forgotten);
  let masked = 0;
  sqlite.function("mask_numbers", { directOnly: true }, (text, isSpared) => {
    const left = isSpared === 1 ? maskJson(String(text)) : forgotten.mask(String(text));
    if (left !== text) masked++;
    return left;
  });
  for (const { table, name, personal } of columnsOf("text", "key")) {
    sqlite.exec(`UPDATE OR REPLACE ${table} SET "${name}" = mask_numbers("${name}", ${personal === "key"})
      WHERE typeof("${name}") = 'text' AND "${name}" GLOB '${MAY_HAVE_DIGITS}'`);
  }
  return masked;
}

/** Empties columns that a later run fills again: guessable hashes, and names in an unfinished pass of insights. */
export function clearScratch({ sqlite }: Tx): void {
  for (const { table, name } of columnsOf("scratch")) sqlite.exec(`UPDATE ${table} SET ${name} = NULL`);
}

function columnsOf(...kinds: PersonalKind[]) {
  return TABLES.filter((table) => !STRIPPED.includes(table)).flatMap((table) =>
    personalColumns(table, kinds).map((column) => ({ ...column, table: table.name })),
  );
}

/** Matches texts with digits or non-ASCII characters, such as digits of other scripts. */
const MAY_HAVE_DIGITS = "*[^ -/:-~]*";

/** A string in JSON, or the text between two strings. */
const JSON_TEXT = /"(?:[^"\\]|\\.)*"|[^"]+/g;
