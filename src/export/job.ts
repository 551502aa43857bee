import type { Audience } from "../folder.ts";
import type { Content, ContentKind } from "../request/contents.ts";
import type { Ask } from "../request/resolve.ts";
import type { FigureSession } from "../rollup/figure-session.ts";
import type { RollupSession } from "../rollup/session.ts";
import type { SessionSpend } from "../rollup/session-spend.ts";
import type { Basis } from "../warehouse/basis.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { WrittenFile } from "./file-set.ts";
import type { GivenOut } from "./given-out.ts";
import type { Manifest, ManifestFile } from "./manifest.ts";
import type { NamedTable } from "./named-table.ts";
import type { Scope } from "./scope.ts";
import type { WrittenUpload } from "./upload-ledger.ts";

/** What the writer of a content works with: a question, and one moment of its source. */
export interface Job {
  ask: Ask;
  /** The days of the question as instants, cut into periods. */
  scope: Scope;
  /** Milliseconds since 1970-01-01 UTC. */
  nowMs: number;
  session: FigureSession;
  /** What ads cost; undefined where it was not asked for. */
  spend: SessionSpend | undefined;
  /** What the files are based on, with the files that were written before. */
  manifest: Manifest;
  /** Returns how complete and how fresh the copy is. */
  readBasis: () => Basis;
  /** Compares figures with those that the same files held before; undefined where no file is replaced. */
  givenOut: GivenOut | undefined;
  /** What only a warehouse has; undefined for a cluster. */
  lists: Lists | undefined;
  /** Whether calls may be cut into files by month. */
  isPartitioned: boolean;
  /** Writes a table as a file of its own, or keeps it as a sheet. */
  table: (table: NamedTable) => Promise<ManifestFile[]>;
  /** Writes one file, in chunks; for its owner alone if it names people. */
  write: (file: string, content: Iterable<Buffer | string>, audience?: Audience) => Promise<WrittenFile>;
}

/** The calls of a warehouse, and its ledger of uploads. */
export interface Lists {
  /** A connection of its own that only reads, at the moment of the job. */
  reader: Warehouse;
  session: RollupSession;
  /** Receives the path of a newly created key for `caller_hash`. */
  onNewKey: (file: string) => void;
  /** The run of a report whose conversions in earlier files are to be written again, and no others. */
  repeats?: number | undefined;
  /** Numbers of files of killed exports that this one replaces: they do not count. */
  rewritten: readonly number[];
  /** Takes note of a file of conversions: it counts as uploaded once it has its name. */
  remember: (file: WrittenUpload) => void;
}

/** Writes the files of a content, and returns their entries of the manifest. */
export type Writer<C extends Content = Content> = (job: Job, content: C) => Promise<ManifestFile[]>;
/** The writer of each kind of content. */
export type Writers = {
  [Kind in ContentKind]: () => Promise<Writer<Extract<Content, { kind: Kind }>>>;
};

/** Returns the calls of the job's warehouse: a request for a list is checked before it becomes a job. */
export function listsOf({ lists }: Job): Lists {
  if (lists === undefined) throw new Error("The source has no lists");
  return lists;
}
