import { getTableColumns, sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { about, describeTable } from "../described.ts";

const columns = {
  call_id: about(integer().primaryKey(), "The service's identifier."),
  insight_name: about(text(), "Campaign or source name.", "text"),
  caller_id: about(text(), "The caller's phone number, international format.", "caller_numbers"),
  tracking_number: about(text(), "The number that was called, international format."),
  call_started: about(text(), "Start of the call, ISO 8601 UTC with milliseconds."),
  duration: about(integer(), "As served; seconds unless CALLTALLY_DURATION_UNIT says otherwise."),
  disposition: about(text(), "As served, e.g. ANSWERED.", "text"),
  org_unit_id: about(integer(), "The group (organization unit) that the call belongs to."),
  org_unit_name: about(text(), "The group's name.", "text"),
  recording_url: about(text(), "Signed link to the recording: a secret until it expires.", "recording_urls"),
  utm_source: about(text(), "`utm_source` of the visit before the call, as served.", "text"),
  utm_medium: about(text(), "`utm_medium` of the visit, as served.", "text"),
  utm_campaign: about(text(), "`utm_campaign` of the visit, as served.", "text"),
  utm_content: about(text(), "`utm_content` of the visit, as served.", "text"),
  utm_term: about(text(), "`utm_term` of the visit, as served.", "text"),
  gclid: about(text(), "Google click id, byte for byte as served.", "text"),
  gclsrc: about(text(), "Source of the Google click id, e.g. aw.ds or 3p.ds.", "text"),
  google_analytics_cid: about(text(), "Google Analytics client id.", "visitor"),
  referring_url: about(text(), "Address of the page that the visit came from.", "visitor"),
  campaign_name: about(text(), "The campaign's name, as served.", "text"),
  campaign_id: about(text(), "The campaign's identifier, as served.", "text"),
  extra: about(
    text(),
    'JSON object of undocumented members; only their types, as {"type":"string"}, if a `keep` setting or `forget` withholds anything.',
    "extra",
  ),
  row_hash: about(
    text().notNull(),
    "BLAKE2b hash of the call's content as stored, without the recording's signature.",
  ),
  first_run_id: about(integer().notNull(), "The run that first read this call."),
  changed_run_id: about(integer().notNull(), "The run that last read changed content."),
  missing_since: about(text(), "Start of the first verified full pass without the call, ISO 8601 UTC."),
  gone_at: about(text(), "When the call was marked as gone from the service, ISO 8601 UTC."),
  absent_since: about(text(), "Without an order key: first pass in a row without the call, ISO 8601 UTC."),
  absent_passes: about(integer(), "Number of those passes; after three over a day the call is gone."),
  unlisted_since: about(
    text(),
    "Start of the first verified full pass whose oldest call is not older: the call has left the list, as when a service lists only the last 180 days, but still counts. ISO 8601 UTC.",
  ),
  served_hash: about(
    text(),
    "Hash of the call as last served, without the recording's signature, to recognize it. Keyed if the number is not kept.",
    "digest",
  ),
  withheld: about(
    text(),
    "What is not kept of the call, among transcripts, summaries, caller_numbers, recording_urls and extra, separated by commas; null if everything is kept.",
  ),
  caller_digest: about(text(), "The `caller_hash` if the number is not kept, else null.", "digest"),
};

export const calls = sqliteTable("calls", columns, (table) => [
  index("calls_missing").on(table.gone_at).where(sql`missing_since IS NOT NULL`),
  index("calls_absent").on(table.absent_since).where(sql`absent_since IS NOT NULL`),
  index("calls_unlisted").on(table.unlisted_since).where(sql`unlisted_since IS NOT NULL`),
  index("calls_withheld").on(table.withheld).where(sql`withheld IS NOT NULL`),
]);
export const CALLS = describeTable(
  calls,
  "One attributed call (API v3 § 2.3), under the API's own names, with its texts as served: including empty ones and `(not set)`, for which `attributed_calls` has NULL.",
);

const {
  row_hash,
  served_hash,
  withheld,
  caller_digest,
  first_run_id,
  changed_run_id,
  missing_since,
  gone_at,
  absent_since,
  absent_passes,
  unlisted_since,
  ...members
} = getTableColumns(calls);
export const MEMBERS = members;
