import { z } from "zod";
import { parseDate, toInstants } from "../base/calendar/dates.ts";
import { SPAN_COMPARISONS } from "../base/calendar/grain.ts";
import { UsageError } from "../base/errors.ts";
import { readAttributionRules } from "../config/attribution-settings.ts";
import { option, parsed } from "../config/request/issues.ts";
import { FILTER_DESCRIPTION } from "../config/request/options.ts";
import { parseTimeZone } from "../config/time-zone.ts";
import { FEATURES } from "../features/list.ts";
import { loadNotices } from "../features/load-notices.ts";
import { parse, rollupQuestion } from "../library/parse-options.ts";
import { explainAt, noCallError } from "../operate/explain/explain-call.ts";
import { findProblems } from "../operate/status/find-problems.ts";
import { readStatusOf, type Status } from "../operate/status/read-status.ts";
import { readNewestCall } from "../warehouse/calls/call-table.ts";
import { type QueryResult, runQuery, type SqlValue } from "../warehouse/run-query.ts";
import type { Answer } from "./answer.ts";
import { askComparison, askFigures } from "./ask-figures.ts";
import { readMoment, type Scope } from "./moment.ts";

export interface Tool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  /** Whether it answers for all accounts if none is named. */
  isOfAll?: true;
  /** @throws UsageError for arguments that cannot be used */
  answer: (scope: Scope, args: unknown) => Answer | Promise<Answer>;
}

function tool<Args>(
  described: Omit<Tool, "answer"> & { input: z.ZodType<Args> },
  answer: (scope: Scope, args: Args) => Answer | Promise<Answer>,
): Tool {
  return { ...described, answer: (scope, args) => answer(scope, parse(described.input, args)) };
}

const { by, range, timezone, filter, top, total } = rollupQuestion.shape;

const FIGURES = tool(
  {
    name: "figures",
    title: "Figures of calls",
    description:
      "Counts calls, callers, durations and costs, grouped by dimensions and periods. A share is 0 to 1, and null means no value. Days are those of the time zone in basis.",
    input: rollupQuestion,
  },
  askFigures,
);

const COMPARE = tool(
  {
    name: "compare",
    title: "What changed between two times",
    description:
      "Compares the calls of a closed range with the time before or the year before, largest change first. calls_change is a share: 0.25 is a quarter more. calls_within_chance says that such a change is likely even if nothing has changed.",
    input: z.strictObject({
      by: option(by, "What to group by, combined; by default, channel."),
      range: range.unwrap(),
      against: option(
        z.enum(SPAN_COMPARISONS),
        "The time before, by default; or the same dates, or the same weekdays, a year earlier.",
      ),
      timezone,
      filter,
      top,
      total,
    }),
  },
  askComparison,
);

const EXPLAIN = tool(
  {
    name: "explain_call",
    title: "How a call was attributed",
    description:
      "Shows why a call has its source, campaign, channel and outcome, whether it is qualified, and why it is or is not uploaded to ad platforms.",
    input: z.strictObject({
      call_id: z.int().meta({ description: "The service's identifier of the call." }),
      timezone,
    }),
  },
  (scope, { call_id: callId, timezone }) => {
    const { settings } = scope;
    return readMoment(scope, async (moment) => {
      const rules = readAttributionRules(settings);
      const zone = timezone === undefined ? settings.timezone : parseTimeZone(timezone);
      const explained = await explainAt(moment, { callId, rules, timezone: zone });
      if (explained === undefined) throw noCallError(callId, settings.database);
      const { data } = explained;
      return { data, until: data.call_started, less: "calltally explain shows all." };
    });
  },
);

const TIME = z.iso.datetime({ offset: true });
const dayOrTime = parsed((text) => parseDate(TIME.safeParse(text).success ? text.slice(0, 10) : text));

/** Returns what finds changes, by the features whose findings they are. */
async function loadFinders() {
  const loaded = FEATURES.map(async ({ name, loadFindings }) => ({ name, find: await loadFindings?.() }));
  return (await Promise.all(loaded)).flatMap(({ name, find }) => (find ? [{ name, find }] : []));
}

const CHANGED = tool(
  {
    name: "what_changed",
    title: "What changed or went silent",
    description:
      "Lists figures of complete periods that changed after they were exported, with the old value, the new value and why; and notices, which are tracking numbers, sources and campaigns whose calls went silent or far off. Latest first.",
    input: z.strictObject({
      since: option(
        dayOrTime,
        "Only what was found on this local day or later, or since this time.",
        "2026-11-01",
        "2026-11-01T09:00:00Z",
      ),
    }),
  },
  async (scope, { since }) => {
    const finders = await loadFinders();
    return readMoment(scope, ({ reader }) => {
      const from = since && toInstant(since, scope);
      const kinds = finders.map(({ name, find }) => ({ name, ...find(reader, from) }));
      return {
        data: Object.fromEntries(kinds.map(({ name, rows }) => [name, rows])),
        until: kinds.flatMap(({ ends }) => ends).reduce((a, b) => (a > b ? a : b), ""),
        less: "Ask with a later since.",
      };
    });
  },
);

