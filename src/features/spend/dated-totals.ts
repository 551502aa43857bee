import { isNothing } from "../../intake/amount-text.ts";
import type { Cells } from "../../intake/cells.ts";
import type { SPEND_COLUMNS } from "./spend-forms.ts";
import type { SpendRow } from "./spend-row.ts";

/** Not Total Wine, which is a campaign. */
const TOTAL_ALONE = /^(?:(?:grand |overall )?totals?|gesamt|summe|sum)(?:$|\s*[:(–—-]|\s+(?:for|of|per)\b)/i;
const HALF_CENT = 5000n;

/** Whether a row with a day calls itself a total, as a campaign may. */
export function isCalledTotal(cells: Cells<typeof SPEND_COLUMNS>): boolean {
  const campaign = cells.text("campaign");
  const names = isNothing(campaign) ? cells.all() : [campaign];
  return cells.isNothing("campaign_id") && names.some((name) => TOTAL_ALONE.test(name));
}

/** Returns which of the rows called total are one: their cost is that of all others, of the day and source, of the day, or of the file. */
export function findTotals(called: readonly SpendRow[], others: readonly SpendRow[]): Set<SpendRow> {
  const scopesOf = ({ day, source }: SpendRow) => [JSON.stringify([day, source]), day, ""];
  const sums = new Map<string, { cost: bigint; rows: bigint }>();
  for (const row of others) {
    for (const scope of scopesOf(row)) {
      const { cost, rows } = sums.get(scope) ?? { cost: 0n, rows: 0n };
      sums.set(scope, { cost: cost + BigInt(row.cost_micros), rows: rows + 1n });
    }
  }
  const isTotal = (row: SpendRow) =>
    scopesOf(row).some((scope) => {
      const sum = sums.get(scope);
      if (sum === undefined) return false;
      const difference = BigInt(row.cost_micros) - sum.cost;
      // Each cost may have been rounded to cents.
      const most = (sum.rows + 1n) * HALF_CENT;
      return difference <= most && -difference <= most;
    });
  return new Set(called.filter(isTotal));
}
