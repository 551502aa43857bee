import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { FactColumn } from "../../attribution/attribute-call.ts";
import { IN_HOURS, OUTCOMES } from "../../attribution/compiled-rules.ts";
import { namesOf } from "../../base/records.ts";
import { about, describeTable } from "../described.ts";
import { callers } from "./callers.ts";
import { calls } from "./calls.ts";

const columns = {
  call_id: about(
    integer()
      .primaryKey()
      .references(() => calls.call_id, { onDelete: "cascade" }),
    "The call in `calls`.",
  ),
  is_live: about(
    integer({ mode: "boolean" }).notNull(),
    "0 once `gone_at` in `calls` is set: figures leave the call out. 1 for all others, including missing and unlisted ones.",
  ),
  call_started: about(text(), "Start of the call, ISO 8601 UTC with milliseconds."),
  duration: about(
    integer(),
    "As served; seconds unless CALLTALLY_DURATION_UNIT says otherwise. From -2147483647 to 2147483647, so that sums are exact.",
  ),
  outcome: about(text({ enum: OUTCOMES }).notNull(), "answered, missed or other, by the disposition."),
  topic: about(
    text(),
    "Topic by what was said, from the file of topics; null for none. It stays if the transcript is not kept.",
  ),
  is_qualified: about(
    integer({ mode: "boolean" }).notNull(),
    "1 if answered and long enough, unless the topic decides.",
  ),
  in_hours: about(
    text({ enum: IN_HOURS }),
    "yes if it started in opening hours; no if not, or if its start is unknown. Null if no hours are set.",
  ),
  is_first_call: about(integer({ mode: "boolean" }).notNull(), "1 if it is its caller's first live call."),
  caller_id: about(
    integer().references(() => callers.caller_id),
    "The caller in `callers`, unlike the number `caller_id` in `calls`; null for a hidden one.",
  ),
  source: about(
    text(),
    "Folded utm_source; else google or bing for a click on their ads, else from the referrer; `(direct)` if there is none of these.",
    "text",
  ),
  medium: about(
    text(),
    "Folded utm_medium; cpc for a click on an ad of Google or Microsoft if missing or organic; else ai-assistant, organic, referral or `(none)`.",
    "text",
  ),
  campaign: about(
    text(),
    "The campaign's name: campaign_name, else utm_campaign, else `(ai-assistant)` for that medium.",
    "text",
  ),
  campaign_id: about(text(), "The campaign's identifier.", "text"),
  gclid: about(
    text(),
    "Google click id, from `dni_data`, an undocumented member or the query of `referring_url`.",
    "text",
  ),
  gclsrc: about(text(), "Source of the Google click id, in lower case.", "text"),
  channel: about(text().notNull(), "GA4's default channel group, or an own channel."),
  referring_host: about(text(), "Host of `referring_url` by the URL standard, ASCII, without www.", "text"),
  utm_source_folded: about(text(), "Dimension utm_source: trimmed, lower-cased, by its alias.", "text"),
  utm_medium_folded: about(text(), "Dimension utm_medium: trimmed, lower-cased, by its alias.", "text"),
  utm_campaign_folded: about(text(), "Dimension utm_campaign: trimmed, lower-cased, by its alias.", "text"),
  utm_content_folded: about(text(), "Dimension utm_content: trimmed, lower-cased, by its alias.", "text"),
  utm_term_folded: about(text(), "Dimension utm_term: trimmed, lower-cased, by its alias.", "text"),
  insight_name: about(text(), "`insight_name`, trimmed.", "text"),
  org_unit_id: about(integer(), "The group (organization unit) that the call belongs to."),
  org_unit_name: about(text(), "The group's name, trimmed.", "text"),
  tracking_number: about(text(), "The number called, as `+` and digits; otherwise trimmed text."),
  disposition: about(text(), "`disposition`, trimmed.", "text"),
} satisfies Record<Exclude<FactColumn, "caller"> | "caller_id", unknown>;

const changed_ms = about(
  integer().notNull(),
  "When the content or a fact of the call last changed, or a job of it: the moment of that transaction, in milliseconds since 1970. Later transactions have later moments, even if the clock was set back.",
);

export const call_facts = sqliteTable("call_facts", { ...columns, changed_ms }, (table) => [
  index("call_facts_caller_id").on(table.caller_id),
  index("call_facts_call_started").on(table.call_started),
  // Finds the names of a campaign without a scan.
  index("call_facts_campaign_id")
    .on(table.campaign_id, table.campaign, table.is_live)
    .where(sql`${table.campaign_id} IS NOT NULL`),
]);
export const CALL_FACTS = describeTable(
  call_facts,
  "The facts of each call by the rules in force, one row per call: the source of all figures, lists and filters.",
);

const { call_id: _, ...facts } = columns;
export const FACTS = namesOf(facts);
export const FACT_COLUMNS = namesOf(columns);
