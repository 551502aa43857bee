import { desc, eq } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { campaignNamesText } from "../sources/sqlite/campaign-names-sql.ts";
import { about, describeTable } from "./described.ts";
import { isOther, type SchemaObjects } from "./stored-objects.ts";
import type { Tx } from "./transaction.ts";
import type { Reader } from "./warehouse.ts";

export const campaigns = sqliteTable("campaigns", {
  campaign_id: about(text().primaryKey(), "The campaign's identifier.", "text"),
  campaign: about(
    text(),
    "Its common name: the one that most live calls have, of several the first in order; null if none has a name.",
    "text",
  ),
  changed_ms: about(
    integer().notNull(),
    "When the common name last changed: the moment of that transaction, in milliseconds since 1970.",
  ),
});
export const CAMPAIGNS = describeTable(
  campaigns,
  "The common name of each campaign that has an id, as rollups and lists show it; written by triggers.",
);

export const campaign_names = sqliteTable(
  "campaign_names",
  {
    campaign_id: about(text().notNull(), "The campaign's identifier.", "text"),
    campaign: about(text().notNull(), "A name that live calls have.", "text"),
    calls: about(integer().notNull(), "How many have it."),
  },
  (table) => [
    primaryKey({ columns: [table.campaign_id, table.campaign] }),
    index("campaign_names_calls").on(table.campaign_id, desc(table.calls), table.campaign),
  ],
);
export const CAMPAIGN_NAMES = describeTable(
  campaign_names,
  "How many live calls of a campaign have each of its names; written by triggers.",
);

// Triggers keep the names, whatever writes: a list shows at each moment the name that a rollup has.

const RANKED = (id: string) =>
  `SELECT campaign FROM campaign_names WHERE campaign_id = ${id} ORDER BY calls DESC, campaign LIMIT 1`;
const MOMENT = "(SELECT moment_ms FROM moment)";
const isNamed = (row: "OLD" | "NEW") =>
  `${row}.is_live AND ${row}.campaign_id IS NOT NULL AND ${row}.campaign IS NOT NULL`;

const add = `INSERT INTO campaign_names (campaign_id, campaign, calls)
  SELECT NEW.campaign_id, NEW.campaign, 1 WHERE ${isNamed("NEW")}
  ON CONFLICT (campaign_id, campaign) DO UPDATE SET calls = calls + 1;`;
const remove = `UPDATE campaign_names SET calls = calls - 1
  WHERE OLD.is_live AND campaign_id = OLD.campaign_id AND campaign = OLD.campaign;
  DELETE FROM campaign_names WHERE campaign_id = OLD.campaign_id AND campaign = OLD.campaign AND calls = 0;`;
const rename = (row: "OLD" | "NEW") => `INSERT INTO campaigns (campaign_id, campaign, changed_ms)
  SELECT ${row}.campaign_id, (${RANKED(`${row}.campaign_id`)}), ${MOMENT} WHERE ${row}.campaign_id IS NOT NULL
  ON CONFLICT (campaign_id) DO UPDATE SET campaign = excluded.campaign, changed_ms = excluded.changed_ms
    WHERE campaigns.campaign IS NOT excluded.campaign;`;
/** An id may be personal: it goes with its last call. */
const forget = `DELETE FROM campaigns WHERE campaign_id = OLD.campaign_id AND campaign IS NULL
  AND NOT EXISTS (SELECT 1 FROM call_facts WHERE campaign_id = OLD.campaign_id);`;

const NAMING = ["is_live", "campaign_id", "campaign"];

export const CAMPAIGN_TRIGGERS: SchemaObjects = {
  name_new_call: `AFTER INSERT ON call_facts WHEN ${isNamed("NEW")} BEGIN
  ${add}
  ${rename("NEW")}
END`,
  name_changed_call: `AFTER UPDATE OF ${NAMING.join(", ")} ON call_facts WHEN ${isOther(NAMING)} BEGIN
  ${remove}
  ${add}
  ${rename("OLD")}
  ${rename("NEW")}
  ${forget}
END`,
  name_removed_call: `AFTER DELETE ON call_facts WHEN OLD.campaign_id IS NOT NULL BEGIN
  ${remove}
  ${rename("OLD")}
  ${forget}
END`,
};

/** Returns the common name of a campaign; null if it has none. */
export function readCommonName({ db }: Reader, id: string | null): string | null {
  if (id === null) return null;
  const { campaign, campaign_id } = campaigns;
  return db.select({ campaign }).from(campaigns).where(eq(campaign_id, id)).get()?.campaign ?? null;
}

/** Each name of a campaign, and how many live calls have it, from the facts. */
const NAMES_OF_FACTS = `SELECT campaign_id, campaign, count(*) AS calls FROM call_facts
  WHERE is_live AND campaign_id IS NOT NULL AND campaign IS NOT NULL GROUP BY 1, 2`;

/** Returns the ids of calls whose campaign has another name, or other counts of names, than the facts give. */
export function findOtherNames({ sqlite }: Reader): number[] {
  const read = sqlite.prepare<[], number>(`WITH others AS (
    SELECT coalesce(f.campaign_id, n.campaign_id) AS id
    FROM (${NAMES_OF_FACTS}) AS f FULL JOIN campaign_names AS n USING (campaign_id, campaign)
    WHERE f.calls IS NOT n.calls
    UNION SELECT coalesce(f.campaign_id, c.campaign_id)
    FROM (${campaignNamesText()}) AS f FULL JOIN campaigns AS c USING (campaign_id)
    WHERE f.campaign IS NOT c.campaign)
  SELECT call_id FROM call_facts WHERE campaign_id IN (SELECT id FROM others)`);
  return read.pluck().all();
}

/** Makes the names from the facts again, where they differ. */
export function settleCampaigns(tx: Tx): void {
  if (findOtherNames(tx).length === 0) return;
  const { sqlite } = tx;
  sqlite.exec(`DELETE FROM campaign_names;
  INSERT INTO campaign_names (campaign_id, campaign, calls) ${NAMES_OF_FACTS};
  DELETE FROM campaigns WHERE campaign_id NOT IN (SELECT campaign_id FROM call_facts WHERE campaign_id IS NOT NULL);
  INSERT INTO campaigns (campaign_id, campaign, changed_ms)
  SELECT DISTINCT campaign_id, (${RANKED("call_facts.campaign_id")}), ${MOMENT} FROM call_facts WHERE campaign_id IS NOT NULL
  ON CONFLICT (campaign_id) DO UPDATE SET campaign = excluded.campaign, changed_ms = excluded.changed_ms
    WHERE campaigns.campaign IS NOT excluded.campaign`);
}
