/** Returns lines of columns: the first at the left, the others at the right. */
export function toTextTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) =>
    row.map((text, at) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0))),
  );
  return lines.map((line) => `${line.join("  ").trimEnd()}\n`).join("");
}
