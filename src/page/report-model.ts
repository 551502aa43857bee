import type { Manifest } from "../export/manifest.ts";
import type { Restatement } from "../export/restatement.ts";
import type { Basis } from "../warehouse/runs/basis.ts";
import type { ReportFigures } from "./report-figures.ts";

export interface Report {
  figures: ReportFigures;
  basis: Basis;
  manifest: Manifest;
  fingerprint: string;
  /** Figures of its periods that were others when the page was last written. */
  restatements: readonly Restatement[];
  grain: string;
  days: number;
}
