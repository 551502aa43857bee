import type { Period } from "../base/calendar/periods.ts";
import type { Audience } from "../base/folder.ts";
import type { Ask } from "../config/request/resolve.ts";
import type { RollupColumn, RollupQuery } from "../figures/rollup-query.ts";
import type { ReadOutcomes } from "../sources/engine.ts";
import type { FigureSession, Value } from "../sources/figure-session.ts";
import type { RollupSession } from "../sources/session.ts";
import type { SessionSpend } from "../sources/session-spend.ts";
import { openPseudonyms } from "../warehouse/calls/caller-hash.ts";
import type { Basis, Coverage } from "../warehouse/runs/basis-schema.ts";
import type { Reader } from "../warehouse/warehouse.ts";
import type { Print } from "./formats/pdf/print-page.ts";
import type { Letterhead } from "./letterhead/letterhead.ts";
import type { Manifest, ManifestFile } from "./manifest.ts";
import type { WrittenFile } from "./output/file-set.ts";
import type { Content } from "./sections/element.ts";
import type { ChangedFigure } from "./sentences/facts.ts";
import type { Facts } from "./statements/rule.ts";
import type { NamedTable, Table } from "./table.ts";
import type { Timeframe } from "./timeframe.ts";

/** A question, and one moment of its source. */
export interface StartedJob {
  ask: Ask;
  basis: Basis;
  /** Hours after a call in which late transcripts and corrections are looked for. */
  lookbackHours: number;
  /** The account's name in calltally.yaml; undefined for the only one. */
  account?: string | undefined;
  letterhead: Letterhead;
  timeframe: Timeframe;
  nowMs: number;
  session: FigureSession;
  spend: SessionSpend | undefined;
  outcomes: ReadOutcomes | undefined;
  manifest: Manifest;
  /** Adds what is known now, and updates the manifest's statements. */
  state: (facts: Facts) => void;
  readCoverage: () => Coverage;
  /** Only a warehouse has lists; undefined for a cluster. */
  lists: Lists | undefined;
  isPartitioned: boolean;
  /** Writes a table as its own file, or keeps it as a sheet. */
  table: (table: NamedTable) => Promise<ManifestFile[]>;
  /** Writes one file in chunks; readable only by its owner if it names people. */
  write: (file: string, content: Iterable<Buffer | string>, audience?: Audience) => Promise<WrittenFile>;
  /** Prints a page as PDF; undefined unless it is asked for. */
  print: Print | undefined;
}

/** What steps of an export contribute to its job. */
export interface JobParts {
  /** Undefined if the figures of earlier exports are not recorded. */
  remembered?: RememberedFigures | undefined;
}

/** What sections of a page are read from. */
export interface SectionJob extends StartedJob, JobParts {}

export interface ExportJob extends SectionJob {
  /** Reads a section of a page of charts; an empty one if no feature has it. */
  readSection: (name: SectionName) => Promise<WriteSection>;
}

/** The sections that features add to a page of charts. */
export type SectionName = "restatements" | "tags";
/** Writes a section in the locale of the page; nothing if there is nothing to show. */
export type WriteSection = () => Content;

/** What is read at the moment of an export, before the first file is written. */
export interface Reading<T> {
  value: T;
  /** What it says about the figures. */
  facts?: Facts | undefined;
}

export interface RememberedFigures {
  /** Whether later exports may be compared with these figures. */
  readonly isKept: boolean;
  watch: (outlet: RollupOutlet, rows: Table["rows"]) => Generator<readonly Value[]>;
  /** Returns the figures of a file that changed, in the order in which its rollups are watched. */
  findIn: (file: string) => readonly ChangedFigure[];
  /** All that were found, once the files are written. */
  readonly restatements: readonly ChangedFigure[];
}

export interface RollupOutlet {
  file: string;
  /** Its dimensions, separated by commas; or the name of another content. */
  contents: string;
  query: RollupQuery;
  columns: readonly RollupColumn[];
  /** Present if the file has no periods, and its rollup is also watched by these weeks: the days of a report move on. */
  weeks?: readonly Period[];
}

export interface Lists {
  /** A separate read-only connection, at the moment of the job. */
  reader: Reader;
  session: RollupSession;
  /** Receives the path of a newly created key for `caller_hash`. */
  onNewKey: (file: string) => void;
}

/** Opens the pseudonyms of callers; reports their key if it was just created. */
export function pseudonymsOf(job: Pick<ExportJob, "lists">): ReturnType<typeof openPseudonyms> {
  const { reader, onNewKey } = listsOf(job);
  const callers = openPseudonyms(reader);
  if (callers.newKey !== undefined) onNewKey(callers.newKey);
  return callers;
}

export function listsOf({ lists }: Pick<ExportJob, "lists">): Lists {
  if (lists === undefined) throw new Error("The source has no lists");
  return lists;
}
