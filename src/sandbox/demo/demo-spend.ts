import { localDate } from "../../base/calendar/local-time.ts";
import { MICROS } from "../../base/text/currency.ts";
import { importSpend } from "../../features/spend/spend-table.ts";
import { openExistingWarehouse } from "../../warehouse/file/open.ts";
import { deriveSeed, seededRandom } from "../random.ts";
import type { DemoAccount } from "./demo-account.ts";

const GOOGLE = { source: "google", medium: "cpc" };
const META = { source: "facebook", medium: "paid_social" };

/** The paid campaigns of the sandbox, what each costs on a busy day, and what a click costs, in dollars. */
const CAMPAIGNS = [
  { ...GOOGLE, campaign: "Brand | Exact", campaign_id: "17450923311", perDay: 95, perClick: 1.4 },
  { ...GOOGLE, campaign: "Emergency Plumbing", campaign_id: "17450930018", perDay: 240, perClick: 11 },
  { ...GOOGLE, campaign: "Emergency Plumbing", campaign_id: "21188402377", perDay: 130, perClick: 12 },
  { ...GOOGLE, campaign: "AC Repair – Texas", campaign_id: "19004417265", perDay: 260, perClick: 8 },
  { ...GOOGLE, campaign: "PMax | Home Services", campaign_id: "20533716084", perDay: 170, perClick: 3 },
  {
    source: "bing",
    medium: "cpc",
    campaign: "HVAC Search (Bing)",
    campaign_id: "402517786",
    perDay: 90,
    perClick: 5,
  },
  { ...META, campaign: "Spring Tune-Up", campaign_id: "120208845510330456", perDay: 140, perClick: 2 },
  { ...META, campaign: "Summer Cool-Down", campaign_id: "120208845510330991", perDay: 35, perClick: 2 },
];

/** By day of the week, Sunday first. */
const DAY_SHARES = [0.3, 1, 1, 0.95, 0.95, 0.9, 0.4];

const DAYS = 90;
const DAY_MS = 86_400_000;
const IMPRESSIONS_PER_CLICK = 25;

/** Imports made-up spend of the 90 days up to today, as if from one report. */
export function addSpend({ database, timezone }: DemoAccount): void {
  const today = localDate(new Date().toISOString(), timezone);
  const random = seededRandom(deriveSeed(1, "spend"));
  const dates = Array.from({ length: DAYS }, (_, ago) => new Date(Date.parse(today) - ago * DAY_MS));
  const rows = dates.flatMap((date) =>
    CAMPAIGNS.map(({ perDay, perClick, ...campaign }) => {
      const cents = Math.round(perDay * (DAY_SHARES[date.getUTCDay()] ?? 1) * (80 + 40 * random()));
      const clicks = Math.max(1, Math.round(cents / 100 / perClick));
      return {
        ...campaign,
        line: 1,
        day: date.toISOString().slice(0, 10),
        cost_micros: (cents * MICROS) / 100,
        currency: "USD",
        clicks,
        impressions: clicks * IMPRESSIONS_PER_CLICK,
      };
    }),
  );
  using warehouse = openExistingWarehouse(database);
  const importedAt = new Date().toISOString();
  importSpend(warehouse, [{ file: "demo.csv", rows }], { currency: undefined, named: undefined, importedAt });
}
