import type { Dimension } from "../../../figures/dimensions.ts";
import type { OutputCan, SourceCan } from "../can.ts";
import type { ExportRequest } from "../export-request.ts";
import { type ContentKind, isChartFormat } from "../option-values.ts";
import type { OptionName } from "../options.ts";
import type { Refusal, Spell } from "./refusal.ts";

/** A request, and what its conflicts depend on. */
export interface RequestParts {
  request: ExportRequest;
  source: SourceCan;
  output: OutputCan;
  kinds: readonly ContentKind[];
  lists: readonly ContentKind[];
  /** The dimensions of each rollup. */
  rollups: readonly (readonly Dimension[])[];
  /** Of all rollups. */
  dimensions: readonly Dimension[];
  spell: Spell;
}

export type RequestRefusal = Refusal<RequestParts, OptionName>;
export type RequestRefusals = readonly RequestRefusal[];

export const isOfFormat =
  (format: ExportRequest["format"]) =>
  ({ request }: RequestParts): boolean =>
    request.format === format;

export const isOfCharts = ({ request }: RequestParts): boolean => isChartFormat(request.format);

/** Returns the first requested figure that is among these. */
export function figureAmong({ columns = [] }: ExportRequest, figures: readonly string[]): string | undefined {
  return columns.find((name) => figures.includes(name));
}
