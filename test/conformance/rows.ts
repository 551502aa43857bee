import { ATTRIBUTION_ROWS } from "./attribution-rows.ts";
import { INSIGHT_ROWS } from "./insight-rows.ts";
import type { Row } from "./row.ts";
import { STATUS_ROWS } from "./status-rows.ts";
import { WEBHOOK_ROWS } from "./webhook-rows.ts";

/** The rules of the API's document, a row for each that can be checked. */
export const ROWS: readonly Row[] = [...INSIGHT_ROWS, ...ATTRIBUTION_ROWS, ...WEBHOOK_ROWS, ...STATUS_ROWS];
