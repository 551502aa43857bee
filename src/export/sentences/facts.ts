import type { Statement } from "../statements/statements.ts";

type Value = string | number | null;
type Figures = Readonly<Record<string, Value>>;

/** What the first sentences of a page or mail are found in: figures as they are shown below them. */
export interface SentenceFacts {
  statements: readonly Statement[];
  /** Figures of all calls, each with its value before as `…_previous`. */
  total: Figures;
  /** Undefined if nothing is compared, or the copy does not have the days before. */
  compared: { times: number; before: string } | undefined;
  /** The keys whose calls moved most, beyond chance, the largest change first. */
  movers: Readonly<Record<"up" | "down", readonly MovedKey[]>>;
  spend?: SpendFacts | undefined;
  outcomes?: OutcomeFacts | undefined;
  /** Those that are open. */
  notices: readonly OpenNotice[];
  /** Figures that changed after they were exported. */
  restatements: readonly ChangedFigure[];
}

export interface MovedKey {
  dimension: string;
  /** Null for calls without a value. */
  name: string | null;
  calls: number;
  before: number;
}

interface SpendFacts {
  currency: string;
  /** Of campaigns whose cost is over 0. */
  cost: number;
  calls: number;
  /** How many campaigns have spend. */
  campaigns: number;
  /** Those without calls, most spend first. */
  silent: readonly { name: string; cost: number; isKnown: boolean }[];
}

interface OutcomeFacts {
  /** ISO 4217; null if no job has an amount. */
  currency: string | null;
  by: "call" | "job-date";
  total: Figures;
}

interface OpenNotice {
  dimension: string;
  name: string;
  kind: "silent" | "few" | "many";
  /** In words, local. */
  since: string;
  expected: number;
}

export interface ChangedFigure {
  metric: string;
  key: Figures;
  /** Empty without periods. */
  period: string;
  was: Value;
  now: Value;
  change: number | null;
}
