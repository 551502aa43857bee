import { Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { formatMicros } from "../../base/currency.ts";
import { EXIT } from "../../base/errors.ts";
import { toPrintable } from "../../base/printable.ts";
import { formatCount, formatQuantity } from "../../base/quantity-text.ts";
import { STAGES, type Stage } from "../../call/filter.ts";
import {
  type ImportedJobs,
  type ImportedOutcomes,
  importOutcomes,
  type RejectedJob,
} from "../../features/outcomes/import-outcomes.ts";
import { OUTCOME_LEDGER, type OutcomeImport } from "../../features/outcomes/outcome-imports.ts";
import { JOB_FIELDS } from "../../features/outcomes/read-jobs.ts";
import { REJECTED_FILE, writeRejected } from "../../features/outcomes/rejected-file.ts";
import { describeState } from "../../spend/import-ledger.ts";
import { statementsOf, toSpoken } from "../../statements/statements.ts";
import { assertOutput } from "../../warehouse/output-file.ts";
import { type Context, OPTION } from "../context.ts";
import { action, overFiles } from "../frame.ts";
import { IMPORT, listCommand, removeCommand, type ShownLedger } from "../imported-files.ts";
import { choice, oneOf, parseCountryCode, parseText } from "../parsers.ts";

export const command = (context: Context) =>
  new Command("outcome")
    .description("Reads what calls led to from lists of jobs; export --outcomes shows it next to the calls.")
    .addHelpText(
      "after",
      "\nExamples:\n  $ calltally outcome import jobs.csv\n  $ calltally outcome list\n  $ calltally outcome remove 3",
    )
    .addCommand(importCommand(context))
    .addCommand(
      listCommand(
        context,
        OUTCOMES,
        "Lists imports, latest first: the remaining jobs, and the import that replaced all of them.",
      ),
    )
    .addCommand(
      removeCommand(context, OUTCOMES, {
        description: "Removes an import. Jobs that it replaced do not come back: import their file again.",
        example: 3,
      }),
    );

const importCommand = (context: Context) =>
  new Command("import")
    .description(
      `Imports booked, sold and lost jobs from CSV files, and finds the call of each: by call id, or the caller's latest call
before the job. A job with an id that comes again replaces the earlier one; without ids, a day of a file replaces
that day of the same --source.
Columns named ${JOB_FIELDS.join(", ")} and other common headers are recognized.`,
    )
    .addArgument(IMPORT.files())
    .addOption(IMPORT.map("columns with other headers", JOB_FIELDS, "phone=Customer,stage=State"))
    .addOption(
      new Option(
        "--map-stage <word=stage,…>",
        `words for ${STAGES.join(", ")}, e.g. won=sold,open=booked`,
      ).argParser(parseStages),
    )
    .addOption(choice("--stage <stage>", STAGES, "stage of jobs without one"))
    .addOption(
      new Option("--within <days>", "how long before its job a caller's call may be, e.g. 30d")
        .argParser(parseDays)
        .default(30, "30d"),
    )
    .addOption(
      new Option(
        "--country-code <digits>",
        "of phone numbers that are written without one, e.g. 1",
      ).argParser(parseCountryCode),
    )
    .addOption(
      new Option("--source <name>", "name of the list that the jobs are of")
        .argParser(parseText)
        .default("jobs"),
    )
    .addOption(IMPORT.currency("amounts"))
    .addOption(IMPORT.dates())
    .addOption(IMPORT.decimal())
    .option(
      "--unmatched <file>",
      "write the lines without a call to this file, with the reason (outcomes-unmatched.csv, or with {account} as above)",
    )
    .option(...OPTION.timezone)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      `
Examples:
  $ calltally outcome import jobs.csv
  $ calltally outcome import deals.csv --map phone=Contact,date=Closed --map-stage won=sold --country-code 1 --currency USD`,
    )
    .action(
      action(
        context,
        (paths, { map = {}, mapStage = {}, within, currency: named, unmatched, timezone: _, ...flags }) =>
          overFiles(context, [...paths, unmatched ?? nameUnmatched(paths)], ({ settings }, all) => {
            const files = all.slice(0, -1);
            const path = all.at(-1) ?? "";
            const output = assertOutput(path, REJECTED_FILE, files);
            const imported = importOutcomes(settings, files, {
              ...flags,
              ...{ map, stages: mapStage, withinDays: within, named },
            });
            const { rejected } = imported;
            if (rejected.length > 0) writeRejected(output, rejected);
            const statements = statementsOf({ imported: sumOf(imported.imports) }).map(toSpoken);
            return {
              data: {
                currency: imported.currency,
                files: imported.imports.map(toJson),
                completed_numbers: imported.completed_numbers,
                ...countRejected(rejected),
                ...(rejected.length > 0 && { unmatched_file: path }),
                statements,
              },
              summary: [
                ...describeImported(imported),
                ...describeCompleted(imported),
                ...describeRejected(rejected, path),
                ...statements.map(({ text }) => text),
              ]
                .map(toPrintable)
                .join("\n"),
              notes:
                imported.newKey === undefined
                  ? []
                  : [
                      `${imported.newKey} is new: without it, jobs that come again would not be recognized. Back it up.`,
                    ],
              exit: rejected.length > 0 ? EXIT.unverified : EXIT.done,
            };
          }),
      ),
    );

