import { formatMicros } from "../base/text/currency.ts";
import { nearest } from "../base/text/nearest.ts";
import type { SessionSpend } from "../sources/session-spend.ts";
import type { ExportJob } from "./job.ts";
import type { Column, NamedTable } from "./table.ts";

export async function unmatchedTable(
  { session, timeframe }: Pick<ExportJob, "session" | "timeframe">,
  spend: SessionSpend,
): Promise<NamedTable> {
  const columns: Column[] = [
    { name: "campaign", type: "text" },
    { name: "campaign_id", type: "text", isId: true },
    { name: "source", type: "text" },
    { name: "cost", type: "decimal", decimals: spend.form.decimals, currency: spend.form.currency },
    { name: "days", type: "integer" },
    { name: "nearest_campaign", type: "text" },
  ];
  const names = await session.readCampaigns();
  const rows = spend.unmatched(timeframe.span).map(({ campaign, campaign_id, source, cost_micros, days }) => {
    const near = campaign === null ? undefined : nearest(campaign, names);
    return [campaign, campaign_id, source, Number(formatMicros(cost_micros)), days, near ?? null];
  });
  return {
    columns,
    rows,
    name: "spend-unmatched",
    audience: "shared",
    entry: { contents: "spend-unmatched", rows: rows.length },
  };
}
