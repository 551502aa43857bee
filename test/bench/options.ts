export interface BenchOptions {
  /** How many calls the service has, one measurement each. */
  calls: readonly number[];
  /** Runs of which the median is taken. */
  runs: number;
  /** Calls that the peers read. */
  peerCalls: number;
  /** How long a sync from a slow service takes at best. */
  idealSeconds: number;
  /** Says why something is not measured. */
  skip: (line: string) => void;
}
