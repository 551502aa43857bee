import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { about, describeTable } from "./described.ts";

const columns = {
  spend_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the row."),
  day: about(text().notNull(), "Day in the report, YYYY-MM-DD, in the ad platform's own time zone."),
  source: about(text().notNull(), "Folded like utm values, before aliases.", "text"),
  medium: about(text().notNull(), "Folded like utm values, before aliases.", "text"),
  campaign: about(text(), "Name of the campaign in the report; null for none.", "text"),
  campaign_id: about(text(), "The ad platform's own identifier of the campaign.", "text"),
  cost_micros: about(integer().notNull(), "What was spent, in millionths of the currency."),
  currency: about(text().notNull(), "ISO 4217; all rows have the same."),
  clicks: about(integer(), "Clicks on the ads; null if the report has none."),
  impressions: about(integer(), "How often the ads were shown; null if the report does not say."),
  file: about(text().notNull(), "Name of the imported file.", "text"),
  imported_at: about(text().notNull(), "When it was imported, ISO 8601 UTC."),
};

export const spend = sqliteTable("spend", columns, (table) => [
  index("spend_day_source").on(table.day, table.source),
]);
export const SPEND = describeTable(
  spend,
  "What ads cost, one row per imported line of a report; a later import of a day and source replaces its rows.",
);
