import type { Manifest } from "../export/manifest.ts";
import type { Restatement } from "../export/restatement.ts";
import type { Basis } from "../warehouse/runs/basis.ts";
import type { ReportFigures } from "./report-figures.ts";

export interface Report {
  figures: ReportFigures;
  basis: Basis;
  /** With all but its files. */
  manifest: Manifest;
  fingerprint: string;
  /** Figures of its periods that were others when the page was last written. */
  restatements: readonly Restatement[];
  /** What a period is called: day, week, month or quarter. */
  grain: string;
  days: number;
}
