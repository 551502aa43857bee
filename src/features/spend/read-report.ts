import { UsageError } from "../../base/errors.ts";
import { type LeftOut, type LineCounts, openTable } from "../../intake/open-table.ts";
import { findTotals } from "./dated-totals.ts";
import { BY_DAY, BY_MAP, MORE_DAYS, type ReadSpendOptions, SPEND_INTAKE } from "./spend-intake.ts";
import type { SpendRow } from "./spend-row.ts";

export interface ReadReport extends LineCounts {
  report: string;
  /** The headers of the columns that are not used. */
  unused_columns: string[];
  rows: SpendRow[];
  left_out: LeftOut[];
}

/** @throws UsageError for an unusable file; it does not name the file */
export function readReport(text: string, options: ReadSpendOptions): ReadReport {
  const { columns, visit } = openTable(text, SPEND_INTAKE, options);
  const report = columns.form?.name ?? BY_MAP;
  const called: SpendRow[] = [];
  const all: SpendRow[] = [];
  const left_out: LeftOut[] = [];
  const counts = visit(
    ({ row, isCalledTotal }) => {
      all.push(row);
      if (isCalledTotal) called.push(row);
    },
    (left) => left_out.push(left),
  );
  if (all.length === 0 && left_out.some(({ reason }) => reason === MORE_DAYS))
    throw new UsageError(`it is a report of ${report} without days: its rows are of more than one`, {
      hint: columns.form?.daily ?? BY_DAY,
    });
  const asCalled = new Set(called);
  const totals = findTotals(
    called,
    all.filter((row) => !asCalled.has(row)),
  );
  // The total of a file with lines that were left out cannot be checked.
  const open = left_out.length === 0 ? [] : called.filter((row) => !totals.has(row));
  for (const { line, cost_micros: amount_micros } of open)
    left_out.push({ line, reason: "it may be the total of rows that were left out", amount_micros });
  const aside = new Set([...totals, ...open]);
  return {
    ...counts,
    total_lines: [...counts.total_lines, ...[...totals].map(({ line }) => line)].sort((a, b) => a - b),
    report,
    unused_columns: columns.unused,
    rows: all.filter((row) => !aside.has(row)),
    left_out: left_out.sort((a, b) => a.line - b.line),
  };
}
