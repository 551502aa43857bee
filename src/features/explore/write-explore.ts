import { UsageError } from "../../base/errors.ts";
import { toInstants } from "../../calendar/dates.ts";
import { HISTORY_DAYS } from "../../calendar/history.ts";
import { localDate } from "../../calendar/local-time.ts";
import type { DescribedSpend } from "../../export/described-spend.ts";
import type { Job } from "../../export/job.ts";
import { listsOf } from "../../export/job.ts";
import { fingerprintOf, type ManifestFile, settledUntil } from "../../export/manifest.ts";
import { resolveTimeframe } from "../../export/timeframe.ts";
import { type Calls, MARKS } from "../../figures/calls.ts";
import { Dictionary } from "../../figures/dictionary.ts";
import { isLocal, keyColumns } from "../../figures/dimensions.ts";
import { periodCodes } from "../../figures/time-keys.ts";
import type { Content } from "../../request/contents.ts";
import { EXPLORE_FILE } from "../../request/option-values.ts";
import type { FigureSession } from "../../rollup/figure-session.ts";
import { toExplorePage } from "./explore-page.ts";
import { CALL_ID, listCalls } from "./list-calls.ts";
import { packCalls } from "./packed-calls.ts";
import { outcomeLedger, sortCalls, spendLedger } from "./page-data.ts";
import type { PageFacts } from "./page-facts.ts";

/** More would make a file that mail and browsers refuse. */
const MAX_CALLS = 250_000;
/** The list doubles the file, and takes three times as long to make. */
const MAX_LISTED = 100_000;

export async function writeExplore(
  job: Job,
  { dimensions }: Extract<Content, { kind: "explore" }>,
): Promise<ManifestFile[]> {
  const { session } = listsOf(job);
  const { ask, manifest } = job;
  const { timezone } = ask;
  // Days outside of these have no calls, and calls without a start are on no day.
  const { periods: days } = await resolveTimeframe(
    session,
    { ...ask, grain: "day", compare: undefined },
    null,
  );
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined)
    throw new UsageError("Cannot make a page to explore: there are no calls", {
      hint: "Run `calltally sync`, or choose other days or another filter.",
    });
  const range = { from: first.period, to: last.period };
  const span = toInstants(range, timezone);
  const count = await countCalls(session, span);
  const most = ask.rows ? MAX_LISTED : MAX_CALLS;
  if (count > most)
    throw new UsageError(
      `Cannot make a page to explore ${ask.rows ? "that lists" : "of"} ${count} calls: the maximum is ${most}`,
      {
        hint: `Choose fewer days with --last or --from and --to, or fewer calls with a filter${ask.rows ? `, or leave out ${ask.spell("rows")}` : ""}; \`calltally report\` and \`calltally export\` have no such limit.`,
      },
    );
  const stored = dimensions.filter((dimension) => !isLocal([dimension]));
  const offsets = await session.readOffsets(timezone);
  const keys = keyColumns([...stored, "hour"]);
  const { calls, keys: codes } = await session.columns(ask.rows ? [CALL_ID, ...keys] : keys, {
    span,
    offsets,
  });
  const [ids] = ask.rows ? codes.splice(0, 1) : [];
  const listed = ids && listCalls(job, span, ids);
  const dayOf = periodCodes(calls.startsMs, days, new Dictionary());
  const packed = packCalls({
    // Listed calls are in the order of their times.
    ...sortCalls(calls, [
      { name: "day", codes: dayOf, values: undefined },
      ...(listed?.codes ?? []),
      ...codes,
    ]),
    spend: job.spend && spendLedger(job.spend, { span, periods: days }),
    outcomes: job.outcomes && (await outcomeLedger(session, { span, periods: days }, { keys, offsets })),
  });
  const described = { contents: "explore", rows: count, sums: sumsOf(calls) };
  const { exclude_callers, ...filter } = ask.filter;
  const { duration_unit, qualified_seconds } = session.rules;
  const facts: Omit<PageFacts, "sha256"> = {
    account: job.account ?? null,
    timezone,
    ...range,
    filter,
    excludedCallers: exclude_callers?.length ?? null,
    dimensions: [...stored, "weekday", "hour"],
    rules: { duration_unit, qualified_seconds },
    spend: job.spend && manifest.spend && { form: job.spend.form, described: withoutFiles(manifest.spend) },
    outcomes: job.outcomes && manifest.outcomes && { form: job.outcomes.form, described: manifest.outcomes },
    listed: listed?.columns,
    warehouse: job.basis,
    ...(await historyOf(session, timezone)),
    settledUntil: settledUntil(manifest.run, job.lookbackHours) ?? null,
    fingerprint: fingerprintOf({ ...manifest, files: [...manifest.files, described] }),
  };
  const page = toExplorePage(facts, packed);
  const audience = ask.with?.length ? "owner" : "shared";
  return [{ ...described, ...(await job.write(EXPLORE_FILE, page, audience)) }];
}

/** The names of imported files are of the computer, not of what they cost. */
function withoutFiles({ imports: _, ...described }: DescribedSpend) {
  return described;
}

async function countCalls(session: FigureSession, span: ReturnType<typeof toInstants>): Promise<number> {
  const { rows } = await session.rollup({ dimensions: [], figures: [], span });
  return Number([...rows][0]?.[0] ?? 0);
}

function sumsOf({ rows, marks }: Calls): Record<string, number> {
  const marked = (mark: number) => marks.reduce((sum, own) => sum + Number((own & mark) !== 0), 0);
  return { calls: rows, answered_calls: marked(MARKS.answered), missed_calls: marked(MARKS.missed) };
}

/** Returns the days from which on the copy has all calls, and enough calls before. */
async function historyOf(session: FigureSession, zone: string) {
  const first = await session.readFirstStart();
  if (first === null) return { coveredFrom: null, historyFrom: null };
  const history = new Date(Date.parse(first) + HISTORY_DAYS * 86_400_000).toISOString();
  return { coveredFrom: firstDayAfter(first, zone), historyFrom: firstDayAfter(history, zone) };
}

/** Returns the first day that begins at a moment or after it. */
function firstDayAfter(moment: string, zone: string): string {
  const day = localDate(moment, zone);
  const { startsAt = "", endsAt = "" } = toInstants({ from: day, to: day }, zone);
  return startsAt >= moment ? day : localDate(endsAt, zone);
}
