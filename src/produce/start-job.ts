import { UnmatchedError } from "../base/errors.ts";
import type { Job } from "../export/job.ts";
import { startManifest } from "../export/manifest.ts";
import { resolveScope } from "../export/scope.ts";
import { assertFilterShareSafe, toShareSafeStanding } from "../export/share-safe.ts";
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
): Promise<Pick<Job, "ask" | "scope" | "spend" | "manifest">> {
  const { session, standing, published } = moment;
  const { raw = false, minCell } = ask;
  const isSpendAsked = ask.spend === true || (ask.spend === "if any" && moment.hasSpend());
  const loaded = isSpendAsked ? await session.loadSpend(ask.timezone) : undefined;
  if (!ask.isEmptyAllowed) await assertMatched(session, ask);
  const scope = await resolveScope(session, ask);
  if (minCell !== undefined) assertFilterShareSafe(scope.filter);
  const spend = ask.spend === "if any" && loaded?.days(scope.span) === undefined ? undefined : loaded;
  const shown = minCell === undefined ? standing : toShareSafeStanding(standing, minCell);
  const manifest = await startManifest(shown, session, scope, { raw, lookbackHours, spend, published });
  return { ask, scope, spend, manifest };
}

/** Refuses values that no call has: the files would be correct but empty. */
async function assertMatched(session: FigureSession, { filter, spell }: Ask): Promise<void> {
  const unmatched = await session.findUnmatched(filter);
  if (unmatched.length > 0) throw new UnmatchedError(unmatched, spell);
}
