import { UsageError } from "../base/errors.ts";
import type { Reader } from "../warehouse/warehouse.ts";

/** Returns the currency of all imported amounts, of spend and of jobs; undefined if there is none. */
export function readCurrency({ sqlite }: Reader): string | undefined {
  return sqlite
    .prepare<[], string>(
      "SELECT currency FROM spend UNION ALL SELECT currency FROM outcomes WHERE currency IS NOT NULL LIMIT 1",
    )
    .pluck()
    .get();
}

/** @throws UsageError for a second currency */
export function assertOneCurrency(
  what: string,
  all: readonly { currency: string | null | undefined; place: string }[],
): string | null {
  const places = all.filter(({ currency }) => currency);
  const [first] = places;
  const other = places.find(({ currency }) => currency !== first?.currency);
  if (first !== undefined && other !== undefined) {
    throw new UsageError(
      `Cannot import ${what} in two currencies: ${first.place} is in ${first.currency}, and ${other.place} in ${other.currency}`,
      {
        hint: `Nothing was imported. An account has one currency: convert the report, or keep another account for it.`,
      },
    );
  }
  return first?.currency ?? null;
}

export function unknownCurrency(what: string): UsageError {
  return new UsageError(`Cannot import ${what}: its currency is unknown`, {
    hint: "Pass --currency, such as --currency USD, or give it as the setting currency.",
  });
}
