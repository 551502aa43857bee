import { Command } from "@commander-js/extra-typings";
import { minuteOf } from "../../base/clock.ts";
import { formatCount } from "../../base/text/quantity-text.ts";
import type { Call } from "../../calls/columns.ts";
import { toApiAccess } from "../../config/api-access.ts";
import {
  type AttributionPage,
  fetchServedPage,
  SORT_KEYS,
  SORT_ORDERS,
} from "../../service/api/attribution-client.ts";
import { ApiClient } from "../../service/api/client.ts";
import { settingsOf } from "../chosen-accounts.ts";
import { type CommonOptions, type Context, OPTION } from "../context.ts";
import { action } from "../frame.ts";
import { choice, wholeNumber } from "../parsers.ts";
import { layOutTable } from "../terminal/query-table.ts";

/** What fits a terminal of 80 columns; JSON has the calls as served. */
const SHOWN = ["call_id", "call_started", "duration", "disposition", "insight_name", "utm_source"] as const;

export const command = (context: Context) =>
  new Command("calls")
    .description("Shows one page of the service's list of calls, as served now; stores nothing.")
    .addOption(
      choice(
        "--sort-by <key>",
        SORT_KEYS,
        "what the service sorts by; all but source_name are figures of sources",
      ),
    )
    .addOption(choice("--sort-order <order>", SORT_ORDERS, "desc by default, by the API's document"))
    .option("--limit <calls>", "how many calls, 1 to 1000", wholeNumber(1, 1000), 20)
    .option("--offset <calls>", "how many calls of the list to leave out", wholeNumber(0), 0)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally calls --sort-by roi --sort-order desc --limit 20")
    .action(
      action(context, async ({ sortBy, sortOrder, limit, offset }) => {
        // The setting of this name is for pages that overlap.
        const { limit: _, ...options }: CommonOptions & { limit?: unknown } = context.options;
        const access = toApiAccess(settingsOf({ ...context, options }));
        await using client = new ApiClient(access);
        const query = {
          limit,
          offset,
          sort_by: sortBy,
          sort_order: sortOrder,
          org_unit_id: access.orgUnitId,
        };
        const page = await fetchServedPage(client, query, { signal: context.signal });
        const calls = page.rows.flatMap((row) => ("call" in row ? [row.call] : []));
        const rejected = page.rows.flatMap((row) => {
          if ("call" in row) return [];
          const { json: _, ...why } = row.rejected;
          return [why];
        });
        return {
          data: { total: page.total, limit: page.limit, offset: page.offset, rejected, calls: page.served },
          text: describePage(calls, page),
          notes: rejected.map(
            ({ call_id, path, reason }) =>
              `Cannot read ${call_id === null ? "a row" : `call ${call_id}`}: ${path === "" ? "" : `${path}: `}${reason}`,
          ),
        };
      }),
    );

function describePage(calls: readonly Call[], { rows: served, offset, total }: AttributionPage): string {
  if (served.length === 0) return `No calls at offset ${offset}: the service counts ${formatCount(total)}.`;
  const rows = calls.map((call) => {
    const start = call.call_started;
    return SHOWN.map((name) => (name === "call_started" && start !== null ? minuteOf(start) : call[name]));
  });
  const place = `Calls ${formatCount(offset + 1)} to ${formatCount(offset + served.length)} of ${formatCount(total)}`;
  return `${layOutTable(SHOWN, rows, process.stdout.columns)}\n${place}`;
}
