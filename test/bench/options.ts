export interface BenchOptions {
  /** The numbers of calls of the service, one measurement each. */
  calls: readonly number[];
  /** The number of runs for the median. */
  runs: number;
  /** Calls that the peers read. */
  peerCalls: number;
  /** The minimum duration of a sync from a slow service. */
  idealSeconds: number;
  /** Prints why something is not measured. */
  skip: (line: string) => void;
}
