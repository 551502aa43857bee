import { UnmatchedError } from "../base/errors.ts";
import type { Job } from "../export/job.ts";
import { startManifest } from "../export/manifest.ts";
import { assertFilterShareSafe, toShareSafeStanding } from "../export/share-safe.ts";
import { resolveTimeframe } from "../export/timeframe.ts";
import type { Ask } from "../request/resolve.ts";
import type { FigureSession } from "../rollup/figure-session.ts";
import type { Moment, OpenSource } from "./source.ts";

/**
 * Starts a job: resolves its days to instants, and starts the manifest of files that are yet to be written.
 *
 * @throws UnmatchedError for a value of the filter that no call has
 */
export async function startJob(
  ask: Ask,
  moment: Moment,
  { lookbackHours }: OpenSource,
): Promise<Pick<Job, "ask" | "timeframe" | "spend" | "manifest">> {
  const { session, standing, published } = moment;
  const { raw = false, minCell } = ask;
  const isSpendAsked = ask.spend === true || (ask.spend === "if any" && moment.hasSpend());
  const loaded = isSpendAsked ? await session.loadSpend(ask.timezone) : undefined;
  if (!ask.isEmptyAllowed) await assertMatched(session, ask);
  const timeframe = await resolveTimeframe(session, ask);
  if (minCell !== undefined) assertFilterShareSafe(timeframe.filter);
  const spend = ask.spend === "if any" && loaded?.days(timeframe.span) === undefined ? undefined : loaded;
  const shown = minCell === undefined ? standing : toShareSafeStanding(standing, minCell);
  const manifest = await startManifest(shown, session, timeframe, { raw, lookbackHours, spend, published });
  return { ask, timeframe, spend, manifest };
}

/** Refuses values that no call has: the files would be correct but empty. */
async function assertMatched(session: FigureSession, { filter, spell }: Ask): Promise<void> {
  const unmatched = await session.findUnmatched(filter);
  if (unmatched.length > 0) throw new UnmatchedError(unmatched, spell);
}
