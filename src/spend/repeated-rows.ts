import type { ReadReport, SpendRow } from "./read-report.ts";

/**
 * Leaves out rows that an earlier report has as well, as where weeks overlap or one report was saved twice. A row that one
 * report has several times, as for several ad groups, is not repeated in itself.
 */
export function leaveOutRepeated<Report extends Pick<ReadReport, "rows" | "left_out"> & { file: string }>(
  reports: readonly Report[],
): Report[] {
  /** For each content, the places of the report that has it most often. */
  const known = new Map<string, string[]>();
  return reports.map((report) => {
    const own = new Map<string, string[]>();
    const left_out = [...report.left_out];
    const rows = report.rows.filter((row) => {
      const key = contentOf(row);
      const places = own.get(key) ?? [];
      own.set(key, places);
      const same = known.get(key)?.[places.length];
      places.push(`line ${row.line} of ${report.file}`);
      if (same !== undefined) left_out.push({ line: row.line, reason: `the same as ${same}; --add adds it` });
      return same === undefined;
    });
    for (const [key, places] of own)
      if (places.length > (known.get(key)?.length ?? 0)) known.set(key, places);
    return { ...report, rows, left_out: left_out.sort((a, b) => a.line - b.line) };
  });
}

function contentOf({ line: _, ...row }: SpendRow): string {
  return JSON.stringify(row);
}
