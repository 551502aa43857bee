import type { Service, TrueCall } from "../service.ts";

export type ClientName = "oahu" | "chicago" | "auckland";

/** A tracking number that gets no calls for a while, by the machine's uptime. */
export interface Silence {
  fromMs: number;
  untilMs: number;
}

/** A client of the agency: an account with a service of its own, and the agency's lists of its jobs. */
export interface Client {
  readonly name: ClientName;
  readonly timezone: string;
  readonly currency: string;
  /** A word that is in each of its calls, and in no other client's. */
  readonly mark: string;
  /** Its tracking numbers, the busiest first. */
  readonly numbers: readonly [string, string, string];
  /** Ids of its calls begin here. */
  readonly firstId: number;
  /** The warehouse as the file of accounts names it, and another name of the same file. */
  readonly database: string;
  readonly otherName: string;
  readonly service: Service;
  readonly rules: { qualified_seconds: number; aliases: Record<string, string> };
  /** Jobs as its lists have them, whatever was imported of them; by the list's name. */
  readonly lists: Map<string, JobLine[]>;
  /** The jobs that the warehouse must have. */
  jobs: ClientJob[];
  readonly forgotten: Set<string>;
  readonly silences: Silence[];
  /** When runs ended that may end or start a notice, by the machine's uptime. */
  readonly judgedAt: number[];
  /** The calls that the warehouse must count now; undefined if unknown. */
  counted: ReadonlyMap<number, TrueCall> | undefined;
  /** The last run that has ended. */
  lastRun: number;
  callsMade: number;
  read(sql: string): Record<string, unknown>[];
}

/** A line of a list of jobs, as the client keeps it. */
export interface JobLine {
  /** Null in a list without ids. */
  id: string | null;
  /** The call, or else the number that called. */
  callId: number | null;
  phone: string;
  /** Its local day. */
  day: string;
  stage: "booked" | "sold" | "lost" | "maybe";
  /** In cents; null for none. */
  cents: number | null;
}

/** A job that has a call. */
export interface ClientJob extends Omit<JobLine, "callId" | "phone"> {
  list: string;
  callId: number;
  /** The number of its import. */
  of: number;
}

/** Amounts of a file in cents, by what becomes of them. */
export interface Amounts {
  stored: number;
  without_call: number;
  left_out: number;
}

/** A file that an import reads. */
export interface JobFile {
  list: string;
  lines: readonly JobLine[];
}

/** What is asked of a client. */
export interface Question {
  client: Client;
  from: string;
  to: string;
  grain: "day" | "month";
  revenueBy: "call" | "job-date";
}
