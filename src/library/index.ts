import "./check-node.ts";

export { CalltallyError, type ExitCode } from "../base/errors.ts";
export { openWarehouse } from "./open-warehouse.ts";
export { syncWarehouse } from "./sync-warehouse.ts";
export type * from "./types.ts";
