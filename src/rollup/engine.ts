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
  /** Whether gone calls count, so that others than the stored ones are their callers' first. */
  isGoneCounted: boolean;
}

/** One stretch of time of a rollup. */
export interface Side {
  keys: readonly KeyColumn[];
  span: Span;
  periods?: readonly LabelledPeriod[] | undefined;
  offsets?: readonly ZoneOffset[] | undefined;
  /** The keys that have rows of their own, where others are one, `(other)`. */
  kept?: Kept | undefined;
}

/** The keys that a rollup shows, as it shows them: the SELECT of a row for each. */
export interface Kept {
  text: string;
  /** Whether a key is kept in some periods, and not in others: the period leads its row. */
  isByPeriod: boolean;
}

export type FactValue = string | number | null;

export interface ImportedSpend {
  /** A table, or a SELECT in parentheses. */
  table: string;
  /** The SELECT of all campaigns of calls: campaign, campaign_id, source, calls. */
  campaigns: string;
}

/** What holds the facts of calls, at one moment. SELECTs are in SQLite's words, for the connection of the session that asks. */
export interface Engine {
  /** Returns the SELECT of a row for each key of the calls of a side: its period, where it has any, its keys, and figures. */
  groups: (side: Side, figures: readonly Metric[], selection: CallSelection) => Promise<string>;
  /** Returns the SELECT of some keys, given one that ranks all of them: the same, or that of what it found. */
  keep: (ranked: string) => string;
  readValues: (fact: FactColumn) => Promise<readonly FactValue[]>;
  /** Counts the calls of each band of durations: the number of bounds that were reached, null without one; calls, answered, missed. */
  readBands: (bounds: readonly number[], span: Span, selection: CallSelection) => Promise<FactValue[][]>;
  /** Returns when the first and the last call started, ISO 8601 UTC; null without any of known time. */
  readExtent: (selection: CallSelection) => Promise<[first: string, last: string] | null>;
  /** Returns when the first of all calls started, whether it counts or not. */
  readFirstStart: () => Promise<string | null>;
  /** Returns how many of some callers no call is from; as the facts know them. */
  countUnknownCallers: (callers: readonly string[]) => Promise<number>;
  /** Returns a zone's offsets under which there may be calls, in the order of time. */
  readOffsets: (zone: string) => Promise<ZoneOffset[]>;
  readSpend: () => Promise<ImportedSpend>;
  /** Makes an empty table, and returns its name, which no other table of the connection has. */
  makeTable: (columns: string) => string;
}
