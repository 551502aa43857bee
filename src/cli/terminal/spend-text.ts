import { formatMicros } from "../../base/currency.ts";
import { toPrintable } from "../../base/printable.ts";
import { formatCount, formatQuantity } from "../../base/quantity-text.ts";
import type { ReportFile } from "../../spend/report-file.ts";
import type { ImportedSpend } from "../../spend/spend-table.ts";

/** Rows left out that a person is shown; `--json` has all. */
const SHOWN = 20;

/** Returns an import as `--json` has it. */
export function spendToJson(files: readonly ReportFile[], { currency, sources }: ImportedSpend) {
  return {
    currency,
    files: files.map(({ rows, ...file }) => ({ ...file, rows: rows.length })),
    sources: sources.map(({ cost_micros, ...source }) => ({
      ...source,
      cost: Number(formatMicros(cost_micros)),
    })),
  };
}

export function describeImport(files: readonly ReportFile[], { currency, sources }: ImportedSpend): string {
  const lines = files.map(describeFile);
  for (const { source, days, first_day, last_day, rows, cost_micros, replaced_rows } of sources) {
    const replaced = replaced_rows > 0 ? `, in place of ${formatQuantity(replaced_rows, "earlier row")}` : "";
    lines.push(
      `${toPrintable(source)}  ${formatQuantity(days, "day")}, ${first_day}${days > 1 ? ` to ${last_day}` : ""}, ${formatQuantity(rows, "row")}, ${formatMicros(cost_micros)} ${currency}${replaced}`,
    );
  }
  const leftOut = files.flatMap(({ file, left_out }) =>
    left_out.map(({ line, reason }) => toPrintable(`  ${file}:${line}  ${reason}`)),
  );
  if (leftOut.length > 0)
    lines.push(`Left out: ${formatQuantity(leftOut.length, "row")}`, ...leftOut.slice(0, SHOWN));
  if (leftOut.length > SHOWN) lines.push(`  and ${formatCount(leftOut.length - SHOWN)} more: --json has all`);
  return lines.join("\n");
}

/** Says where each line of a file went. */
function describeFile({ file, report, lines, rows, left_out, ...aside }: ReportFile): string {
  const parts = [
    `${formatQuantity(rows.length, "row")}`,
    ...(left_out.length > 0 ? [`${formatCount(left_out.length)} left out`] : []),
    "1 header",
    ...describeLines(aside.title_lines, "title"),
    ...describeLines(aside.total_lines, "total"),
    ...describeLines(aside.note_lines, "note"),
    ...describeLines(aside.blank_lines, "empty"),
  ];
  return `${toPrintable(file)}  ${report}, ${formatQuantity(lines, "line")}: ${parts.join(", ")}`;
}

function describeLines({ length }: readonly number[], name: string): string[] {
  return length > 0 ? [`${formatCount(length)} ${name}`] : [];
}
