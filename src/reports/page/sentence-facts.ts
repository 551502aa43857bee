import { comparedInWords } from "../../base/calendar/compared-text.ts";
import { closedRange } from "../../base/calendar/dates.ts";
import { timeInWords } from "../../base/calendar/local-time.ts";
import type { Job } from "../../export/job.ts";
import type { Moved, Mover } from "../../export/sections/movers.ts";
import type { SentenceFacts } from "../../export/sentences/facts.ts";
import type { Counterpart } from "../../export/timeframe.ts";
import { loadNotices } from "../../features/load-notices.ts";
import type { Notice } from "../../features/notice.ts";
import { NOT_SET } from "../../figures/reserved-keys.ts";
import type { Figures } from "../../figures/sums.ts";
import type { SessionSpend } from "../../sources/session-spend.ts";
import type { SpendFigures } from "./report-figures.ts";

/** Figures as they are shown below the sentences. */
interface ShownFigures {
  total: Figures;
  compared: Counterpart | undefined;
  movers: Moved | undefined;
  spend: SpendFigures | undefined;
  /** What calls earned, of all. */
  earned: Figures | undefined;
  notices: readonly Notice[];
}

/**
 * Returns what the first sentences of a page or mail are found in, but for what is known only at its end. Keys of few
 * calls could be found out from others, so share-safe sentences are about all calls.
 */
export function sentenceFacts(
  job: Job,
  { total, compared, movers, spend, earned, notices }: ShownFigures,
): Omit<SentenceFacts, "statements" | "restatements"> {
  const { timeframe, outcomes } = job;
  const isShareSafe = job.ask.minCell !== undefined;
  const [range, before] = [timeframe.range, compared?.range ?? {}].map(closedRange);
  const isCompared = compared?.isCovered && !compared.isUnreached && range !== undefined;
  return {
    total,
    compared:
      isCompared && before !== undefined
        ? { times: compared.times, before: comparedInWords(range, { ...compared.range, ...before }) }
        : undefined,
    movers: isShareSafe ? NO_MOVERS : toMoved(movers),
    spend: isShareSafe ? undefined : job.spend && spend && spendFacts(job.spend, spend, job),
    outcomes: outcomes &&
      earned && { currency: outcomes.form.currency ?? null, by: outcomes.form.by, total: earned },
    notices: notices
      .filter(({ ended_at }) => ended_at === null)
      .map(({ dimension, name, kind, since, expected }) => ({
        dimension,
        name,
        kind,
        since: timeInWords(since, timeframe.timezone),
        expected,
      })),
  };
}

const NO_MOVERS = { up: [], down: [] };

function toMoved({ up, down }: Pick<Moved, "up" | "down"> = NO_MOVERS) {
  const toKey = ({ dimension, name, figures }: Mover) => {
    return { dimension, name, calls: Number(figures.calls), before: Number(figures.calls_previous) };
  };
  return { up: up.map(toKey), down: down.map(toKey) };
}

function spendFacts(
  imported: SessionSpend,
  { silent, count, withSpend }: SpendFigures,
  { timeframe }: Job,
): SentenceFacts["spend"] {
  const { currency } = imported.form;
  if (currency === undefined) return undefined;
  const unknown = imported.unmatched(timeframe.span);
  return {
    currency,
    cost: Number(withSpend.cost),
    calls: Number(withSpend.calls),
    campaigns: count,
    silent: silent
      .filter(({ campaign, campaign_id: id }) => campaign !== NOT_SET || id !== null)
      .map(({ campaign, campaign_id: id, cost }) => {
        const isOf = (given: string | null, own: unknown) =>
          given === own || (given === null && own === NOT_SET);
        return {
          name: campaign === NOT_SET ? `[${id}]` : String(campaign),
          cost: Number(cost),
          isKnown: !unknown.some((each) => each.campaign_id === id && isOf(each.campaign, campaign)),
        };
      }),
  };
}

/** Reads the notices within the days. One is about all calls, so a page of some of them, or without small numbers, has none. */
export async function readPageNotices({ ask, lists, timeframe: { span } }: Job): Promise<readonly Notice[]> {
  const isOfAll = ask.minCell === undefined && Object.keys(ask.filter).length === 0;
  if (lists === undefined || !isOfAll) return [];
  const { startsAt = "", endsAt = "" } = span;
  const { read } = await loadNotices();
  return read(lists.reader, startsAt).filter(({ since }) => since < endsAt);
}
