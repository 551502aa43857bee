import pLimit from "p-limit";

/** Runs a request when it is its turn. */
export type LimitRequest = <T>(request: () => Promise<T>) => Promise<T>;

/**
 * Returns the limit of requests to a host, which all clients of this process share: as many at once, whoever sends them.
 *
 * @param max requests to one host at once
 */
export function hostLimits(max: number): (host: string) => LimitRequest {
  const limits = new Map<string, LimitRequest>();
  return (host) => {
    const known = limits.get(host) ?? pLimit(max);
    limits.set(host, known);
    return known;
  };
}
