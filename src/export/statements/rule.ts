import type { Basis } from "../../warehouse/runs/basis-schema.ts";
import type { DescribedOutcomes, RangeFacts } from "./range-schema.ts";

/**
 * doubt: figures may be wrong or incomplete, so commands end with 3. caution: figures are right, and can mislead.
 * note: good to know.
 */
export const LEVELS = ["doubt", "caution", "note"] as const;
export type Level = (typeof LEVELS)[number];

/** Null for a number too small to share. */
export type Values = Readonly<Record<string, string | number | null>>;

/** What is known, at each stage of a file: its warehouse, its days, its rows, and the report that it belongs to. */
export interface Facts {
  warehouse?: Basis;
  range?: RangeFacts;
  files?: FileFacts;
  report?: ReportFacts;
  /** Zone of times. @default the one of the days, or UTC */
  timezone?: string | undefined;
  /** Jobs that were imported, and how many of them have a call. */
  imported?: Pick<DescribedOutcomes, "jobs" | "matched">;
  /** Names of the figures that are shown. @default all */
  figures?: readonly string[] | undefined;
  /** The local day of the first call. */
  firstDay?: string | undefined;
  /** How many accounts a file combines. */
  accounts?: number;
}

export interface FileFacts {
  timezone: string;
  isWarehouseEmpty: boolean;
  files: readonly FileEntry[];
  /** Present if only changed calls are listed. */
  changes?: object;
  restatements?: { rollups: readonly { exported_at?: string; restated_cells?: number }[] };
}

interface TableEntry {
  /** Dimensions, separated by commas, or the name of another content. */
  contents?: string;
  rows: number;
  without_costs?: true;
  examined?: number;
  excluded?: Readonly<Record<string, number>>;
}

interface FileEntry extends TableEntry {
  adjustments?: object;
  only_new?: true;
  sheets?: readonly (TableEntry & { cut_texts?: number })[];
}

export interface ReportFacts {
  /** How old the last good sync may be, if it is older. */
  olderThan?: string;
  /** The first of the days that headline figures are compared with, if the copy does not have them; null if open. */
  comparedFrom?: string | null;
  /** The fewest calls of a figure, if headline figures are blank for it. */
  headlineMinCell?: number;
}

/** Defines one statement: when it is made, its level and its words. */
export interface Rule<V extends Values = Values> {
  level: Level;
  /** The level, if it depends on the values. */
  levelOf?(values: V): Level;
  /** The figures that it is about: without one of them, it is not made. @default any */
  about?: readonly string[];
  /** Returns the values, if there is something to state. */
  find(facts: Facts): V | null | undefined;
  say(values: V): string;
  /** What to do about it. */
  hint?(values: V): string;
  /** Values that count calls. */
  counts?: readonly string[];
}

/** Infers the values. */
export function rule<V extends Values>(defined: Rule<V>): Rule<V> {
  return defined;
}
