import type { Listing } from "./service.ts";

/** One thing that is done in the folder of a case; a text is a command line of the program. */
export type Step =
  | string
  /** A command line, and what it reads from standard input. */
  | { command: string; input: string }
  /** The time from here on. */
  | { at: string }
  /** What the service lists from here on, by token. */
  | { serve: Record<string, Listing> }
  /** Files that are written, by path. */
  | { write: Record<string, string> }
  | { remove: string }
  /** A database of the ClickHouse servers that is dropped. */
  | { drop: string }
  /** A call of the library. */
  | { library: readonly [call: string, ...args: unknown[]] }
  /** Calls of tools over standard input and output, by an assistant that starts this command. */
  | { mcp: string; calls: readonly (readonly [tool: string, args: object])[] };

export interface Case {
  name: string;
  /** The fixture whose copy it works on. */
  on: string;
  steps: readonly Step[];
  /** Settings in addition to those of the fixture. */
  env?: Record<string, string>;
  /** Whether all of the folder is compared, not only what changed. @default false */
  isWhole?: boolean;
  /** Whether it needs ClickHouse servers. @default false */
  isOfCluster?: boolean;
}

/** How one command ended. */
export interface Ended {
  command: string;
  /** Null if it hung and was killed. */
  code: number | null;
  stdout: Buffer;
  stderr: string;
  /** Peak memory of its process and its children, if it was measured. */
  peakKb?: number;
}

/** A folder that cases start from. */
export interface Fixture {
  /** The fixture that this one goes on from. */
  on?: string;
  steps: readonly Step[];
  env: Record<string, string>;
}

/** The time of commands by default: a Wednesday. */
export const NOW = "2026-11-18T09:30:00.000Z";

/** One command line in a copy of a fixture. */
export const line = (on: string, command: string): Case => ({
  name: `${on}: ${command}`,
  on,
  steps: [command],
});

/** How many commands a case runs. */
export const countCommands = ({ steps }: Case): number =>
  steps
    .map((step) => {
      if (typeof step === "string" || "library" in step || "command" in step) return 1;
      return "mcp" in step ? step.calls.length : 0;
    })
    .reduce((sum: number, count) => sum + count, 0);

/** Splits a command line into its arguments, as a shell does with quotes. */
export function splitCommand(line: string): string[] {
  return [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"']+)+/g)].map(([argument]) =>
    argument.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single),
  );
}
