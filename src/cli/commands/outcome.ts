import { Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { EXIT } from "../../base/errors.ts";
import { formatMicros } from "../../base/text/currency.ts";
import { toPrintable } from "../../base/text/printable.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { STAGES, type Stage } from "../../calls/filter.ts";
import { statementsOf, toSpoken } from "../../export/statements/statements.ts";
import { describeOutcomes, outcomesToJson } from "../../features/outcomes/describe-import.ts";
import {
  type ImportedJobs,
  type ImportedOutcomes,
  type ImportOutcomesOptions,
  importOutcomes,
} from "../../features/outcomes/import-outcomes.ts";
import { JOB_FIELDS, JOBS_INTAKE } from "../../features/outcomes/jobs-intake.ts";
import { OUTCOME_LEDGER, type OutcomeImport } from "../../features/outcomes/outcome-imports.ts";
import { REJECTED_FILE, writeRejected } from "../../features/outcomes/rejected-file.ts";
import { toStageWord } from "../../features/outcomes/stage-words.ts";
import { describeState } from "../../intake/ledger.ts";
import { assertOutput } from "../../warehouse/file/output-file.ts";
import { type Context, OPTION } from "../context.ts";
import { action, overFiles } from "../frame.ts";
import { IMPORT, listCommand, removeCommand, type ShownLedger } from "../imported-files.ts";
import { choice, oneOf, parseCountryCode, parseText } from "../parsers.ts";
import { replacementOf } from "../replacement.ts";

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
before the job. Lines of one id add up. A job with an id that comes again replaces the earlier one; without ids, a day
of a file replaces that day of the same --source.
Columns named ${JOB_FIELDS.join(", ")} and other common headers are recognized.`,
    )
    .addArgument(IMPORT.files())
    .addOption(
      IMPORT.map("columns with other headers", JOB_FIELDS, {
        example: "phone=Mobile,phone=Home,stage=State",
        several: JOBS_INTAKE.several,
      }),
    )
    .addOption(READING.mapStage())
    .addOption(READING.stage())
    .addOption(READING.within())
    .addOption(READING.countryCode())
    .addOption(READING.source())
    .addOption(IMPORT.currency("amounts"))
    .addOption(IMPORT.dates())
    .addOption(IMPORT.decimal())
    .addOption(IMPORT.lines("how lines of one job count whose amounts are equal"))
    .option(
      "--unmatched <file>",
      "write the lines without a call to this file, with the reason (outcomes-unmatched.csv, or with {account} as above)",
    )
    .option(...OPTION.replace)
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
      action(context, (paths, { unmatched, replace, timezone: _, ...options }) =>
        overFiles(context, [...paths, unmatched ?? nameUnmatched(paths)], ({ settings }, all) => {
          const files = all.slice(0, -1);
          const path = all.at(-1) ?? "";
          const output = assertOutput(path, REJECTED_FILE.kind, {
            inputs: files,
            replacing: replacementOf(context, replace),
          });
          const imported = importOutcomes(settings, files, toImportOptions(options));
          if (imported.rejected.length > 0) writeRejected(output, imported.rejected);
          return toResult(imported, path);
        }),
      ),
    );

/** How a list of jobs is read. */
const READING = {
  mapStage: () =>
    new Option(
      "--map-stage <word=stage,…>",
      `words for ${STAGES.join(", ")}, e.g. won=sold,open=booked`,
    ).argParser(parseStages),
  stage: () => choice("--stage <stage>", STAGES, "stage of jobs without one"),
  within: () =>
    new Option("--within <days>", "how long before its job a caller's call may be, e.g. 30d")
      .argParser(parseDays)
      .default(30, "30d"),
  countryCode: () =>
    new Option("--country-code <digits>", "of phone numbers that are written without one, e.g. 1").argParser(
      parseCountryCode,
    ),
  source: () =>
    new Option("--source <name>", "name of the list that the jobs are of")
      .argParser(parseText)
      .default("jobs"),
};

interface ImportFlags extends Omit<ImportOutcomesOptions, "map" | "stages" | "withinDays" | "named"> {
  map?: ImportOutcomesOptions["map"] | undefined;
  mapStage?: ImportOutcomesOptions["stages"] | undefined;
  within: number;
  currency?: ImportOutcomesOptions["named"];
}

function toImportOptions({ map = {}, mapStage = new Map(), within, currency, ...flags }: ImportFlags) {
  return { ...flags, map, stages: mapStage, withinDays: within, named: currency };
}

/** @param path of the file with the lines without a call */
function toResult(imported: ImportedOutcomes, path: string) {
  const isWhole = imported.rejected.length === 0;
  const statements = statementsOf({ imported: sumOf(imported.imports) }).map(toSpoken);
  const lines = [...describeOutcomes(imported, path), ...statements.map(({ text }) => text)];
  const { newKey } = imported;
  return {
    data: { ...outcomesToJson(imported), ...(!isWhole && { unmatched_file: path }), statements },
    summary: lines.map(toPrintable).join("\n"),
    notes:
      newKey === undefined
        ? []
        : [`${newKey} is new: without it, jobs that come again would not be recognized. Back it up.`],
    exit: isWhole ? EXIT.done : EXIT.unverified,
  };
}

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

const nameUnmatched = (paths: readonly string[]) =>
  paths.some((path) => path.includes("{account}"))
    ? "outcomes-unmatched-{account}.csv"
    : "outcomes-unmatched.csv";

/** A word may have commas and equals signs: a stage ends it. */
function parseStages(text: string, collected: ReadonlyMap<string, Stage> = new Map()): Map<string, Stage> {
  const stages = new Map(collected);
  const known = new RegExp(`\\s*(.+?)\\s*=\\s*(${STAGES.join("|")})\\s*(?:,|$)`, "y");
  while (known.lastIndex < text.length) {
    const start = known.lastIndex;
    const [whole, word = "", stage = ""] = known.exec(text) ?? [];
    if (whole === undefined) {
      const [, stage] = /=\s*(\w+)\s*(?:,|$)/.exec(text.slice(start)) ?? [];
      if (stage !== undefined) oneOf(STAGES)(stage);
      throw new InvalidArgumentError("must look like won=sold,open=booked");
    }
    stages.set(toStageWord(word), oneOf(STAGES)(stage));
  }
  return stages;
}

const MAX_DAYS = 3650;

function parseDays(text: string): number {
  const days = /^\d{1,4}d$/.test(text) ? Number(text.slice(0, -1)) : 0;
  if (days >= 1 && days <= MAX_DAYS) return days;
  throw new InvalidArgumentError(`must be days such as 30d, from 1d to ${MAX_DAYS}d`);
}
