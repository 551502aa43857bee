import type { ExportRequest } from "../../config/request/export-request.ts";

/** A page that the demo writes. */
export interface DemoPage {
  format: ExportRequest["format"];
  /** In the folder of the demo. */
  folder: string;
  file: string;
  /** How to go on after "Open ‹file›". */
  use: string;
}
