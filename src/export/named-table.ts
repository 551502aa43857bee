import type { Audience } from "../base/folder.ts";
import type { TableEntry } from "./manifest.ts";
import type { Table } from "./table.ts";

/** A table of an export, which becomes a file, or a sheet of a workbook. */
export interface NamedTable extends Table {
  /** Name of the file without its ending, or of the sheet. */
  name: string;
  audience: Audience;
  /** What the manifest says of it; of some tables complete only when their rows have been read. */
  entry: TableEntry;
}
