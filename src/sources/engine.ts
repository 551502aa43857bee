import type { Span } from "../base/calendar/dates.ts";
import type { AttributionRules } from "../calls/attribution/attribution-rules.ts";
import type { FactColumn } from "../calls/facts.ts";
import type { Earnings } from "../figures/amounts/earned.ts";
import type { CampaignNames } from "../figures/campaign-names.ts";
import type { CallSource, Cells, GroupQuestion, Side } from "../figures/cells/cells.ts";
import type { FactValue } from "../figures/dictionary.ts";
import type { KeyColumn } from "../figures/dimensions.ts";
import type { OutcomeForm } from "../figures/metrics.ts";
import type { Part, Parts } from "../figures/parts.ts";
import type { ZoneOffset } from "../figures/rollup-query.ts";
import type { Condition } from "./call-filter.ts";

export interface CallSelection {
  rules: Pick<AttributionRules, "duration_unit" | "caller_digests">;
  conditions: readonly Condition[];
  /** Whether gone calls count, so first-call flags must be recomputed. */
  isGoneCounted: boolean;
}

/** What calls earned, at the moment of the engine. */
export interface ReadOutcomes {
  form: OutcomeForm;
  /** Of the latest imports: their jobs, and how many of these have a call. */
  jobs: number;
  matched: number;
  byCell: (side: Side & { cells: Cells }, selection: CallSelection) => Promise<Map<number, Earnings>>;
  /** Returns when the days of the first and the last job begin, ISO 8601 UTC; null if jobs count with their calls, or none do. */
  readExtent: (selection: CallSelection) => Promise<Extent | null>;
}

/** The first and the last start. */
export type Extent = readonly [first: string, last: string];

export interface ImportedSpend {
  /** A table, or a SELECT in parentheses. */
  table: string;
  /** The SELECT of all campaigns of calls: campaign, campaign_id, source, calls. */
  campaigns: string;
}

/** The facts of calls at one moment. SELECTs are in SQLite's SQL, for the session's connection. */
export interface Engine extends Pick<CallSource, "dictionaryOf"> {
  groups: (question: GroupQuestion, selection: CallSelection) => Promise<Parts>;
  /** Reads what these need with whatever is asked next, so that one scan of the calls answers several questions. */
  expect: (keys: readonly KeyColumn[], parts: readonly Part[]) => void;
  /** Returns the distinct values of a fact; of campaigns the names that rows have. */
  readValues: (fact: FactColumn) => Promise<readonly FactValue[]>;
  readCampaignNames: () => Promise<CampaignNames>;
  /** Counts the calls of each duration band: the number of bounds reached, null without a duration; calls, answered, missed. */
  readBands: (bounds: readonly number[], span: Span, selection: CallSelection) => Promise<FactValue[][]>;
  /** Returns the starts of the first and the last call, ISO 8601 UTC; null if no start is known. */
  readExtent: (selection: CallSelection) => Promise<Extent | null>;
  /** Returns the start of the first of all calls, whether it counts or not. */
  readFirstStart: () => Promise<string | null>;
  /** Counts the callers, as the facts know them, who made no call. */
  countUnknownCallers: (callers: readonly string[]) => Promise<number>;
  /** Counts the calls that the service no longer lists and that still count. Undefined if the engine does not know them. */
  countMissing?: (span: Span, selection: CallSelection) => Promise<number>;
  /** Returns a zone's offsets at times when there may be calls, in order. */
  readOffsets: (zone: string) => Promise<ZoneOffset[]>;
  readSpend: () => Promise<ImportedSpend>;
  /** Undefined if the engine has no outcomes. @param zone whose days the jobs' days are taken for */
  readOutcomes?: (by: OutcomeForm["by"], zone: string) => ReadOutcomes;
  /** Makes an empty table, and returns its unique name. */
  makeTable: (columns: string) => string;
}
