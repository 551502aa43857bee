import type { Clock } from "../base/clock.ts";
import type { Settings } from "../config/load-settings.ts";
import type { ExportPlan, ExportStep } from "../export/step.ts";
import type { RollupSession } from "../sources/session.ts";
import type { LockedWarehouse } from "../warehouse/file/lock.ts";
import type { FileBasis } from "../warehouse/runs/basis-schema.ts";
import type { SyncRun } from "../warehouse/runs/runs.ts";
import type { SchemaObjects } from "../warehouse/stored-objects.ts";
import type { Reader, Warehouse } from "../warehouse/warehouse.ts";
import type { Notice, NoticeBook } from "./notice.ts";
import type { PublishedQuestion } from "./published-account.ts";

/** A capability that the core does not know. The rooms that run syncs, exports and the like ask each feature. */
export interface Feature {
  name: string;
  /** Takes part in each export. */
  startExport?(plan: ExportPlan): Promise<ExportStep>;
  /** After each sync, under its lock; returns the run as recorded since. */
  endSync?(warehouse: LockedWarehouse, run: SyncRun, options: EndOfSync): Promise<SyncRun>;
  /** Loads what reads its notices. */
  loadNotices?(): Promise<NoticeBook>;
  /** Loads what finds changes since a time, ISO 8601 UTC; of all times without it. */
  loadFindings?(): Promise<(reader: Reader, since?: string) => Findings>;
  /** After a sync by hand or on the schedule, without its lock. */
  followSync?: FollowingStep;
  /** Reads accounts where they were published. */
  readEngine?<Result>(question: PublishedQuestion<Result>): Promise<Result>;
  /** Whether figures that were exported to a folder may have changed since. */
  mayBeRestated?(reader: Reader, folder: string): Promise<boolean>;
  /** Returns its triggers. */
  triggers?(): Promise<TriggerFamily>;
  /** Returns paths of its files that may name callers with these pseudonyms. */
  findFilesOf?(reader: Reader, pseudonyms: readonly string[]): Promise<readonly string[]>;
  /** Returns what else is known of a call, at the moment of a session. */
  explainCall?(call: CallInMoment): Promise<CallNote>;
  /** Returns what a file is based on that says so itself, without a manifest; undefined for texts of others. */
  readFileBasis?(text: string): Promise<FileBasis | undefined>;
  /** Settles what killed exports left, before `forget` removes files. */
  settleExports?(warehouse: Warehouse): Promise<void>;
  /** Whether its tables hold digests by the key of `caller_hash`. */
  needsCallerKey?(reader: Reader): Promise<boolean>;
}

export interface EndOfSync {
  clock: Clock;
  /** IANA zone of weekdays and hours. */
  timezone: string;
  /** Whether to look for calls that went silent; undefined leaves notices as they are. */
  notices?: boolean | undefined;
  /** Receives each notice that is new or over. */
  onNotice?: ((notice: Notice) => void) | undefined;
}

export interface Findings {
  rows: readonly object[];
  /** Until when each is about calls, ISO 8601 UTC. */
  ends: readonly string[];
}

export interface SyncedAccount {
  account: string | undefined;
  settings: Settings;
  signal: AbortSignal;
}

export interface FollowingStep {
  /** Member of the result of the sync. */
  member: string;
  /** What was done, as a participle: `published`. */
  done: string;
  /** Returns undefined if there is nothing to do. */
  run(account: SyncedAccount): Promise<FollowUp | undefined>;
}

export interface FollowUp {
  data: object;
  /** What a log has of it. */
  logged: Readonly<Record<string, unknown>>;
  /** Lines for a person. */
  summary: string;
}

export interface CallInMoment {
  reader: Reader;
  session: RollupSession;
  callId: number;
  /** Whether it is gone from the service. */
  isGone: boolean;
  nowMs: number;
}

export interface CallNote {
  /** Members of the explanation. */
  data: Readonly<Record<string, unknown>>;
  /** Returns the lines of the explanation for a person. */
  toLines(style: CallNoteStyle): readonly CallNoteLine[];
}

export interface CallNoteStyle {
  /** Returns a time in the zone of the explanation. */
  minuteOf: (time: string) => string;
  /** Paths are relative to it. */
  folder: string;
}

export interface CallNoteLine {
  /** Empty for a further line. */
  name: string;
  text: string;
  /** Whether it may be longer than others. @default false */
  isWhole?: boolean;
}

/** Triggers that exist together. */
export interface TriggerFamily {
  family: SchemaObjects;
  /** A table, perhaps with a condition: without such rows, the triggers need not exist. */
  needed: string;
}
