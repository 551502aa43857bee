import { recordOf } from "../../base/records.ts";
import { formatCount, formatQuantity } from "../../base/text/quantity-text.ts";
import { amountText, describeAside, describeUnused, toAmount } from "../../intake/import-words.ts";
import type { ImportedJobs, ImportedOutcomes } from "./import-outcomes.ts";
import { FATES, type ReplacedJobs } from "./outcome-writer.ts";
import type { RejectedJob } from "./rejected-jobs.ts";
import { adviseOnWords, listWords } from "./stage-words.ts";

/** Reasons and words shown to a person; the file has all. */
const SHOWN = 10;

export function outcomesToJson(imported: ImportedOutcomes) {
  const { currency, imports, replaced, rejected, unknownStages, kept, early, assumed } = imported;
  return {
    currency,
    files: imports.map(({ amounts, revenue_micros, ...file }) => ({
      ...file,
      revenue: toAmount(revenue_micros),
      amounts: recordOf(FATES, (fate) => toAmount(amounts[fate])),
    })),
    replaced: replaced.map(({ before, now, ...each }) => ({
      ...each,
      before: sumToJson(before),
      now: sumToJson(now),
    })),
    ...countRejected(rejected),
    unknown_stages: [...unknownStages].map(([word, lines]) => ({ word, lines })),
    kept_calls: kept,
    before_their_calls: early,
    assumed_country_code: assumed,
  };
}

const sumToJson = ({ jobs, amount_micros }: ReplacedJobs["before"]) => ({
  jobs,
  amount: toAmount(amount_micros),
});

/** @param path of the file with the lines that are not imported */
export function describeOutcomes(imported: ImportedOutcomes, path: string): string[] {
  const { imports, replaced, currency } = imported;
  return [
    ...describeWords(imported.unknownStages),
    ...imports.flatMap((each) => describeFile(each, currency)),
    ...replaced.flatMap((each) => describeReplaced(each, imported)),
    ...describeNotes(imported),
    ...describeRejected(imported.rejected, path),
  ];
}

function describeWords(words: ReadonlyMap<string, number>): string[] {
  return words.size === 0 ? [] : [`Unknown stages: ${listWords(words)}`, `  ${adviseOnWords(words)}`];
}

const SHORT: Record<(typeof FATES)[number], string> = {
  stored: "imported",
  without_call: "without a call",
  left_out: "left out",
  repeated: "repeated",
};

function describeFile(imported: ImportedJobs, currency: string | null): string[] {
  const { file, jobs, matched, revenue_micros, unused_columns, amounts, repeated_lines, total_lines } =
    imported;
  const revenue = revenue_micros === null ? "no amounts" : `revenue ${amountText(revenue_micros, currency)}`;
  const isApart = FATES.some((fate) => fate !== "stored" && amounts[fate] !== 0n);
  const sums = FATES.filter((fate) => fate === "stored" || amounts[fate] !== 0n).map(
    (fate) => `${amountText(amounts[fate], currency)} ${SHORT[fate]}`,
  );
  return [
    `${file}  ${formatQuantity(jobs, "job")}, ${formatCount(matched)} with a call; ${revenue}`,
    ...(total_lines.length > 0
      ? [`  of ${formatQuantity(imported.lines, "line")}: ${describeAside(imported).join(", ")}`]
      : []),
    ...(isApart ? [`  amounts: ${sums.join(", ")}`] : []),
    ...(repeated_lines > 0 ? [`  ${formatQuantity(repeated_lines, "line")} repeated and counted once`] : []),
    ...describeUnused(unused_columns),
  ];
}

function describeReplaced(
  { by, before, now, files }: ReplacedJobs,
  { imports, currency }: ImportedOutcomes,
): string[] {
  const what = by === "job_id" ? "that came again" : "of the same days";
  const amounts = `${amountText(before.amount_micros, currency)} before, ${amountText(now.amount_micros, currency)} now`;
  const others = files.filter((name) => imports.every(({ file }) => file !== name));
  return [
    `Replaced: ${formatQuantity(before.jobs, "job")} ${what}, by ${formatCount(now.jobs)}; ${amounts}`,
    ...(others.length > 0
      ? [
          `  They came from ${others.slice(0, SHOWN).join(", ")}. To keep both, import the files in one command, or each with a --source of its own.`,
        ]
      : []),
  ];
}

function describeNotes({ kept, early, assumed }: ImportedOutcomes): string[] {
  const rows: [count: number, text: string][] = [
    [kept, "found no call now and kept the one they had, e.g. of a forgotten caller"],
    [early, "dated before the call they name: the id counts"],
    [assumed, "matched with +1 before ten digits, as most callers have it; --country-code decides otherwise"],
  ];
  return rows.flatMap(([count, text]) => (count > 0 ? [`${formatQuantity(count, "line")} ${text}.`] : []));
}

function countRejected(rejected: readonly RejectedJob[]): { left_out: number; unmatched: number } {
  const left_out = rejected.filter(({ kind }) => kind === "left out").length;
  return { left_out, unmatched: rejected.length - left_out };
}

function describeRejected(rejected: readonly RejectedJob[], path: string): string[] {
  if (rejected.length === 0) return [];
  const { left_out, unmatched } = countRejected(rejected);
  const others = rejected.filter(({ word }) => word === undefined);
  const more = others.length - SHOWN;
  return [
    `Left out: ${formatCount(left_out)}; without a call: ${formatCount(unmatched)}; all are in ${path}`,
    ...others.slice(0, SHOWN).map(({ file, line, reason }) => `  ${file}:${line}  ${reason}`),
    ...(more > 0 ? [`  and ${formatCount(more)} more`] : []),
  ];
}
