import type { Random } from "../../src/sandbox/random.ts";
import type { Service } from "./service.ts";

/** What a seed switches on or off, so that rare combinations get time. */
export interface Features {
  readonly callsPerDay: number;
  readonly callers: number;
  readonly order: "start" | "id";
  readonly syncEveryHours: number;
  readonly fullEveryHours: number;
  readonly goneAfterHours: number;
  readonly limit: number;
  readonly concurrency: number;
  readonly timezone: string;
  /** Names of events that do not happen in this life. */
  readonly without: ReadonlySet<string>;
}

/** How a command line ended. */
export interface Ran {
  args: readonly string[];
  /** Undefined where it was killed. */
  code: number | undefined;
  stdout: string;
  stderr: string;
  startedMs: number;
  endedMs: number;
}

/** What is broken off the next process that starts. */
export interface Mishap {
  kind: "kill" | "full disk";
  /** The step of the process that it happens at. */
  step: number;
}

/** The world of one life: the service that knows the truth, the machine that the program runs on, and who it sends to. */
export interface World {
  readonly seed: number;
  readonly features: Features;
  readonly folder: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly service: Service;
  readonly ran: Ran[];
  /** Settings of calltally.yaml that events change. */
  readonly settings: Record<string, unknown>;
  readonly rules: { qualified_seconds: number; answered: string[]; missed: string[] };
  /** What of the next processes goes wrong; those of the schedule alone take from it. */
  readonly mishaps: Mishap[];
  /** What invariants keep from one look to the next. */
  readonly memory: Map<string, unknown>;
  /** How often something was looked at, so that a life shows what it has tried. */
  readonly counts: Map<string, number>;
  now(): number;
  run(...args: string[]): Promise<Ran>;
  /** Reads rows of the warehouse; none where there is none. */
  read(sql: string): Record<string, unknown>[];
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
  apply(world: World, random: Random): void | Promise<void>;
}

/** Something that must hold in the world, whenever nothing runs. */
export interface Invariant {
  name: string;
  /** Whether it is looked at after each event, or after those of these names and at the end. @default after each */
  after?: readonly string[];
  /** Returns what is wrong. */
  check(world: World): string | undefined;
}

/** An event of a life. */
export interface Planned {
  readonly atMs: number;
  readonly name: string;
  /** Of what it draws. */
  readonly seed: number;
}

export interface Failure {
  invariant: string;
  problem: string;
  at: string;
}

export interface LifeEnd {
  log: string;
  failure: Failure | undefined;
  counts: ReadonlyMap<string, number>;
}
