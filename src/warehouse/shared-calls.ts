import { statSync } from "node:fs";
import { desc, eq, isNotNull, min, sql } from "drizzle-orm";
import { attempt } from "../base/errors.ts";
import { realFile } from "../base/folder.ts";
import { callers } from "./calls/callers.ts";
import { call_facts } from "./calls/facts.ts";
import { readRulesInForce } from "./calls/rules.ts";
import { openReader } from "./file/open.ts";
import { readOrigin } from "./origin.ts";
import { sync_runs } from "./runs/runs.ts";
import type { Reader } from "./warehouse.ts";

/** The warehouse of an account of calltally.yaml. */
export interface AccountWarehouse {
  account: string;
  database: string;
}

/** Another account's warehouse has calls of this one. */
export interface SharedCalls {
  account: string;
}

/** The latest calls are compared: a token of another account reads all of them. */
const COMPARED_CALLS = 50;

/** Of two warehouses that began within a day, nothing says whose the calls are. */
const DAY_MS = 86_400_000;

/**
 * Finds another account with the same calls: same id, start and caller, from the same service and unit. An account that
 * began a day before the other has its own calls, and the other is in doubt. A warehouse that this user cannot read is
 * not compared.
 */
export function findSharedCalls(
  reader: Reader,
  accounts: readonly AccountWarehouse[],
): SharedCalls | undefined {
  if (accounts.length < 2) return undefined;
  const mine = readLatest(reader);
  if (mine === undefined) return undefined;
  const same = accounts.find(({ database }) => {
    const other = attempt(() => readLatestOf(database));
    if (other === undefined || other.path === mine.path || other.service !== mine.service) return false;
    return mine.beganMs > other.beganMs - DAY_MS && attempt(() => haveSameCall(mine, other));
  });
  return same && { account: same.account };
}

interface ComparedCall {
  call_id: number;
  call_started: string | null;
  caller: string | null;
}

/** What is compared of a warehouse; no call is older than its `calls`, by start, latest first. */
interface LatestCalls {
  path: string;
  /** Address and unit. */
  service: string;
  beganMs: number;
  /** Whether callers are digests, whose key is that of their own warehouse. */
  hasDigests: boolean;
  calls: readonly ComparedCall[];
}

const selectCalls = ({ db }: Reader) =>
  db
    .select({ call_id: call_facts.call_id, call_started: call_facts.call_started, caller: callers.caller })
    .from(call_facts)
    .leftJoin(callers, eq(callers.caller_id, call_facts.caller_id));

function readLatest(reader: Reader): LatestCalls | undefined {
  const { base_url, org_unit_id, is_demo } = readOrigin(reader);
  if (base_url === null || is_demo) return undefined;
  const { path, db } = reader;
  const { began } =
    db
      .select({ began: min(sync_runs.started_at) })
      .from(sync_runs)
      .get() ?? {};
  return {
    path,
    service: JSON.stringify([base_url, org_unit_id]),
    beganMs: Date.parse(String(began)),
    hasDigests: readRulesInForce(reader).caller_key !== null,
    calls: selectCalls(reader)
      .where(isNotNull(call_facts.call_started))
      .orderBy(desc(call_facts.call_started))
      .limit(COMPARED_CALLS)
      .all(),
  };
}

/** A status of a hundred accounts would open each a hundred times. */
const latest = new Map<string, { stamp: string; calls: LatestCalls | undefined }>();

function readLatestOf(database: string): LatestCalls | undefined {
  const path = realFile(database);
  const stamp = stampOf(path);
  const known = latest.get(path);
  if (known?.stamp === stamp) return known.calls;
  using reader = openReader(path);
  const calls = readLatest(reader);
  latest.set(path, { stamp, calls: calls });
  return calls;
}

/** Changes with each write; reading leaves an empty log. */
function stampOf(path: string): string {
  const [file, log] = [path, `${path}-wal`].map((name) => statSync(name, { throwIfNoEntry: false }));
  return [file?.mtimeMs, file?.ino, log?.size ? log.mtimeMs : 0].join();
}

function haveSameCall(mine: LatestCalls, other: LatestCalls): boolean {
  const [newest = "", oldest = "~"] = [other.calls.at(0), other.calls.at(-1)].map(
    (call) => call?.call_started ?? undefined,
  );
  const isSame = (call: ComparedCall, same: ComparedCall | undefined) =>
    same?.call_started === call.call_started &&
    (mine.hasDigests || other.hasDigests || same.caller === call.caller);
  const between = mine.calls.filter(({ call_started: at }) => at !== null && at >= oldest && at <= newest);
  if (between.length > 0) {
    const byId = new Map(other.calls.map((call) => [call.call_id, call]));
    return between.some((call) => isSame(call, byId.get(call.call_id)));
  }
  return findEach(mine, other).some(([call, same]) => isSame(call, same));
}

/** One of them has not synced for long: looks up, in the one with later calls, the latest of the other. */
function findEach(one: LatestCalls, other: LatestCalls): [ComparedCall, ComparedCall | undefined][] {
  const isOlder = (one.calls[0]?.call_started ?? "") < (other.calls[0]?.call_started ?? "");
  const [older, newer] = isOlder ? [one, other] : [other, one];
  using reader = openReader(newer.path);
  const find = selectCalls(reader)
    .where(eq(call_facts.call_id, sql.placeholder("id")))
    .prepare();
  return older.calls.map((call) => [call, find.get({ id: call.call_id })]);
}
