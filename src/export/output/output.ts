import type { DateRange } from "../../base/calendar/dates.ts";
import type { Audience } from "../../base/folder.ts";
import type { OutputCan } from "../../config/request/can.ts";
import type { DescribedOrigin } from "../../warehouse/origin.ts";
import type { DescribedFilter } from "../manifest.ts";
import type { Statement } from "../statements/statements.ts";
import type { NamedTable } from "../table.ts";
import type { Commit, FileSet, WrittenFile } from "./file-set.ts";

/** What a manifest of one account or of several has. */
export interface WrittenManifest {
  files: readonly { file: string }[];
  statements: readonly Statement[];
  range?: DateRange;
  filter?: DescribedFilter;
}

export interface Output {
  readonly can: OutputCan;
  /** Absolute path of the folder whose files are replaced. */
  readonly folder?: string;
  /** @throws UsageError if it has files of another warehouse */
  open: (origin: DescribedOrigin) => Promise<Outlet>;
}

/** Returns how files are recorded, with the SHA-256 of the bytes of their manifest; undefined if they are not. */
export type RecordOf = (files: FileSet, manifestSha256: string) => Commit | undefined;

/** An open output. Disposing of it without a commit leaves what was there before. */
export interface Outlet extends AsyncDisposable {
  /** Takes a table as it is; undefined if tables become files. */
  table?: ((table: NamedTable) => WrittenFile) | undefined;
  write: (
    file: string,
    content: Iterable<Buffer | string>,
    audience: Audience | undefined,
  ) => Promise<WrittenFile>;
  commit: (manifest: WrittenManifest, recordOf: RecordOf) => Promise<void>;
}
