import { setTimeout } from "node:timers/promises";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { CALLS_TABLE, localName } from "./account-tables.ts";
import type { Claim } from "./claim.ts";
import type { ClickhouseNode } from "./clickhouse-node.ts";
import { literal } from "./clickhouse-text.ts";
import type { About } from "./published.ts";

/** A server silently skips parts that it is already merging. */
const ATTEMPTS = 20;
const PAUSE_MS = 500;

/**
 * Makes each server merge its parts until no replaced row of an account is left, if some hold personal data that is
 * no longer published; returns whether they did. The server deletes the old files later, after `old_parts_lifetime`.
 * @throws CalltallyError (exit 5) if a server does not merge them
 */
export async function eraseReplaced(
  { cluster, account }: Claim,
  { is_personal, caller_digests }: Pick<About, "is_personal" | "caller_digests">,
  { isForgotten, signal }: { isForgotten: boolean; signal: AbortSignal | undefined },
): Promise<boolean> {
  const table = cluster.table(localName(CALLS_TABLE.name));
  const options = { doing: `erase replaced rows of ${account}`, signal };
  const digested = is_personal ? (caller_digests ? ["caller"] : []) : ["caller", "gclid"];
  const isPlain = digested.map(
    (column) => `NOT match(ifNull(${column}, ''), '^(forgotten[0-9a-f]{16}|[0-9a-f]{64})?$')`,
  );
  const plainRows = `SELECT 1 FROM ${table} WHERE account = ${literal(account)} AND (${["0", ...isPlain].join(" OR ")}) LIMIT 1`;
  const count = async (node: ClickhouseNode, from: string) =>
    (await node.select(`SELECT count() FROM ${from} WHERE account = ${literal(account)}`, options)).join();
  const erased = await cluster.atEach(async (node) => {
    if (!isForgotten && (await node.select(plainRows, options)).length === 0) return false;
    for (let attempt = 0; (await count(node, table)) !== (await count(node, `${table} FINAL`)); attempt++) {
      if (attempt === ATTEMPTS) {
        throw new CalltallyError(
          EXIT.unreachable,
          `Cannot ${options.doing} at ${node.name}: it has not merged its parts`,
          { hint: "It may be busy: publish again later." },
        );
      }
      if (attempt > 0) await setTimeout(PAUSE_MS, undefined, { signal });
      await node.run(`OPTIMIZE TABLE ${table} FINAL`, options);
    }
    return true;
  });
  return erased.includes(true);
}
