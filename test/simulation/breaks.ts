import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

/** A way to break the program: a text of its source with a replacement, and the invariant that detects it. */
export interface Break {
  name: string;
  file: string;
  from: string;
  to: string;
}

/** One for each invariant of the simulation, and some more. */
export const BREAKS: readonly Break[] = [
  {
    name: "a page loses a call",
    file: "src/sync/store.ts",
    from: "const upserted = this.#upsertCalls(tx, sorted.calls);",
    to: "const upserted = this.#upsertCalls(tx, sorted.calls.slice(1));",
  },
  {
    name: "calls are never gone",
    file: "src/sync/finish.ts",
    from: "waitHours(run, evidence) * HOUR_MS",
    to: "waitHours(run, evidence) * 1000 * HOUR_MS",
  },
  {
    name: "a call that comes back stays gone",
    file: "src/sync/store.ts",
    from: "this.#hasAbsent ? clearAbsence(tx, metIds) : 0",
    to: "0",
  },
  {
    name: "another duration is no change",
    file: "src/calls/call.ts",
    from: "[...CALL_COLUMNS, ...TRANSCRIPT_COLUMNS]",
    to: '[...CALL_COLUMNS, ...TRANSCRIPT_COLUMNS].filter((field) => field !== "duration")',
  },
  {
    name: "short calls do not qualify",
    file: "src/calls/attribution/derive-facts.ts",
    from: "duration >= qualifiedDuration",
    to: "duration >= qualifiedDuration + 20",
  },
  {
    name: "restatements leave out corrections",
    file: "src/features/restatements/find-restatements.ts",
    from: "if (callIds.length === 0) return [];",
    to: 'if (callIds.length === 0 || reason === "corrected") return [];',
  },
  {
    name: "what was uploaded is uploaded again",
    file: "src/features/conversions/conversions.ts",
    from: "?? past?.reasonAgainst(call)",
    to: "",
  },
  {
    name: "a conversion of a call that is gone stands",
    file: "src/features/conversions/adjustments.ts",
    from: "if (call.reason !== undefined)",
    to: 'if (call.reason !== undefined && call.reason !== "gone")',
  },
  {
    name: "a conversion keeps the value of a job that was removed",
    file: "src/features/conversions/adjustments.ts",
    from: "isEarned && order.value !== null",
    to: "false",
  },
  {
    name: "a refund does not lower what was earned",
    file: "src/sources/sqlite/outcome-sums.ts",
    from: "(stage = 'sold' OR amount_micros < 0)",
    to: "(stage = 'sold' AND amount_micros > 0)",
  },
  {
    name: "a mail of unknown end is sent again",
    file: "src/reports/delivery/deliver.ts",
    from: 'unknown: "outcome unknown",',
    to: 'unknown: "pending",',
  },
  {
    name: "a forgotten caller comes back",
    file: "src/warehouse/calls/decide-call.ts",
    from: "keeping.forgotten?.strip(served) ?? served",
    to: "served",
  },
  {
    name: "what may not be kept is kept too long",
    file: "src/calls/privacy/keep-settings.ts",
    from: "nowMs - keepFor * DAY_MS",
    to: "nowMs - 2 * keepFor * DAY_MS",
  },
  {
    name: "spend of a day adds up",
    file: "src/features/spend/spend-table.ts",
    from: 'eq(spend.source, sql.placeholder("source"))',
    to: 'eq(spend.source, "nobody")',
  },
  {
    name: "a full disk has no exit code",
    file: "src/base/known-error.ts",
    from: "toFileError(error) ??",
    to: "",
  },
  {
    name: "a forgotten caller stays in the cluster",
    file: "src/features/cluster/erase-replaced.ts",
    from: "if (!isForgotten && (await node.select(plainRows, options)).length === 0) return false;",
    to: "return false;",
  },
  {
    name: "a restored backup knows the forgotten",
    file: "src/operate/backup/carry-over.ts",
    from: "callers.length > 0 &&",
    to: "callers.length < 0 &&",
  },
  {
    name: "an amount is imported and without a call",
    file: "src/features/outcomes/outcome-writer.ts",
    from: '("fate IS NULL AND call_id IS NULL")} AS without_call',
    to: '("fate IS NULL")} AS without_call',
  },
  {
    name: "a list without ids replaces the jobs of other lists",
    file: "src/features/outcomes/outcome-writer.ts",
    from: "OR source = @source AND call_id NOT IN",
    to: "OR call_id NOT IN",
  },
  {
    name: "jobs of a forgotten caller lose their call",
    file: "src/features/outcomes/outcome-writer.ts",
    from: "OR f.caller_id = staged_jobs.caller_id)",
    to: "AND f.caller_id = staged_jobs.caller_id)",
  },
  {
    name: "days of jobs are those of UTC",
    file: "src/sources/sqlite/outcome-sums.ts",
    from: "toInstants({ from: day }, zone)",
    to: 'toInstants({ from: day }, "UTC")',
  },
  {
    name: "a changed threshold looks at the new one only",
    file: "src/warehouse/attribution/update-ruled-facts.ts",
    from: "[before, rules].map((either) =>",
    to: "[rules, rules].map((either) =>",
  },
  {
    name: "a warehouse by its other name has no account",
    file: "src/cli/chosen-accounts.ts",
    from: "realFile(resolve(sources.folder, setting.text)) === realFile(database)",
    to: "resolve(sources.folder, setting.text) === resolve(database)",
  },
  {
    name: "a file of all accounts has the rows of the first",
    file: "src/reports/accounts/merge-accounts.ts",
    from: "const { columns, rows } = mergeTables(figures, by);",
    to: "const { columns, rows } = mergeTables(figures.slice(0, 1), by);",
  },
  {
    name: "the page to explore has no revenue",
    file: "src/features/explore/page-data.ts",
    from: "revenueMicros: String(revenueMicros),",
    to: 'revenueMicros: "0",',
  },
  {
    name: "the first account is chosen whatever is named",
    file: "src/config/accounts.ts",
    from: "return accounts.filter(({ name }) => name !== undefined && names.includes(name));",
    to: "return accounts.slice(0, 1);",
  },
  {
    name: "a page to explore is left when a caller is forgotten",
    file: "src/operate/forget/personal-files.ts",
    from: "|| basename(path) === EXPLORE_FILE",
    to: "",
  },
  {
    name: "a notice never ends",
    file: "src/features/notices/key-calls.ts",
    from: "if (chance >= END_CHANCE) continue;",
    to: "if (chance < 1) continue;",
  },
  {
    name: "old notices are printed again",
    file: "src/features/notices/watch-calls.ts",
    from: "if (notice.news > before)",
    to: "if (notice.news >= before)",
  },
];

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Returns in how many places of the program a break would be. */
export const countPlaces = ({ file, from }: Break): number =>
  readFileSync(`${ROOT}${file}`, "utf8").split(from).length - 1;

/** Breaks the program for this process; it must not have been loaded yet. */
export function breakProgram(wanted: string): void {
  const broken = BREAKS.find(({ name }) => name === wanted);
  if (broken === undefined) throw new Error(`There is no break ${wanted}`);
  const { file, from, to } = broken;
  if (countPlaces(broken) !== 1) throw new Error(`${wanted}: ${file} does not have "${from}" once`);
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context);
      if (!url.endsWith(`/${file}`)) return loaded;
      return { ...loaded, source: String(loaded.source).replace(from, () => to) };
    },
  });
}
