import type { Clock } from "../../base/clock.ts";
import type { CallFilter } from "../../calls/filter.ts";
import type { SourceCan } from "../../config/request/can.ts";
import type { DescribedPublication } from "../../export/manifest.ts";
import type { FigureSession } from "../../sources/figure-session.ts";
import type { RollupSession } from "../../sources/session.ts";
import type { AttributionProgress } from "../../warehouse/attribution/attribute-all.ts";
import type { PermittedWarehouse } from "../../warehouse/file/open.ts";
import type { DescribedOrigin } from "../../warehouse/origin.ts";
import type { Basis, Coverage } from "../../warehouse/runs/basis-schema.ts";
import type { Reader, Warehouse } from "../../warehouse/warehouse.ts";

/** Where an account's figures come from: its warehouse, or a cluster. */
export interface Source {
  readonly can: SourceCan;
  open: (options: SourceOptions) => Promise<OpenSource>;
  /** Opens the warehouse to record files of several accounts; undefined where this user may only read. */
  openWriter?: (() => Warehouse | undefined) | undefined;
}

export interface SourceOptions {
  clock: Clock;
  signal?: AbortSignal | undefined;
  onAttributed?: ((progress: AttributionProgress) => void) | undefined;
}

export interface OpenSource extends Disposable {
  origin: DescribedOrigin;
  /** Hours after a call in which late transcripts and corrections are looked for. */
  lookbackHours: number;
  /** Records exports; undefined for a cluster. */
  warehouse?: PermittedWarehouse;
  /** Starts reading the filtered calls, all at one moment. */
  read: (filter: CallFilter) => Promise<Moment>;
}

/** One moment of a source; dispose of it to release the moment. */
export interface Moment extends Disposable {
  session: FigureSession;
  basis: Basis;
  readCoverage: () => Coverage;
  hasSpend: () => boolean;
  /** Undefined if it can have no outcomes. */
  hasOutcomes?: () => boolean;
  published?: DescribedPublication;
  calls?: { reader: Reader; session: RollupSession };
}
