import { UsageError } from "../../base/errors.ts";
import { formatMicros } from "../../base/text/currency.ts";
import { compileRules } from "../../calls/attribution/compiled-rules.ts";
import { OUTCOME_VALUE } from "../../config/request/option-values.ts";
import type { ConversionOptions } from "../../config/request/resolve.ts";
import type { ExportJob, Lists } from "../../export/job.ts";
import type { Candidate } from "../../sources/sqlite/sqlite-conversions-sql.ts";

type Sessions = Pick<Lists, "session">;

/** Returns a function for what a conversion is worth; null if that is not known. What was earned takes precedence. */
export function prepareWorth({ session }: Sessions, { value }: Pick<ConversionOptions, "value">) {
  const { aboutTopic } = compileRules(session.rules);
  const ofAll = value === OUTCOME_VALUE ? null : (value ?? null);
  return ({ earned_micros, topic }: Pick<Candidate, "earned_micros" | "topic">): string | null =>
    earned_micros === null ? (aboutTopic(topic)?.value ?? ofAll) : formatMicros(BigInt(earned_micros));
}

/**
 * Returns the options with the currency of the jobs, if they are the value.
 * @throws UsageError if another currency was requested
 */
export function withCurrency({ session }: Sessions, { ask }: Pick<ExportJob, "ask">): ConversionOptions {
  const { conversion, revenueBy, timezone, spell } = ask;
  if (conversion.value !== OUTCOME_VALUE) return conversion;
  const { currency = conversion.currency } = session.loadOutcomes(revenueBy, timezone).form;
  if (conversion.currency === undefined || conversion.currency === currency)
    return { ...conversion, currency };
  const option = spell("conversion.currency");
  throw new UsageError(`Cannot upload what calls earned in ${conversion.currency}: jobs are in ${currency}`, {
    hint: `Leave out ${option}: the currency is that of the jobs.`,
  });
}
