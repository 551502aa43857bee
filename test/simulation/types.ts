import type { Random } from "../../src/sandbox/random.ts";
import type { Amounts, Client, JobFile, Question } from "./agency/types.ts";
import type { SimulatedCluster } from "./cluster.ts";
import type { Service, TrueCall } from "./service.ts";

/** The features of a seed, so that rare combinations are tested. */
export interface Features {
  /** Whether it is an agency with several accounts. @default one account, with a schedule */
  readonly isAgency: boolean;
  readonly callsPerDay: number;
  readonly callers: number;
  readonly order: "start" | "id";
  readonly syncEveryHours: number;
  readonly fullEveryHours: number;
  readonly goneAfterHours: number;
  readonly limit: number;
  readonly concurrency: number;
  readonly timezone: string;
  readonly publishesAfterSync: boolean;
  /** The initial value of a conversion. */
  readonly value: World["value"];
  /** Names of events that do not happen in this life. */
  readonly without: ReadonlySet<string>;
}

/** How a command line ended. */
export interface Ran {
  args: readonly string[];
  /** Undefined if it was killed. */
  code: number | undefined;
  stdout: string;
  stderr: string;
  /** Since the machine was switched on, independent of clock changes. */
  startedAt: number;
  endedAt: number;
  isKilled: boolean;
  /** Whether its disk became full. */
  isDiskFull: boolean;
  /** Whether it got a response of a lagging replica. */
  hasLagged: boolean;
}

/** A mail server and a webhook for everybody. */
export interface Mailbox {
  readonly port: number;
  readonly hookPort: number;
  /** Bodies that the webhook received in this life. */
  readonly hooks: string[];
  /** Mails received in this life. */
  readonly taken: { to: string; id: string; raw: string }[];
  /** How it responds, until a moment of the machine's uptime. */
  mood: { is: "well" | "later" | "never" | "cut"; untilAt: number };
}

/** A fault of the next process that the schedule or an operator starts. */
export interface Mishap {
  kind: "kill" | "full disk";
  of: "schedule" | "operator";
  /** The step of the process at which it happens. */
  step: number;
}

/** A conversion as known to the ad platform. */
export interface Conversion {
  callId: number;
  /** By the machine's uptime. */
  toldAt: number;
  /** Null if it is blank. */
  value: number | null;
  isRetracted: boolean;
  /** By the machine's uptime. */
  retractedAt?: number;
}

/** A job as last imported. */
export interface Job {
  callId: number;
  stage: "booked" | "sold" | "lost";
  /** In cents; below 0 for a refund, null for none. */
  amount: number | null;
  /** The number of its import. */
  of: number;
}

/** The truth as read by one run. */
export interface Basis {
  runId: number;
  /** When that run began, by the machine's uptime. */
  readAt: number;
  /** By id: all listed calls, and those that the warehouse still counts. */
  calls: ReadonlyMap<number, TrueCall>;
}

export interface Answered {
  rows: Record<string, string>[];
  /** The end of its run. */
  atMs: number;
}

/** The world of one life: the service that knows the truth, the machine of the program, and its receivers. */
export interface World {
  /** The clients of an agency; none in the life of a single account. */
  readonly clients: readonly Client[];
  /** The files that the next import reads. */
  importing: ReadonlyMap<Client, JobFile> | undefined;
  /** What must have become of the amounts of the last import. */
  balances: readonly { client: Client; file: JobFile; amounts: Amounts }[];
  /** What the next exports are asked. */
  question: Question | undefined;
  readonly seed: number;
  readonly features: Features;
  readonly folder: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly service: Service;
  readonly mailbox: Mailbox;
  readonly cluster: SimulatedCluster;
  readonly ran: Ran[];
  /** Settings of calltally.yaml that events change. */
  readonly settings: Record<string, unknown>;
  readonly rules: {
    qualified_seconds: number;
    answered: string[];
    missed: string[];
    aliases: Record<string, string>;
    hours: { week: string; closed: readonly string[]; timezone: string } | undefined;
  };
  /** Faults of the next processes. */
  readonly mishaps: Mishap[];
  /** The spend reported to the platform, by day. */
  readonly spend: Map<string, number>;
  /** The jobs that have a call, by id. */
  readonly jobs: Map<string, Job>;
  /** The conversions reported to the ad platform, by order id. */
  readonly conversions: Map<string, Conversion>;
  /** Numbers of forgotten callers. */
  readonly forgotten: Set<string>;
  /** The truth that the warehouse must have now; undefined if unknown. */
  basis: Basis | undefined;
  /** The last run that has ended. */
  lastRun: number;
  /** The question's last answer. */
  answered: Answered | undefined;
  callsMade: number;
  /** When the clock was last set, by the machine's uptime. */
  jumpedAt: number;
  /** What a restored backup does not know. */
  restored: { reportRun: number } | undefined;
  /** Whether the backup may name forgotten callers. */
  isBackupOld: boolean;
  /** The spend reported to the platform when the backup was made. */
  spendOfBackup: ReadonlyMap<string, number> | undefined;
  /** The jobs when the backup was made. */
  jobsOfBackup: ReadonlyMap<string, Job> | undefined;
  /** The folder of files that are not uploaded. */
  thrownAway: string | undefined;
  /** The value of a conversion. */
  value: number | "outcome";
  /** Uptime; see `Ran`. */
  uptime(): number;
  /** The number of checks, so that a life shows what it has tested. */
  readonly counts: Map<string, number>;
  now(): number;
  /** Runs a command line like an operator: again, if it was killed or the disk was full. */
  run(...args: string[]): Promise<Ran>;
  /** Reads rows of the warehouse; none if it does not exist. */
  read(sql: string): Record<string, unknown>[];
  /** Reads rows of a database in the folder; none if it does not exist. */
  readFile(file: string, sql: string): Record<string, unknown>[];
  path(...names: string[]): string;
  log(line: string): void;
  count(what: string, by?: number): void;
  writeSettings(): void;
  startSchedule(): void;
  stopSchedule(): Promise<void>;
}

/** Something that happens in the world. */
export interface EventKind {
  name: string;
  /** How often in a year. */
  perYear: number;
  /** Whether it happens at the end of each life, once everything is settled. @default false */
  isLast?: boolean;
  /** Whether no life is without it. @default false */
  isAlways?: boolean;
  apply(world: World, random: Random): void | Promise<void>;
}

/** A condition that must hold in the world. */
export interface Invariant {
  name: string;
  /** Returns the violation after a process has ended, or at the end of a life. */
  check(world: World, ran: Ran | "the end"): string | undefined | Promise<string | undefined>;
}

/** An event of a life. */
export interface Planned {
  readonly atMs: number;
  readonly name: string;
  /** The seed of its draws. */
  readonly seed: number;
}

export interface Failure {
  invariant: string;
  problem: string;
  at: string;
  uptimeMs: number;
}

export interface LifeEnd {
  log: string;
  failure: Failure | undefined;
  counts: ReadonlyMap<string, number>;
}
