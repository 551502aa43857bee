import { cannotUse, describeError } from "../../base/errors.ts";
import { parseClusterUrl } from "../../config/cluster-url.ts";
import type { PublishedQuestion } from "../published-account.ts";
import { readCluster } from "./cluster-session.ts";

/** Reads accounts in the cluster of an address. @throws UsageError as `readCluster` does, and for an unusable address */
export function readEngine<Result>({
  engine,
  access,
  names,
  work,
  options,
}: PublishedQuestion<Result>): Promise<Result> {
  return readCluster({ address: parseEngine(engine), ...access }, names, work, options);
}

/** @throws UsageError that says what is wrong with the address, without a possible password */
function parseEngine(engine: string) {
  try {
    return parseClusterUrl(engine);
  } catch (error) {
    throw cannotUse("--engine", describeError(error), "Write it as clickhouse://user@host:8123/database.");
  }
}
