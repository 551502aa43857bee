import { answerTable, figuresOfPage } from "../../../src/features/explore/browser/answers.ts";
import { PageCalls } from "../../../src/features/explore/browser/page-calls.ts";
import { defaultView } from "../../../src/features/explore/browser/view.ts";
import { readPage } from "../../features/explore/read-page.ts";
import { onTheWall } from "../../support/scene/clock.ts";
import { type Asked, figuresOf, type OracleAccount, type OracleRow } from "../../support/scene/oracle.ts";
import { isDone, isRunOf, readTable, toCall } from "../looks.ts";
import type { Ran, World } from "../types.ts";
import type { Client, Question } from "./types.ts";

/** Figures that add up over the rows of a period. */
const ADDITIVE = [
  "calls",
  "answered_calls",
  "missed_calls",
  "first_time_callers",
  "qualified_calls",
  "total_duration_seconds",
  "booked_calls",
  "sold_calls",
  "revenue",
];
const FIGURES = [...ADDITIVE, "unique_callers"];

/** The truth of a client, as the oracle takes it. */
function truthOf({ timezone, rules, jobs, counted }: Client): OracleAccount | undefined {
  if (counted === undefined) return undefined;
  return {
    timezone,
    rules: {
      ...{ answered: ["answered"], missed: ["missed"], duration_unit: "seconds" },
      ...{ aliases: rules.aliases, channels: [], topics: [], hours: undefined },
      qualified_seconds: rules.qualified_seconds,
    },
    calls: [...counted.values()].map(toCall),
    gone: new Set(),
    spend: [],
    jobs: jobs.map(({ list, id, callId, day, stage, cents }) => ({
      ...{ list, day, job_id: id, call_id: callId },
      stage: stage === "maybe" ? "lost" : stage,
      amount_micros: cents === null ? null : cents * 10_000,
    })),
  };
}

/** Returns what a row shows, without blanks and zeros. */
const shown = (row: Record<string, string | number | null | undefined>) =>
  FIGURES.flatMap((name) => (Number(row[name] ?? 0) === 0 ? [] : [`${name} ${Number(row[name])}`])).join(
    ", ",
  );

const keyOf = (row: Record<string, string | number | null | undefined>) =>
  `${row.period ?? ""} ${row.account ?? ""} ${row.source ?? ""}`.trim();

type Row = Record<string, string | number | null | undefined>;

/** Returns the first row that differs; rows without any figure may be missing. */
function compare(what: string, actual: readonly Row[], expected: readonly Row[]): string | undefined {
  const [is, has] = [expected, actual].map((rows) => new Map(rows.map((row) => [keyOf(row), shown(row)])));
  for (const key of new Set([...(is?.keys() ?? []), ...(has?.keys() ?? [])])) {
    if ((is?.get(key) ?? "") !== (has?.get(key) ?? ""))
      return `${what}, ${key}: ${has?.get(key)} instead of ${is?.get(key)}`;
  }
  return undefined;
}

const askedOf = ({ from, to, grain, revenueBy }: Question): Asked => ({
  by: ["source"],
  range: { from, to },
  grain,
  outcomes: true,
  revenue_by: revenueBy,
  total: true,
});

/** The client of an export, if it is the one asked about and its truth is known. */
function questionOf(world: World, ran: Ran | "the end", ...words: string[]) {
  if (!isRunOf(ran, ...words) || !isDone(ran) || world.question === undefined) return undefined;
  return world.question;
}

export function checkFigures(world: World, ran: Ran | "the end"): string | undefined {
  const question = questionOf(world, ran, "export", "source");
  const truth = question && truthOf(question.client);
  if (question === undefined || truth === undefined) return undefined;
  world.count("figures compared");
  const { name, timezone } = question.client;
  const rows = readTable(world.path("looks", name, "source.csv"));
  const sum = (of: readonly Row[], figure: string) =>
    of.reduce((all, row) => all + Math.round(100 * Number(row[figure] ?? 0)), 0);
  const [totals, parts] = [true, false].map((isTotal) =>
    rows.filter((row) => Object.values(row).includes("(total)") === isTotal),
  );
  for (const figure of ADDITIVE) {
    if (sum(totals ?? [], figure) !== sum(parts ?? [], figure))
      return `${figure} of ${name} add up to ${sum(parts ?? [], figure)}, and their total is ${sum(totals ?? [], figure)}`;
  }
  const ids = readTable(world.path("looks", name, "calls.csv")).map(({ call_id }) => Number(call_id));
  const isIn = (time: string) => {
    const { day } = onTheWall(time, timezone);
    return day >= question.from && day <= question.to;
  };
  const expected = truth.calls
    .filter(({ call_started }) => isIn(call_started ?? ""))
    .map(({ call_id }) => call_id);
  const missing = expected.find((id) => !ids.includes(id)) ?? ids.find((id) => !expected.includes(id));
  if (missing !== undefined) return `the list of calls of ${name} differs by call ${missing}`;
  return compare(`${name} (${JSON.stringify(askedOf(question))})`, rows, figuresOf(truth, askedOf(question)));
}

export function checkMerged(world: World, ran: Ran | "the end"): string | undefined {
  const question = questionOf(world, ran, "export", "account,source");
  if (question === undefined) return undefined;
  const expected: OracleRow[] = [];
  for (const client of world.clients) {
    const truth = truthOf(client);
    if (truth === undefined) return undefined;
    const asked = { ...askedOf(question), revenue_by: "call" as const };
    const { total: _, ...rows } = asked;
    expected.push(...figuresOf(truth, rows).map((row) => ({ ...row, account: client.name })));
  }
  world.count("files of all clients compared");
  return compare("all clients", readTable(world.path("looks/all/account-source.csv")), expected);
}

/** The page's own script answers for the days of the file, as a reader's browser does. */
export async function checkExplore(world: World, ran: Ran | "the end"): Promise<string | undefined> {
  const question = questionOf(world, ran, "report", "--explore");
  const truth = question && truthOf(question.client);
  if (question === undefined || truth === undefined) return undefined;
  world.count("pages to explore compared");
  const { name } = question.client;
  const { facts, data } = readPage(world.path("looks", name, "explore/explore.html"));
  const calls = new PageCalls(facts, data);
  const figures = figuresOfPage(facts).map((figure) => figure.name);
  const days = { from: facts.from, to: facts.to };
  const view = {
    ...defaultView(facts, figures),
    ...{ days, compare: undefined, by: ["source"] as const },
    figures: FIGURES.filter((figure) => figures.includes(figure)),
  };
  const { columns, rows, totals } = await answerTable({ facts, calls }, view);
  const toRow = (values: readonly unknown[]): Row =>
    Object.fromEntries(columns.map((column, index) => [column.name, cellOf(values[index])]));
  const { grain: _, revenue_by: __, ...asked } = askedOf(question);
  const actual = [...rows, ...totals.map(({ values }) => values)].map(toRow);
  const problem = compare(`the page of ${name}`, actual, figuresOf(truth, asked));
  if (problem !== undefined || question.revenueBy !== "call") return problem;
  const exported = readTable(world.path("looks", name, "source.csv")).filter(
    ({ period }) => period !== "(total)",
  );
  for (const figure of ADDITIVE) {
    const [here, there] = [actual.slice(0, rows.length), exported].map((of) =>
      of.reduce((sum, row) => sum + Math.round(100 * Number(row[figure] ?? 0)), 0),
    );
    if (here !== there) return `${figure} of the page of ${name} is ${here}, and export writes ${there}`;
  }
  return undefined;
}

const cellOf = (value: unknown) => (typeof value === "number" || typeof value === "string" ? value : null);
