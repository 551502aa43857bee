import { CalltallyError, EXIT } from "../../base/errors.ts";
import { type ComparedSettings, readBasis } from "../../warehouse/runs/basis.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { say, statementsOf } from "./statements.ts";

/**
 * Decides for everything that leaves the machine, before any file of it is written.
 * @param doing such as "make the report weekly"
 * @throws CalltallyError (exit 3) if another account has the same calls
 */
export function assertOwnCalls(
  reader: Reader,
  { accounts }: Pick<ComparedSettings, "accounts">,
  doing: string,
): void {
  const statements = statementsOf({ warehouse: readBasis(reader, { accounts }) });
  const shared = statements.find(({ id }) => id === "shared_calls");
  if (shared === undefined) return;
  const { text, hint = "" } = say(shared);
  throw new CalltallyError(EXIT.unverified, `Cannot ${doing}: ${text}`, { hint });
}
