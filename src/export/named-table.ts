import type { Audience } from "../folder.ts";
import { encodeTable, type FormatOptions } from "./encode-table.ts";
import type { FigureJob } from "./figure-job.ts";
import type { ManifestFile, TableEntry } from "./manifest.ts";
import type { Table } from "./table.ts";

/** A table of an export, which becomes a file, or a sheet of a workbook. */
export interface NamedTable extends Table {
  /** Name of the file without its ending, or of the sheet. */
  name: string;
  audience: Audience;
  /** What the manifest says of it; of some tables whole only when their rows have been read. */
  entry: TableEntry;
}

/** Writes a table as a file of its own. */
export async function writeTable(
  job: Pick<FigureJob, "write">,
  table: NamedTable,
  format: FormatOptions,
): Promise<ManifestFile> {
  const content = await encodeTable(table, format);
  const written = await job.write(`${table.name}.${format.format}`, content, table.audience);
  return { ...written, ...table.entry };
}
