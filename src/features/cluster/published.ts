import { z } from "zod";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { ATTRIBUTION_VERSION } from "../../calls/attribution/derive-facts.ts";
import { rulesSchema } from "../../calls/attribution/rules-schema.ts";
import { openPseudonyms } from "../../warehouse/calls/caller-hash.ts";
import { readRulesInForce } from "../../warehouse/calls/rules.ts";
import { readBasis, readCoverage } from "../../warehouse/runs/basis.ts";
import { basisSchema, coverageSchema } from "../../warehouse/runs/basis-schema.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { localName, PUBLISHED_TABLE } from "./account-tables.ts";
import type { Cluster } from "./cluster.ts";

const publishedSchema = z.object({
  account: z.string(),
  warehouse_id: z.string(),
  version: z.coerce.number(),
  /** When the cluster last confirmed everything, ISO 8601 UTC; null for never. */
  published_at: z.string().nullable(),
  /** Start of an unfinished publication, during which rows may be from different moments, ISO 8601 UTC; else null. */
  unfinished_since: z.string().nullable(),
  /** JSON object, an `About`, as of `published_at`. */
  about: z.string(),
});

export type PublishedRow = z.infer<typeof publishedSchema>;

/** Reads the latest row of each account, by name. A replica may lack what a killed publication wrote. */
export async function readPublished(cluster: Cluster, signal?: AbortSignal): Promise<PublishedRow[]> {
  const names = Object.keys(publishedSchema.shape);
  const sql = `SELECT ${names.join(", ")} FROM ${cluster.table(localName(PUBLISHED_TABLE))} ORDER BY version DESC LIMIT 1 BY account`;
  const options = { doing: "read what is published", signal };
  const rows = (await cluster.atEach((node) => node.select(sql, options))).flat();
  const all = rows.map((row) =>
    publishedSchema.parse(Object.fromEntries(row.map((value, index) => [names[index], value]))),
  );
  const latest = new Map(all.toSorted((a, b) => a.version - b.version).map((row) => [row.account, row]));
  return [...latest.values()].toSorted((a, b) => (a.account < b.account ? -1 : 1));
}

const totalsSchema = z.object({
  calls: z.number(),
  live_calls: z.number(),
  /** In the unit of the API. */
  duration: z.number(),
  callers: z.number(),
  spend_rows: z.number(),
});

/** The basis of an account's figures, for those who read them in the cluster. */
const aboutSchema = basisSchema.extend({
  coverage: coverageSchema,
  rules: rulesSchema,
  attribution_version: z.number(),
  /** Whether the warehouse itself identifies callers by digests. */
  caller_digests: z.boolean(),
  /** Fingerprint of the key of the digests. */
  caller_key: z.string(),
  /** Whether numbers and click ids were published unchanged. */
  is_personal: z.boolean(),
  /** Zone of the account's days. */
  timezone: z.string(),
  lookback_hours: z.number(),
  totals: totalsSchema,
});

type Totals = z.infer<typeof totalsSchema>;
export type About = z.infer<typeof aboutSchema>;

export function readAbout(reader: Reader) {
  const { rules, version, caller_key } = readRulesInForce(reader);
  const { caller_digests: _, ...stored } = rules;
  return {
    ...readBasis(reader),
    coverage: readCoverage(reader),
    rules: stored,
    attribution_version: version,
    caller_digests: caller_key !== null,
    caller_key: openPseudonyms(reader).fingerprint,
  };
}

/** @throws CalltallyError (exit 8) if another version of calltally published it, since its figures may differ */
export function parseAbout({ account, about }: PublishedRow): About {
  const parsed = aboutSchema.safeParse(JSON.parse(about));
  const is = parsed.data?.attribution_version;
  if (parsed.success && is === ATTRIBUTION_VERSION) return parsed.data;
  throw new CalltallyError(
    EXIT.contract,
    `Cannot read ${account} in the cluster: another version of calltally published it`,
    { hint: "Publish it again with this version, or read it with that one." },
  );
}

export function readTotals({ sqlite }: Reader): Totals {
  return totalsSchema.parse(
    sqlite
      .prepare(
        `SELECT count(*) AS calls, coalesce(sum(is_live), 0) AS live_calls, coalesce(sum(duration), 0) AS duration,
  count(DISTINCT caller_id) AS callers, (SELECT count(*) FROM spend) AS spend_rows FROM call_facts`,
      )
      .get(),
  );
}
