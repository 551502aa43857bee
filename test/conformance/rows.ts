import { ATTRIBUTION_ROWS } from "./attribution-rows.ts";
import { INSIGHT_ROWS } from "./insight-rows.ts";
import type { Row } from "./row.ts";
import { STATUS_ROWS } from "./status-rows.ts";
import { WEBHOOK_ROWS } from "./webhook-rows.ts";

/** What the API's document says, a row for each thing that a server can be seen to keep. */
export const ROWS: readonly Row[] = [...INSIGHT_ROWS, ...ATTRIBUTION_ROWS, ...WEBHOOK_ROWS, ...STATUS_ROWS];
