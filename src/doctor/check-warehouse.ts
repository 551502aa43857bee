import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { ageOf, isFuture, minuteOf } from "../base/clock.ts";
import { CalltallyError, describeError, EXIT, UsageError } from "../base/errors.ts";
import { toCalltallyError } from "../base/known-error.ts";
import { formatAge, formatQuantity } from "../base/quantity-text.ts";
import { isAllKept, KEEP_KINDS, type Keep, KIND_NAMES, toKeepText } from "../privacy/keep-settings.ts";
import { hasAllFacts } from "../warehouse/calls/attribute-all.ts";
import { readCallCount, readLatestTranscripts } from "../warehouse/calls/call-table.ts";
import { openCallerDigests } from "../warehouse/calls/caller-hash.ts";
import { readWithheld } from "../warehouse/calls/gone.ts";
import { countOtherUnits } from "../warehouse/calls/other-units.ts";
import { checkRowHashes, describeDamaged } from "../warehouse/calls/row-hashes.ts";
import { findUnmatchedDispositions } from "../warehouse/calls/unmatched-dispositions.ts";
import { findDamage } from "../warehouse/integrity.ts";
import { openWarehouseReader } from "../warehouse/open.ts";
import { assertOrigin, describeOrigin, originInWords, readOrigin } from "../warehouse/origin.ts";
import { readPublications } from "../warehouse/publication-table.ts";
import { readJobs } from "../warehouse/runs/job-table.ts";
import { readLastFileCheck, readLastVerifiedPass, readPause, readRuns } from "../warehouse/runs/runs.ts";
import { isDamage, sqliteErrorOf } from "../warehouse/sqlite-errors.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { type Check, fail, ok, unverified, warn } from "./check.ts";
import type { DurationSample } from "./check-duration.ts";

const HOUR_MS = 3_600_000;
/** Calls whose transcripts are compared with their durations. */
const SAMPLES = 500;

export interface WarehouseOptions {
  folder: string;
  database: string;
  fullEveryHours: number;
  /** Address of the API, where one is set. */
  baseUrl: URL | undefined;
  /** The organization unit that calls are asked of. */
  orgUnitId: string | undefined;
  rules: Pick<AttributionRules, "answered" | "missed">;
  keep: Keep;
  /** The cluster that is published to, where the settings name one. */
  publishTo: string | undefined;
  /** Check the whole file, and compute the hash of every row anew. */
  deep: boolean;
  nowMs: number;
  signal: AbortSignal;
}

/** What the warehouse shows. */
export interface WarehouseFindings {
  checks: Check[];
  /** The latest calls that have a transcript. */
  samples: DurationSample[];
  /** Until when the service asked for a pause, ISO 8601 UTC. */
  notBefore: string | undefined;
}

/** Looks at the warehouse, and changes nothing in it. */
export async function checkWarehouse(options: WarehouseOptions): Promise<WarehouseFindings> {
  const file = resolve(options.folder, options.database);
  const found: WarehouseFindings = { checks: [], samples: [], notBefore: undefined };
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) {
      found.checks.push(warn("warehouse", `there is none at ${file}`, "Run `calltally sync`."));
      return found;
    }
    using warehouse = openWarehouseReader(file);
    for await (const check of lookInto(warehouse, options)) found.checks.push(check);
    found.notBefore = readPause(warehouse, options.nowMs);
    found.samples = readLatestTranscripts(warehouse, SAMPLES);
  } catch (error) {
    if (options.signal.aborted) throw error;
    found.checks.push(failedCheck(error));
  }
  return found;
}

async function* lookInto(warehouse: Warehouse, options: WarehouseOptions): AsyncGenerator<Check> {
  const { deep, nowMs, rules, signal } = options;
  const found = deep ? findDamage(warehouse) : undefined;
  if (found !== undefined) {
    yield fail(EXIT.storage, "warehouse", `${warehouse.path} is damaged: ${found}`, RESTORE);
    return;
  }
  yield ok("warehouse", `${formatQuantity(readCallCount(warehouse), "call")} in ${warehouse.path}`);
  yield ok("file", deep ? "whole, all of it checked just now" : describeLastCheck(warehouse, nowMs));
  if (deep) {
    yield hasAllFacts(warehouse)
      ? ok("facts", "every call has its facts, and is counted")
      : fail(EXIT.storage, "facts", "calls lack their facts, and are missing in figures", REATTRIBUTE);
    const hashes = await checkRowHashes(warehouse, signal);
    yield hashes.damaged > 0
      ? fail(EXIT.storage, "row hashes", describeDamaged(hashes), RESTORE)
      : ok("row hashes", `${formatQuantity(hashes.checked, "call")} as they were read from the service`);
  }
  yield checkKept(warehouse, options);
  yield checkOrigin(warehouse, options);
  yield* checkUnit(warehouse);
  for (const { setting, word, advice } of findUnmatchedDispositions(warehouse, rules)) {
    yield warn(setting, `no call in the warehouse has the disposition ${word}`, advice);
  }
  yield checkLastRun(warehouse, nowMs);
  yield checkVerified(warehouse, options);
  yield* checkJobs(warehouse, nowMs);
  yield* checkPublications(warehouse, nowMs, options.publishTo);
}

/** When the file was last checked for damage; `--deep` does it now. */
function describeLastCheck(warehouse: Warehouse, nowMs: number): string {
  const checkedAt = readLastFileCheck(warehouse);
  if (checkedAt === undefined) return "the next sync checks all of it for damage";
  return `whole, checked by sync ${formatAge(ageOf(checkedAt, nowMs))}; --deep checks it now`;
}

const REATTRIBUTE = "Run `CALLTALLY_CHECK_EVERY_HOURS=0 calltally sync`, which recomputes all of them.";

