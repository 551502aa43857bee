import type { Listing } from "./service.ts";

/** One thing that is done in the folder of a case; a text is a command line of the program. */
export type Step =
  | string
  /** The time from here on. */
  | { at: string }
  /** What the service lists from here on, by token. */
  | { serve: Record<string, Listing> }
  /** Files that are written, by path. */
  | { write: Record<string, string> }
  | { remove: string }
  /** Changes a warehouse as nobody should. */
  | { sql: string; database: string }
  /** A database of the ClickHouse servers that is to be made anew. */
  | { drop: string }
  /** A question to the library of the build. */
  | { library: readonly [call: "syncWarehouse" | "rollup" | "readBasis", ...args: unknown[]] };

export interface Case {
  name: string;
  /** The fixture whose copy it works on. */
  on: string;
  steps: readonly Step[];
  /** Settings beside those of the fixture. */
  env?: Record<string, string>;
  /** Whether it asks ClickHouse servers. @default false */
  isOfCluster?: boolean;
}

/** A folder that cases start from. */
export interface Fixture {
  /** The fixture that this one goes on from. */
  on?: string;
  steps: readonly Step[];
  env: Record<string, string>;
}

/** When commands run that say nothing else: a Wednesday. */
export const NOW = "2026-11-18T09:30:00.000Z";

/** Splits a command line into its arguments, as a shell does with quotes. */
export function splitCommand(line: string): string[] {
  return [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"']+)+/g)].map(([argument]) =>
    argument.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single),
  );
}
