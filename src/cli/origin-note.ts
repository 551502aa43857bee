import { openWarehouseReader } from "../warehouse/open.ts";
import { findOtherOrigin, type OwnWarehouse } from "../warehouse/own-warehouse.ts";
import type { Context } from "./context.ts";

/** Notes, for a command about the file itself, that it is the warehouse of another account. */
export function noteOtherOrigin(context: Context, own: OwnWarehouse): void {
  using reader = openWarehouseReader(own.database);
  const problem = findOtherOrigin(reader, own);
  if (problem !== undefined) context.note(`${reader.path} is another account's: ${problem}.`);
}
