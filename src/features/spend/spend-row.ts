export interface SpendRow {
  /** From 1 on. */
  line: number;
  /** YYYY-MM-DD, as in the report. */
  day: string;
  /** Folded like utm values; so is the medium. */
  source: string;
  medium: string;
  campaign: string | null;
  campaign_id: string | null;
  cost_micros: number;
  /** ISO 4217, if the report names it. */
  currency: string | null;
  clicks: number | null;
  impressions: number | null;
}
