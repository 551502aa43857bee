/** What the schedule has seen of a job since it started. */
export interface JobStatistics {
  job: string;
  /** How many runs ended how: by exit code, or the signal in its place. */
  runs: Map<string, number>;
  isRunning: boolean;
  /** How long the last run took, milliseconds. */
  lastMs: number | undefined;
  /** When the next run starts, milliseconds since 1970-01-01 UTC. */
  nextMs: number | undefined;
}

export function emptyStatistics(job: string): JobStatistics {
  return { job, runs: new Map(), isRunning: false, lastMs: undefined, nextMs: undefined };
}
