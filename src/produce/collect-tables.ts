import { encodeTable } from "../export/formats/encode-table.ts";
import type { Job } from "../export/job.ts";
import type { ManifestFile } from "../export/manifest.ts";
import type { Outlet } from "../export/output/output.ts";
import { WORKBOOK } from "../export/rollups.ts";
import { toShareSafe } from "../export/share-safe.ts";
import type { NamedTable } from "../export/table.ts";
import type { Ask } from "../request/resolve.ts";

/** Writes each table of a job as a file or passes it on; those of a workbook are kept until it is written. */
export function collectTables({ format, minCell }: Ask, outlet: Outlet, write: Job["write"]) {
  const sheets: NamedTable[] = [];
  return {
    take: async (table: NamedTable): Promise<ManifestFile[]> => {
      const file =
        format.format === "xlsx" ? `${WORKBOOK}, sheet ${table.name}` : `${table.name}.${format.format}`;
      const checked = minCell === undefined ? table : toShareSafe(table, file);
      if (outlet.table) return [{ ...outlet.table(checked), ...checked.entry }];
      if (format.format !== "xlsx") {
        const written = await write(file, await encodeTable(checked, format), checked.audience);
        return [{ ...written, ...checked.entry }];
      }
      sheets.push(checked);
      return [];
    },
    writeSheets: async (job: Job): Promise<ManifestFile[]> => {
      if (sheets.length === 0) return [];
      const { writeWorkbook } = await import("../export/formats/xlsx/workbook.ts");
      return [await writeWorkbook(job, sheets)];
    },
  };
}
