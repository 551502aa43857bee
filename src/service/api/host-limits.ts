import pLimit from "p-limit";

/** Runs a request when it is its turn. */
export type LimitRequest = <T>(request: () => Promise<T>) => Promise<T>;

/**
 * Returns a limit of concurrent requests per host, shared by all clients of this process.
 * @param max concurrent requests to one host
 */
export function hostLimits(max: number): (host: string) => LimitRequest {
  const limits = new Map<string, LimitRequest>();
  return (host) => {
    const known = limits.get(host) ?? pLimit(max);
    limits.set(host, known);
    return known;
  };
}
