import type { AliasField } from "../../calls/attribution/attribution-rules.ts";

export const TAG_PROBLEMS = [
  ...["near_miss", "placeholder", "contradiction", "self_referral", "payment_or_login", "two_names"],
  ...["spend_without_calls", "calls_without_spend", "new_source", "merged"],
] as const;
export type TagProblemKind = (typeof TAG_PROBLEMS)[number];

/** A tag that is probably wrong, or a spelling that counts as another. */
export interface TagProblem {
  kind: TagProblemKind;
  field: AliasField;
  value: string;
  /** What it is confused with, contradicts, or counts as. */
  other: string | null;
  /** Of the last 28 days. */
  calls: number;
  /** Of the last 28 days; null without spend. */
  cost_micros: bigint | null;
  /** Start of the first such call, ISO 8601 UTC. */
  since: string | null;
  /** The line that mends it; null if no line can. */
  line: MendingLine | null;
}

/** Cells of a line for a file, by column. */
export type MendingLine =
  | { file: "aliases"; cells: AliasLine }
  | {
      file: "channels";
      cells: Readonly<Record<"channel" | "source" | "medium" | "campaign" | "referrer", string>>;
    };

export interface AliasLine {
  raw: string;
  value: string;
  of: AliasField;
}
