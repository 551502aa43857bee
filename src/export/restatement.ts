import { CHANGE_REASONS } from "../rollup/change-reasons.ts";

export const RESTATEMENT_REASONS = [...CHANGE_REASONS, "spend_changed"] as const;
export type RestatementReason = (typeof RESTATEMENT_REASONS)[number];

export interface Effect {
  reason: RestatementReason;
  /** How many calls; null where it is not about calls. */
  calls: number | null;
  /** Of a figure that adds up: what it is more now for that; null for others. */
  effect: number | null;
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
  /** Not part of it. */
  ends_at: string;
  key: Readonly<Record<string, FigureValue>>;
  metric: string;
  was: FigureValue;
  now: FigureValue;
  /** Null for times, and where one of them is blank. */
  change: number | null;
  /** When the earlier value was exported, ISO 8601 UTC. */
  given_out_at: string;
  reasons: readonly Effect[];
  /** Names of the settings for attribution that changed in between, separated by commas; null where none did. */
  rules_changed: string | null;
}
