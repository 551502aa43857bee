import type { Audience } from "../base/folder.ts";
import type { Ask } from "../request/resolve.ts";
import type { FigureSession, Value } from "../rollup/figure-session.ts";
import type { RollupColumn, RollupQuery } from "../rollup/rollup-query.ts";
import type { RollupSession } from "../rollup/session.ts";
import type { SessionSpend } from "../rollup/session-spend.ts";
import type { Basis } from "../warehouse/runs/basis.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { Manifest, ManifestFile } from "./manifest.ts";
import type { WrittenFile } from "./output/file-set.ts";
import type { Restatement } from "./restatement.ts";
import type { NamedTable, Table } from "./table.ts";
import type { Timeframe } from "./timeframe.ts";

/** What the writer of a content works with: a question, and one moment of its source. */
export interface Job {
  ask: Ask;
  /** The days of the question as instants, cut into periods. */
  timeframe: Timeframe;
  /** Milliseconds since 1970-01-01 UTC. */
  nowMs: number;
  session: FigureSession;
  /** What ads cost; undefined where it was not asked for. */
  spend: SessionSpend | undefined;
  /** What the files are based on, with the files that were written before. */
  manifest: Manifest;
  /** Returns how complete and how fresh the copy is. */
  readBasis: () => Basis;
  /** Compares figures with those that the same files held before; undefined where nothing remembers them. */
  remembered: RememberedFigures | undefined;
  /** What only a warehouse has; undefined for a cluster. */
  lists: Lists | undefined;
  /** Whether calls may be cut into files by month. */
  isPartitioned: boolean;
  /** Writes a table as a file of its own, or keeps it as a sheet. */
  table: (table: NamedTable) => Promise<ManifestFile[]>;
  /** Writes one file, in chunks; for its owner alone if it names people. */
  write: (file: string, content: Iterable<Buffer | string>, audience?: Audience) => Promise<WrittenFile>;
}

export interface RememberedFigures {
  /** Passes the rows of a rollup on, and compares them. */
  watch: (outlet: RollupOutlet, rows: Table["rows"]) => Generator<readonly Value[]>;
  /** Returns what has changed in a rollup, once its rows have been read. */
  find: (contents: string) => readonly Restatement[];
}

export interface RollupOutlet {
  /** Name of its file in the folder. */
  file: string;
  /** Its dimensions, separated by commas; or what else it is. */
  contents: string;
  query: RollupQuery;
  columns: readonly RollupColumn[];
}

/** The calls of a warehouse. */
export interface Lists {
  /** A connection of its own that only reads, at the moment of the job. */
  reader: Warehouse;
  session: RollupSession;
  /** Receives the path of a newly created key for `caller_hash`. */
  onNewKey: (file: string) => void;
}

/** Returns the calls of the job's warehouse: a request for a list is checked before it becomes a job. */
export function listsOf<L extends Lists>({ lists }: { lists: L | undefined }): L {
  if (lists === undefined) throw new Error("The source has no lists");
  return lists;
}
