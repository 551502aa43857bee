import type { Words } from "../base/text/words.ts";

/** How hints for callers of the library name its functions and options. */
export const LIBRARY: Words = {
  sync: "`syncWarehouse`",
  fullSync: '`syncWarehouse` with `mode: "full"`',
  syncNow: undefined,
  database: "the path of the warehouse",
  baseUrl: "`baseUrl`",
  orgUnitId: "`orgUnitId`",
  retrySeconds: "`settings.CALLTALLY_RETRY_SECONDS`",
  limit: "`settings.CALLTALLY_LIMIT`",
  aliases: "`settings.CALLTALLY_ALIASES`",
  out: "as `folder`",
  replace: undefined,
  format: "`format`",
  top: "`top`",
  minCell: "`min_cell`",
};