const RESTORE = "Run `calltally restore` with a backup; without one, move the file away and sync again.";

/** What is kept of calls, and whether callers can still be told apart without it. */
function checkKept(warehouse: Warehouse, { keep }: WarehouseOptions): Check {
  try {
    openCallerDigests(warehouse);
  } catch (error) {
    if (!(error instanceof CalltallyError)) throw error;
    return fail(error.exitCode, "kept", error.message, error.hint);
  }
  if (isAllKept(keep)) return ok("kept", "all that the service gives of a call, always");
  return ok("kept", KEEP_KINDS.map((kind) => `${KIND_NAMES[kind]} ${toKeepText(keep[kind])}`).join(", "));
}

/** Whether the warehouse is a copy of the service that the settings name. */
function checkOrigin(warehouse: Warehouse, { baseUrl, orgUnitId }: WarehouseOptions): Check {
  try {
    if (baseUrl !== undefined) assertOrigin(warehouse, { baseUrl, orgUnitId });
    return ok("origin", originInWords(describeOrigin(readOrigin(warehouse))));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return fail(error.exitCode, "origin", error.message, error.hint);
  }
}

/** Whether the calls are of the organization unit that was asked for. */
function checkUnit(warehouse: Warehouse): Check[] {
  const asked = readOrigin(warehouse).org_unit_id;
  if (asked === null) return [];
  const others = countOtherUnits(warehouse);
  if (others === 0) return [ok("org_unit_id", `no call is known to be of another than ${asked}`)];
  return [
    warn(
      "org_unit_id",
      `${formatQuantity(others, "call")} of another than ${asked}, which was asked for`,
      "The service may ignore the parameter, or mean something else by it: ask its support. `calltally export org_unit` writes the units there are.",
    ),
  ];
}

/** Whether the last run came to its end. */
function checkLastRun(warehouse: Warehouse, nowMs: number): Check {
  const [last] = readRuns(warehouse, 1);
  if (last === undefined) return warn("last run", "there has been none", "Run `calltally sync`.");
  const named = `run ${last.run_id} of ${minuteOf(last.started_at)} UTC`;
  if (isFuture(last.finished_at ?? last.started_at, nowMs)) {
    const hint =
      "Mend the clock of this machine, and run `calltally sync`. Until then the time of that run decides nothing.";
    return warn("last run", `${named} is dated in the future`, hint);
  }
  if (last.status === "failed" || last.status === "interrupted") {
    return warn("last run", `${named} ${last.status}: ${last.error}`, "Run `calltally sync` again.");
  }
  if (last.status === "running") return ok("last run", `${named} is running, or was killed`);
  const withheld = readWithheld(warehouse);
  if (withheld > 0) {
    return unverified(
      "last run",
      `${formatQuantity(withheld, "call")} went missing at once, over the missing-call threshold, and still count in every figure`,
      `Find out why; to accept it: calltally sync --full --accept-gone ${withheld}`,
    );
  }
  if (last.verdict !== "unverified") return ok("last run", `${named} ended ${last.verdict}`);
  return unverified(
    "last run",
    `${named} is unverified: ${last.verdict_reason}`,
    last.advice ?? "Run `calltally sync --full`.",
  );
}

/** How old the proof is that no call is missing. */
function checkVerified(warehouse: Warehouse, { fullEveryHours, nowMs }: WarehouseOptions): Check {
  const last = readLastVerifiedPass(warehouse);
  const hint = "Run `calltally sync --full`, and see what its verdict says.";
  if (!last?.finished_at) return unverified("verified", "no full pass has been verified yet", hint);
  const ageMs = ageOf(last.finished_at, nowMs);
  const found = `run ${last.run_id} read every call, ${formatAge(ageMs)}`;
  // The next one is due after this time; as long again is for a schedule that sleeps at night.
  if (ageMs > 2 * Math.max(fullEveryHours, 1) * HOUR_MS) return unverified("verified", found, hint);
  return ok("verified", found);
}

/** Names each job of the schedule, cron or systemd whose last run failed. */
function checkJobs(warehouse: Warehouse, nowMs: number): Check[] {
  return readJobs(warehouse).flatMap(({ job, failing_since, exit_code, error }) => {
    if (failing_since === null) return [];
    const since = formatAge(ageOf(failing_since, nowMs));
    const found = `failed ${since}, and has not succeeded since; exit ${exit_code}${error === null ? "" : `: ${error}`}`;
    // Run again, the job would leave a report alone that it has delivered to some.
    const hint =
      exit_code === EXIT.undelivered ? UNDELIVERED : `Mend that, and run \`calltally job ${job}\`.`;
    return [warn(`job ${job}`, found, hint)];
  });
}

/** Whether the cluster of the settings, or those that the facts were published to, have what is here. */
function checkPublications(warehouse: Warehouse, nowMs: number, to: string | undefined): Check[] {
  return readPublications(warehouse, to).map(({ target, published_at, error, is_behind }) => {
    const age = published_at === null ? "not yet" : formatAge(ageOf(published_at, nowMs));
    const name = "published";
    if (error !== null) return warn(name, `${age}; the last try failed: ${error}`, PUBLISH);
    if (is_behind) return warn(name, `${age}, and is behind; ${target}`, PUBLISH);
    return ok(name, `${age}, to ${target}`);
  });
}

const UNDELIVERED = "`calltally status` says who did not get it, and why. The next report goes to all.";
const PUBLISH = "Mend that, and run `calltally publish`.";

function failedCheck(error: unknown): Check {
  const known = toCalltallyError(error);
  const cause = sqliteErrorOf(error);
  return fail(
    EXIT.storage,
    "warehouse",
    describeError(cause ?? known),
    isDamage(error) ? RESTORE : known.hint,
  );
}
