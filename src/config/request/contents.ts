import { DEFAULT_DIMENSIONS, type Dimension } from "../../figures/dimensions.ts";
import type { ExportRequest } from "./export-request.ts";
import {
  type ContentKind,
  EXPLORE_DIMENSIONS,
  HYGIENE,
  isPageFormat,
  LISTS,
  type List,
  PAGES,
  UNSHARED_DIMENSIONS,
} from "./option-values.ts";

/** One thing that an export writes: a rollup, a list, tags to mend, the page of charts, or the page to explore. */
export type Content =
  | { kind: "rollup"; dimensions: readonly Dimension[] }
  | { kind: "explore"; dimensions: readonly Dimension[] }
  | { [Kind in Plain]: { kind: Kind } }[Plain];

type Plain = Exclude<ContentKind, "rollup" | "explore">;

/** Returns what a request writes; by default, the default rollups of the source. */
export function toContents(
  { contents = [], by, format, min_cell }: ExportRequest,
  { clickIds }: { clickIds: boolean },
): Content[] {
  if (format === "explore") {
    // More dimensions would fold nearly all calls.
    const usual = min_cell === undefined ? EXPLORE_DIMENSIONS : (["channel"] as const);
    return [{ kind: "explore", dimensions: by ?? usual }];
  }
  if (isPageFormat(format)) return [{ kind: PAGES[format].kind }];
  const isShown = (dimension: Dimension) =>
    (clickIds || dimension !== "gclid") && (min_cell === undefined || !isUnshared(dimension));
  const named = contents.length > 0 || by !== undefined ? contents : DEFAULT_DIMENSIONS.filter(isShown);
  const all = [...new Set(named)].map(
    (name): Content =>
      isList(name) || name === HYGIENE ? { kind: name } : { kind: "rollup", dimensions: [name] },
  );
  // A dimension that is also named on its own gives one file, not two.
  const isNamed = by?.length === 1 && by[0] !== undefined && contents.includes(by[0]);
  return by === undefined || isNamed ? all : [...all, { kind: "rollup", dimensions: by }];
}

/** Whether a content has a row for each call, caller or conversion: hashes and click ids also identify people. */
export function isList(kind: string): kind is List {
  return LISTS.some((list) => list === kind);
}

export function isUnshared(dimension: Dimension): boolean {
  return UNSHARED_DIMENSIONS.some((unshared) => unshared === dimension);
}
