import { toInstants } from "../../base/calendar/dates.ts";
import { HISTORY_DAYS } from "../../base/calendar/history.ts";
import { localDate } from "../../base/calendar/local-time.ts";
import { UsageError } from "../../base/errors.ts";
import { inLocale } from "../../base/text/locale.ts";
import type { Content } from "../../config/request/contents.ts";
import { EXPLORE_FILE } from "../../config/request/option-values.ts";
import type { ExportJob } from "../../export/job.ts";
import { listsOf } from "../../export/job.ts";
import { toDataUrl } from "../../export/letterhead/logo.ts";
import { fingerprintOf, type ManifestFile, settledUntil } from "../../export/manifest.ts";
import type { DescribedSpend } from "../../export/statements/range-schema.ts";
import { resolveTimeframe } from "../../export/timeframe.ts";
import { isLocal } from "../../figures/dimensions.ts";
import type { FigureSession } from "../../sources/figure-session.ts";
import { toExplorePage } from "./explore-page.ts";
import { packGroups, packLines } from "./pack-page.ts";
import type { PageFacts } from "./page-facts.ts";

export async function writeExplore(
  job: ExportJob,
  { dimensions }: Extract<Content, { kind: "explore" }>,
): Promise<ManifestFile[]> {
  const { session } = listsOf(job);
  const { ask, manifest, letterhead } = job;
  const { timezone } = ask;
  // Days outside of these have no calls, and calls without a start are on no day.
  const { periods: days } = await resolveTimeframe(session, { ...ask, grain: "day", compare: [] }, null);
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined)
    throw new UsageError("Cannot make a page to explore: there are no calls", {
      hint: "Run `calltally sync`, or choose other days or another filter.",
    });
  const range = { from: first.period, to: last.period };
  const span = toInstants(range, timezone);
  const stored = dimensions.filter((dimension) => !isLocal([dimension]));
  const pack = ask.minCell === undefined ? packLines : packGroups;
  const { packed, described, listed } = await pack(job, stored, { span, periods: days });
  const { exclude_callers, ...filter } = ask.filter;
  const { duration_unit, qualified_seconds, hours, topics } = session.rules;
  const facts: Omit<PageFacts, "sha256"> = {
    account: job.account ?? null,
    name: letterhead.name ?? null,
    logo: letterhead.logo ? toDataUrl(letterhead.logo) : null,
    locale: letterhead.locale ?? null,
    timezone,
    ...range,
    filter,
    excludedCallers: exclude_callers?.length ?? null,
    dimensions: [
      ...stored,
      ...(ask.minCell === undefined ? (["weekday", "hour"] as const) : (["weekday"] as const)),
    ],
    minCell: ask.minCell ?? null,
    rules: { duration_unit, qualified_seconds, hours },
    hasTopics: topics.length > 0,
    verified: job.readCoverage().verified,
    spend: job.spend && manifest.spend && { form: job.spend.form, described: withoutFiles(manifest.spend) },
    outcomes: job.outcomes && manifest.outcomes && { form: job.outcomes.form, described: manifest.outcomes },
    listed,
    warehouse: job.basis,
    ...(await historyOf(session, timezone)),
    settledUntil: settledUntil(manifest.run, job.lookbackHours) ?? null,
    fingerprint: fingerprintOf({ ...manifest, files: [...manifest.files, described] }),
  };
  const page = inLocale(letterhead.locale, () => toExplorePage(facts, packed));
  const audience = ask.with?.length ? "owner" : "shared";
  return [{ ...described, ...(await job.write(EXPLORE_FILE, page, audience)) }];
}

/** The names of imported files are of the computer, not of what they cost. */
function withoutFiles({ imports: _, ...described }: DescribedSpend) {
  return described;
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
