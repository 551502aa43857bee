import { UsageError } from "../base/errors.ts";
import { personalKind } from "../base/text/personal-text.ts";
import type { Hint } from "../base/text/words.ts";
import type { CallFilter } from "../calls/filter.ts";
import type { Basis } from "../warehouse/runs/basis-schema.ts";
import type { Column, NamedTable, Value } from "./table.ts";

const isScanned = ({ type, isId }: Pick<Column, "type" | "isId">) => type === "text" && !isId;

const HINT: Hint = ({ aliases, minCell }) =>
  `Leave out the dimension, rename the value in the file of ${aliases}, or filter out its calls: a file with ${minCell} contains no phone numbers or mail addresses.`;

/**
 * Reads all rows before the first one is written.
 * @throws UsageError for a phone number or mail address; it names the place, not the text
 */
export function toShareSafe(table: NamedTable, file: string): NamedTable {
  const rows = [...table.rows];
  assertShareSafe({ columns: table.columns, rows }, file);
  return { ...table, rows };
}

/** @throws UsageError for a phone number or mail address; it names the place, not the text */
export function assertShareSafe(
  {
    columns,
    rows,
  }: { columns: readonly Pick<Column, "name" | "type" | "isId">[]; rows: readonly (readonly Value[])[] },
  file: string,
): void {
  const scanned = columns.flatMap((column, index) => (isScanned(column) ? [{ ...column, index }] : []));
  for (const [above, row] of rows.entries()) {
    for (const { name, index } of scanned) {
      const value = row[index];
      const kind = typeof value === "string" ? personalKind(value) : undefined;
      if (kind !== undefined) throw unsafeError(file, `row ${above + 1}, column ${name}`, kind);
    }
  }
}

const REASON_LEFT_OUT = "the reason counts calls, so it is left out of what may be shared";

/** Removes texts that count calls: those of the whole copy would reveal what is left of a table. */
export function toShareSafeBasis(basis: Basis): Basis {
  const { run } = basis;
  return { ...basis, run: run && { ...run, verdict_reason: REASON_LEFT_OUT }, advice: null };
}

/** @throws UsageError if the manifest's filter would contain such a text */
export function assertFilterShareSafe(filter: CallFilter): void {
  const { exclude_callers: _, ...described } = filter;
  for (const [name, value] of Object.entries(described)) {
    for (const text of Array.isArray(value) ? value : []) {
      const kind = personalKind(String(text));
      if (kind !== undefined) throw unsafeError("manifest.json", `filter ${name}`, kind);
    }
  }
}

function unsafeError(file: string, place: string, kind: string): UsageError {
  return new UsageError(`Cannot write ${file}: ${place}, looks like ${kind}`, {
    hint: HINT,
  });
}
