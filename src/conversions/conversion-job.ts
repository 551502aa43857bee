import type { Job, Lists } from "../export/job.ts";
import type { WrittenUpload } from "./upload-ledger.ts";

export interface ConversionJob extends Job {
  lists: ConversionLists | undefined;
}

export interface ConversionLists extends Lists {
  /** The run of a report whose conversions in earlier files are to be written again, and no others. */
  repeats?: number | undefined;
  /** Numbers of files of killed exports that this one replaces: they do not count. */
  rewritten: readonly number[];
  /** Takes note of a file of conversions: it counts as uploaded once it has its name. */
  remember: (file: WrittenUpload) => void;
}
