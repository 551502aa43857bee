import { CHANGE_REASONS } from "../../sources/change-reasons.ts";

export const RESTATEMENT_REASONS = [...CHANGE_REASONS, "spend_changed"] as const;
export type RestatementReason = (typeof RESTATEMENT_REASONS)[number];

export interface Effect {
  reason: RestatementReason;
  /** How many calls; null if the reason is not about calls. */
  calls: number | null;
  /** By how much they changed a figure that adds up; null for others. */
  effect: number | null;
  /** The first of these calls; missing if the reason is not about calls. */
  listed?: readonly ChangedCall[] | undefined;
}

export interface ChangedCall {
  call_id: number;
  /** Names of the facts that changed in it, as in `call_facts`; none of a call that came late. */
  changed: readonly string[];
}

export type FigureValue = string | number | null;

/** A figure of a complete period that changed after it was exported. */
export interface Restatement {
  /** When it was found, ISO 8601 UTC. */
  found_at: string;
  /** Absolute path of the file. */
  path: string;
  /** Its dimensions, separated by commas. */
  contents: string;
  /** As in the file; empty without periods. */
  period: string;
  /** ISO 8601 UTC. */
  starts_at: string;
  /** Exclusive. */
  ends_at: string;
  key: Readonly<Record<string, FigureValue>>;
  metric: string;
  was: FigureValue;
  now: FigureValue;
  /** Null for times, and if either value is blank. */
  change: number | null;
  /** When the earlier value was exported, ISO 8601 UTC. */
  exported_at: string;
  reasons: readonly Effect[];
  /** The attribution settings that changed in between, separated by commas; null for none. */
  rules_changed: string | null;
}