const STATUS = tool(
  {
    name: "status",
    title: "How fresh and complete the copy is",
    description:
      "Shows what the last syncs proved, how many calls there are, what fails, what is silent or far off, and when the next sync is due. Ask before relying on the figures of recent days.",
    isOfAll: true,
    input: z.strictObject({}),
  },
  async (scope) => {
    const notices = await loadNotices();
    return readMoment(scope, ({ reader }) => {
      const status = readStatusOf(reader, scope.settings, { ...scope, runs: 1, notices });
      return { data: condense(status), until: status.newest_call, less: "calltally status shows all." };
    });
  },
);

/** Characters of rows that are read at most, and of a value; an answer holds less. */
const MAX_READ = 100_000;
const MAX_VALUE = 250;

const QUERY = tool(
  {
    name: "query",
    title: "SQL",
    description:
      "Runs one SQL statement of SQLite that only reads. The view attributed_calls has a row for each call; SELECT name, sql FROM sqlite_schema shows the other views and tables.",
    input: z.strictObject({ sql: z.string().meta({ description: "SELECT, WITH, VALUES or EXPLAIN." }) }),
  },
  (scope, { sql }) =>
    readMoment(scope, ({ reader }) => {
      const until = readNewestCall(reader);
      return {
        data: { rows: readRows(runQuery(reader, sql)) },
        until,
        less: "There may be more that were not read. Use LIMIT, WHERE or GROUP BY.",
      };
    }),
);

/** Reads more rows than an answer holds, but not all. @throws UsageError if two columns have the same name */
function readRows({ columns, rows }: QueryResult): Record<string, string | number | null>[] {
  const twice = columns.find((name, index) => columns.indexOf(name) !== index);
  if (twice !== undefined)
    throw new UsageError("Cannot name the columns: two have the same name", {
      hint: "Give one of them another name with AS.",
    });
  const read: Record<string, string | number | null>[] = [];
  let length = 0;
  for (const row of rows) {
    const named = Object.fromEntries(columns.map((name, index) => [name, toPlain(row[index] ?? null)]));
    read.push(named);
    length += JSON.stringify(named).length;
    if (length > MAX_READ) break;
  }
  return read;
}

const TOOLS: readonly Tool[] = [FIGURES, COMPARE, EXPLAIN, CHANGED, STATUS];

/** With it, anybody who knows a number could find its calls by what is missing. */
const WITHOUT_CALLERS = {
  filter: option(filter.unwrap().omit({ exclude_callers: true }), FILTER_DESCRIPTION),
};

const ACCOUNTS_NAMED = 20;

/** Returns the tools of a server, each with an argument for the account if there are several. */
export function toolsFor(
  accounts: readonly string[],
  { sql, isPersonal }: { sql: boolean; isPersonal: boolean },
): readonly Tool[] {
  const account = option(
    z.enum(accounts),
    `Whose calls: ${accounts.slice(0, ACCOUNTS_NAMED).join(", ")}${accounts.length > ACCOUNTS_NAMED ? ", …" : ""}. Without it, status is of all, and other tools say which there are.`,
  );
  return [...TOOLS, ...(sql ? [QUERY] : [])].map(({ input, ...tool }) => {
    const known = isPersonal || !("filter" in input.shape) ? input : input.extend(WITHOUT_CALLERS);
    return { ...tool, input: accounts.length < 2 ? known : known.extend({ account }) };
  });
}

function toInstant(since: string, { settings }: Scope): string | undefined {
  return since.includes("T")
    ? new Date(since).toISOString()
    : toInstants({ from: since }, settings.timezone).startsAt;
}

function condense(status: Status) {
  const { calls, last_done_run, last_verified_pass: proven, newest_call, next } = status;
  const reports = status.reports.map((report) => ({
    ...report,
    deliveries: report.deliveries.map((delivery) => ({
      ...delivery,
      recipient: "its recipient",
      last_error: null, // what its server said
    })),
  }));
  return {
    last_proven_pass: proven && { run_id: proven.run_id, finished_at: proven.finished_at },
    newest_call,
    calls: calls.live,
    calls_gone: calls.gone,
    calls_of_the_service: last_done_run?.last_total ?? null,
    // Statements are in the basis; sentences on notices would quote what visitors wrote.
    ...findProblems({ ...status, reports, statements: [], notices: [] }),
    notices: status.notices.map(({ shared }) => shared),
    next_sync: { mode: next.plan, at: next.sync, not_before: next.not_before },
  };
}

function toPlain(value: SqlValue) {
  if (Buffer.isBuffer(value)) return value.subarray(0, MAX_VALUE).toString("hex");
  // A copy: a part of a text would keep the whole in memory.
  if (typeof value === "string") return Buffer.from(value.slice(0, MAX_VALUE)).toString();
  if (typeof value !== "bigint") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}