const OUTCOMES: ShownLedger<OutcomeImport> = {
  ledger: OUTCOME_LEDGER,
  none: "No jobs have been imported.",
  toJson,
  columns: [
    { name: "number", of: ({ number }) => number },
    { name: "imported_at", of: ({ imported_at }) => imported_at },
    { name: "file", of: ({ file }) => file },
    { name: "source", of: ({ source }) => source },
    { name: "jobs", of: ({ jobs }) => jobs },
    { name: "matched", of: ({ matched }) => matched },
    { name: "left", of: ({ rows }) => rows },
    { name: "revenue", of: amountOf },
    { name: "state", of: describeState },
  ],
  describeRemoved: (removed) =>
    `Removed ${formatQuantity(removed.rows, "job")} of ${removed.source} from ${removed.file}: ${amountOf(removed)}`,
};

function toJson<Import extends { revenue_micros: bigint | null }>({ revenue_micros, ...each }: Import) {
  return { ...each, revenue: revenue_micros === null ? null : Number(formatMicros(revenue_micros)) };
}

function amountOf({ revenue_micros, currency }: Pick<OutcomeImport, "revenue_micros" | "currency">): string {
  return revenue_micros === null ? "no amounts" : `${formatMicros(revenue_micros)} ${currency}`;
}

function sumOf(imports: readonly ImportedJobs[]): { jobs: number; matched: number } {
  const add = (of: "jobs" | "matched") => imports.reduce((sum, each) => sum + each[of], 0);
  return { jobs: add("jobs"), matched: add("matched") };
}

function countRejected(rejected: readonly RejectedJob[]): { left_out: number; unmatched: number } {
  const left_out = rejected.filter(({ kind }) => kind === "left out").length;
  return { left_out, unmatched: rejected.length - left_out };
}

function describeImported({ imports, currency }: ImportedOutcomes): string[] {
  return imports.flatMap(({ file, jobs, matched, revenue_micros, unused_columns: unused }) => [
    `${file}  ${formatQuantity(jobs, "job")}, ${formatCount(matched)} with a call; ${revenue_micros === null ? "" : "revenue "}${amountOf({ revenue_micros, currency })}`,
    ...(unused.length > 0 ? [`  not used: ${unused.join(", ")}`] : []),
  ]);
}

function describeCompleted({ completed_numbers: count }: ImportedOutcomes): string[] {
  if (count === 0) return [];
  return [
    `${formatQuantity(count, "phone number")} without a country code read as +1, as all callers have it; pass --country-code for another`,
  ];
}

const nameUnmatched = (paths: readonly string[]) =>
  paths.some((path) => path.includes("{account}"))
    ? "outcomes-unmatched-{account}.csv"
    : "outcomes-unmatched.csv";

/** Reasons shown to a person; the file has all. */
const SHOWN = 10;

function describeRejected(rejected: readonly RejectedJob[], path: string): string[] {
  if (rejected.length === 0) return [];
  const { left_out, unmatched } = countRejected(rejected);
  const more = rejected.length - SHOWN;
  return [
    `Left out: ${formatCount(left_out)}; without a call: ${formatCount(unmatched)}; all are in ${path}`,
    ...rejected.slice(0, SHOWN).map(({ file, line, reason }) => `  ${file}:${line}  ${reason}`),
    ...(more > 0 ? [`  and ${formatCount(more)} more`] : []),
  ];
}

function parseStages(text: string, collected: Readonly<Record<string, Stage>> = {}): Record<string, Stage> {
  const stages: Record<string, Stage> = { ...collected };
  for (const part of text.split(",")) {
    const [, word = "", stage = ""] = /^\s*(.+?)\s*=\s*(\w+)\s*$/.exec(part) ?? [];
    if (stage === "") throw new InvalidArgumentError("must look like won=sold,open=booked");
    stages[word.toLowerCase()] = oneOf(STAGES)(stage);
  }
  return stages;
}

const MAX_DAYS = 3650;

function parseDays(text: string): number {
  const days = /^\d{1,4}d$/.test(text) ? Number(text.slice(0, -1)) : 0;
  if (days >= 1 && days <= MAX_DAYS) return days;
  throw new InvalidArgumentError(`must be days such as 30d, from 1d to ${MAX_DAYS}d`);
}
