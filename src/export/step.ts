import type { Content } from "../config/request/contents.ts";
import type { ContentKind } from "../config/request/option-values.ts";
import type { Ask } from "../config/request/resolve.ts";
import type { PermittedWarehouse } from "../warehouse/file/open.ts";
import type { Tx } from "../warehouse/transaction.ts";
import type { ExportJob, JobParts, SectionJob, SectionName, StartedJob, WriteSection } from "./job.ts";
import type { Manifest, ManifestFile } from "./manifest.ts";
import type { FileSet } from "./output/file-set.ts";

/** An export before it reads anything. */
export interface ExportPlan {
  ask: Ask;
  /** Undefined if nothing is recorded: the figures are a cluster's, or the tables do not become files. */
  recorded: RecordedExport | undefined;
}

export interface RecordedExport {
  warehouse: PermittedWarehouse;
  /** Absolute path, with links resolved. */
  folder: string;
  reportRun: ReportRunOfFiles | undefined;
  /** Hours after a call in which late transcripts and corrections are looked for. */
  lookbackHours: number;
  /** Receives the path of a newly created key of digests. */
  onNewKey: (file: string) => void;
}

export interface ReportRunOfFiles {
  runId: number;
  /** Whether somebody may have the files that it wrote before it was interrupted. */
  isRepeated: boolean;
}

export interface CommittedFiles {
  files: Pick<FileSet, "folder" | "draftOf">;
  manifest: Manifest;
  /** SHA-256 of the bytes of `manifest.json`, hexadecimal. */
  manifestSha256: string;
  /** ISO 8601 UTC. */
  now: string;
}

/**
 * What takes part in an export. It is made before drafts of killed exports are removed; then its members are called in
 * this order, each of all steps before the next.
 */
export interface ExportStep {
  /** Before the figures are read; the output is open. */
  begin?(): void;
  /** At the moment of the figures, before the first file is written; returns what it contributes. */
  at?(job: StartedJob): JobParts | undefined;
  /** Writes contents that are its own. */
  readonly contents?: ContentWriters;
  /** Reads sections of pages of charts that are its own. */
  readonly sections?: { readonly [Name in SectionName]?: (job: SectionJob) => Promise<WriteSection> };
  /** After the last content was written. */
  finish?(job: ExportJob): Promise<void>;
  /** Records the files before the first is renamed; if it throws, nothing changes. Only in a writable warehouse. */
  enter?(tx: Tx, committed: CommittedFiles): void;
  /** Removes the record of files that were not renamed. */
  undo?(tx: Tx, committed: CommittedFiles): void;
  /** Records that all files were renamed. */
  settle?(tx: Tx, committed: CommittedFiles): void;
  note?(): ExportNote | undefined;
}

/** What a person should hear about an export besides its statements. */
export interface ExportNote {
  /** Members of the result. */
  data: Readonly<Record<string, unknown>>;
  lines: readonly string[];
}

export type ContentOf<Kind extends ContentKind> = Extract<Content, { kind: Kind }>;
export type ContentWriters = {
  readonly [Kind in ContentKind]?: (job: ExportJob, content: ContentOf<Kind>) => Promise<ManifestFile[]>;
};
