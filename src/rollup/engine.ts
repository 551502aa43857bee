import type { FactColumn } from "../attribution/attribute-call.ts";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import type { LabelledPeriod } from "../calendar/periods.ts";
import type { Condition, Span } from "./call-filter.ts";
import type { KeyColumn } from "./dimensions.ts";
import type { Metric } from "./metrics.ts";
import type { ZoneOffset } from "./rollup-query.ts";

export interface CallSelection {
  rules: Pick<AttributionRules, "duration_unit" | "caller_digests">;
  conditions: readonly Condition[];
  /** Whether gone calls count, so first-call flags must be recomputed. */
  isGoneCounted: boolean;
}

/** One span of time of a rollup. */
export interface Side {
  keys: readonly KeyColumn[];
  span: Span;
  periods?: readonly LabelledPeriod[] | undefined;
  offsets?: readonly ZoneOffset[] | undefined;
  /** The keys with rows of their own; all others are in the row `(other)`. */
  kept?: Kept | undefined;
}

/** The keys that a rollup shows, as it shows them: a SELECT with a row for each. */
export interface Kept {
  /** Of the table in the SELECT's WITH. */
  name: string;
  text: string;
  /** Whether keys are kept by period; then each row begins with the period. */
  isByPeriod: boolean;
}

export type FactValue = string | number | null;

export interface ImportedSpend {
  /** A table, or a SELECT in parentheses. */
  table: string;
  /** The SELECT of all campaigns of calls: campaign, campaign_id, source, calls. */
  campaigns: string;
}

/** The facts of calls at one moment. SELECTs are in SQLite's SQL, for the session's connection. */
export interface Engine {
  /** Returns the SELECT of a row for each key of a side: period if any, keys, figures. */
  groups: (side: Side, figures: readonly Metric[], selection: CallSelection) => Promise<string>;
  /** Makes a SELECT of kept keys reusable: returns it, or the SELECT of its stored result. */
  keep: (ranked: string) => string;
  readValues: (fact: FactColumn) => Promise<readonly FactValue[]>;
  /** Counts the calls of each duration band: the number of bounds reached, null without a duration; calls, answered, missed. */
  readBands: (bounds: readonly number[], span: Span, selection: CallSelection) => Promise<FactValue[][]>;
  /** Returns the starts of the first and the last call, ISO 8601 UTC; null if no start is known. */
  readExtent: (selection: CallSelection) => Promise<[first: string, last: string] | null>;
  /** Returns the start of the first of all calls, whether it counts or not. */
  readFirstStart: () => Promise<string | null>;
  /** Counts the callers, as the facts know them, who made no call. */
  countUnknownCallers: (callers: readonly string[]) => Promise<number>;
  /** Returns a zone's offsets at times when there may be calls, in order. */
  readOffsets: (zone: string) => Promise<ZoneOffset[]>;
  readSpend: () => Promise<ImportedSpend>;
  /** Makes an empty table, and returns its unique name. */
  makeTable: (columns: string) => string;
}
