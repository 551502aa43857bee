import { toPrintable } from "../../base/text/printable.ts";
import { alignColumns, ellipsize, GAP, widthOf } from "../../base/text/terminal-text.ts";
import type { SqlValue } from "../../warehouse/run-query.ts";

/** With narrower columns a table is unreadable; then each value gets its own line. */
const MIN_WIDTH = 8;

/**
 * Returns rows as a plain-text table, numbers right-aligned; unprintable characters are escaped, BLOBs hexadecimal.
 * @param width columns of the terminal; values are cut to fit, or get a line each if there are too many. @default
 * nothing is cut
 */
export function layOutTable(
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
  width?: number,
): string {
  const heads = columns.map(toPrintable);
  const lines = rows.map((row) => row.map(toCell));
  const natural = heads.map((head, index) =>
    lines.reduce((most, line) => Math.max(most, widthOf(line[index] ?? "")), widthOf(head)),
  );
  const widest = width === undefined ? Number.POSITIVE_INFINITY : widestColumn(natural, width);
  if (width !== undefined && widest < MIN_WIDTH) return layOutRecords(heads, lines, width);
  return alignColumns(
    [heads, ...lines].map((line) => line.map((cell) => ellipsize(cell, widest))),
    columns.map((_, index) => rows.every((row) => isNumeric(row[index] ?? null))),
    natural.map((columnWidth) => Math.min(columnWidth, widest)),
  );
}

function layOutRecords(heads: readonly string[], lines: readonly string[][], width: number): string {
  const nameWidth = Math.max(...heads.map(widthOf));
  const layOut = (line: readonly string[], index: number) => [
    `row ${index + 1}`,
    ...heads.map((head, index) =>
      ellipsize(`${GAP}${head}${" ".repeat(nameWidth - widthOf(head))}${GAP}${line[index]}`, width).trimEnd(),
    ),
  ];
  return lines.flatMap(layOut).join("\n");
}

/** Returns the width that the widest columns are cut to, so that all fit into a line. */
function widestColumn(natural: readonly number[], width: number): number {
  const room = width - GAP.length * (natural.length - 1);
  let widest = Math.max(0, Math.min(room, Math.max(...natural)));
  const totalWidth = () => natural.reduce((sum, columnWidth) => sum + Math.min(columnWidth, widest), 0);
  while (widest > 0 && totalWidth() > room) widest -= 1;
  return Math.max(...natural) <= widest ? Number.POSITIVE_INFINITY : widest;
}

function toCell(value: SqlValue): string {
  if (value === null) return "NULL";
  if (Buffer.isBuffer(value)) return value.toString("hex");
  return typeof value === "string" ? toPrintable(value) : String(value);
}

function isNumeric(value: SqlValue): boolean {
  return value === null || typeof value === "bigint" || typeof value === "number";
}
