import { localMinute } from "../../base/calendar/local-time.ts";
import { ageOf, isFuture } from "../../base/clock.ts";
import { EXIT } from "../../base/errors.ts";
import { formatAge } from "../../base/text/quantity-text.ts";
import type { Settings } from "../../config/load-settings.ts";
import { readStatements } from "../../export/statements/read-statements.ts";
import { say } from "../../export/statements/statements.ts";
import { readPublications } from "../../warehouse/publication-table.ts";
import { readJobs } from "../../warehouse/runs/job-table.ts";
import { readLastVerifiedPass, readRunsAsEnded } from "../../warehouse/runs/runs.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { type Check, needingSync, ok, type SyncedCheck, unverified, warn } from "./check.ts";

const HOUR_MS = 3_600_000;
const UNDELIVERED = "`calltally status` shows who did not get it, and why. The next report goes to all.";
const PUBLISH = "Fix that, and run `calltally publish`.";

/** The checks of what was done with a warehouse. */
export const RUN_CHECKS: readonly ((
  warehouse: Reader,
  settings: Settings,
  nowMs: number,
) => readonly (Check | SyncedCheck)[])[] = [
  (warehouse, { timezone }, nowMs) => [needingSync(checkLastRun(warehouse, timezone, nowMs))],
  (warehouse, settings) => checkStatements(warehouse, settings).map(needingSync),
  (warehouse, { fullEveryHours }, nowMs) => [needingSync(checkVerified(warehouse, fullEveryHours, nowMs))],
  (warehouse, _, nowMs) => checkJobs(warehouse, nowMs),
  (warehouse, { publish }, nowMs) => checkPublications(warehouse, nowMs, publish.to?.name),
];

function checkLastRun(warehouse: Reader, timezone: string, nowMs: number): Check {
  const [last] = readRunsAsEnded(warehouse, 1);
  if (last === undefined) return warn("last run", "there has been none", "Run `calltally sync`.");
  const named = `run ${last.run_id} of ${localMinute(last.started_at, timezone)}`;
  if (isFuture(last.finished_at ?? last.started_at, nowMs)) {
    const hint =
      "Correct this machine's clock, and run `calltally sync`. Until then the time of that run is ignored.";
    return warn("last run", `${named} is dated in the future`, hint);
  }
  if (last.status === "failed" || last.status === "interrupted") {
    const problem = `${named} ${last.status}: ${last.error}`;
    return warn("last run", problem, "Run `calltally sync` again.");
  }
  if (last.status === "running") return ok("last run", `${named} is running`);
  return ok("last run", `${named} ended ${last.verdict}`);
}

/** Checks for statements on all figures. */
function checkStatements(warehouse: Reader, settings: Settings): Check[] {
  const checks = readStatements(warehouse, settings).map((statement): Check => {
    const { id, level } = statement;
    const { text, hint = "See `calltally status`." } = say(statement);
    const name = id.replaceAll("_", " ");
    if (level === "note") return ok(name, text);
    return level === "doubt" ? unverified(name, text, hint) : warn(name, text, hint);
  });
  return checks.length > 0 ? checks : [ok("figures", "nothing is known to put them in doubt")];
}

/** Checks the age of the last proof that no call is missing. */
function checkVerified(warehouse: Reader, fullEveryHours: number, nowMs: number): Check {
  const last = readLastVerifiedPass(warehouse);
  const hint = "Run `calltally sync --full`, and read its verdict.";
  if (!last?.finished_at) return unverified("verified", "no full pass has been verified yet", hint);
  const ageMs = ageOf(last.finished_at, nowMs);
  const pass = `run ${last.run_id} read every call, ${formatAge(ageMs)}`;
  // The next one is due after this time; twice that allows for a schedule that pauses at night.
  if (ageMs > 2 * Math.max(fullEveryHours, 1) * HOUR_MS) return unverified("verified", pass, hint);
  return ok("verified", pass);
}

function checkJobs(warehouse: Reader, nowMs: number): Check[] {
  return readJobs(warehouse).flatMap(({ job, failing_since, exit_code, error }) => {
    if (failing_since === null) return [];
    const since = formatAge(ageOf(failing_since, nowMs));
    const failure = `failed ${since}, and has not succeeded since; exit ${exit_code}${error === null ? "" : `: ${error}`}`;
    // Running the job again would not repeat a report already delivered to some.
    const isMade = exit_code === EXIT.undelivered && error === null;
    const hint = isMade ? UNDELIVERED : `Fix that, and run \`calltally job ${job}\`.`;
    return [warn(`job ${job}`, failure, hint)];
  });
}

/** Checks that the clusters are up to date. */
function checkPublications(warehouse: Reader, nowMs: number, to: string | undefined): Check[] {
  return readPublications(warehouse, to).map(({ target, published_at, error, is_behind }) => {
    const age = published_at === null ? "not yet" : formatAge(ageOf(published_at, nowMs));
    const name = "published";
    if (error !== null) return warn(name, `${age}; the last attempt failed: ${error}`, PUBLISH);
    if (is_behind) return warn(name, `${age}, and is behind; ${target}`, PUBLISH);
    return ok(name, `${age}, to ${target}`);
  });
}
