import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CalltallyError, EXIT } from "../../../src/base/errors.ts";
import { loadSettings } from "../../../src/config/load-settings.ts";
import { doAgree } from "../../../src/features/reconcile/describe-list.ts";
import { reconcileList } from "../../../src/features/reconcile/reconcile-list.ts";
import { checkWarehouse } from "../../../src/operate/doctor/check-warehouse.ts";
import { isOf, verifyFile } from "../../../src/operate/verify/verify-files.ts";
import { exitCodeOf } from "../../../src/sync/run.ts";
import { openExistingWarehouse, openReader } from "../../../src/warehouse/file/open.ts";
import { sqliteErrorOf } from "../../../src/warehouse/file/sqlite-errors.ts";
import { readLastRunId, readRun } from "../../../src/warehouse/runs/runs.ts";
import { problemsOf } from "../verify/warehouses.ts";
import type { World } from "./world.ts";

/** Whether a finder reports a fault, or puts the copy right. */
type Finder = (world: World) => Promise<boolean>;

/** Whether the last run has the best verdict of its mode, and ended with exit code 0. */
export function isProven({ database }: World): boolean {
  using reader = openReader(database);
  const run = readRun(reader, readLastRunId(reader) ?? 0);
  if (run === undefined || exitCodeOf(run) !== EXIT.done) return false;
  const { mode, verdict } = run;
  return mode === "full" ? verdict === "exact" || verdict === "verified" : verdict === "probable";
}

const syncs =
  (mode: "full" | "incremental", hours: number): Finder =>
  async (world) => {
    const isWrong = !isProven(world) || !(await isRight(world));
    await world.sync(mode, { hours });
    return !isProven(world) || (isWrong && (await isRight(world)));
  };

/** A copy that cannot be read is not right. */
export async function isRight(world: World): Promise<boolean> {
  try {
    return await world.isRight();
  } catch {
    return false;
  }
}

const verifies: Finder = async ({ database, exported }) => {
  using warehouse = openExistingWarehouse(database);
  if ((await problemsOf(warehouse)).length > 0) return true;
  const open = (id: string) => {
    const opened = openReader(database);
    return isOf(opened, id) ? opened : undefined;
  };
  const manifest = join(exported, "manifest.json");
  if (!existsSync(manifest)) return false;
  const checks = await Array.fromAsync(verifyFile(manifest, open));
  return checks.some(({ holds }) => !holds);
};

/** Compares the copy with a list of all calls that came, as somebody else has it. */
const reconciles: Finder = async ({ database, folder, listed, unlisted }) => {
  const path = join(folder, "list.csv");
  const rows = [...listed, ...unlisted].map(({ call_id, call_started, duration }) =>
    [call_id, call_started, duration].join(","),
  );
  writeFileSync(path, ["call_id,call_started,duration", ...rows].join("\n"));
  const copies = [{ database, account: undefined, timezone: "UTC" }];
  return !doAgree(reconcileList(path, { copies, others: [], map: {}, range: {} }));
};

const examines: Finder = async ({ database, folder }) => {
  const settings = loadSettings({ env: { CALLTALLY_DATABASE: database }, folder });
  const signal = AbortSignal.timeout(60_000);
  const { checks } = await checkWarehouse(settings, { folder, deep: true, nowMs: 0, signal });
  return checks.some(({ state }) => state === "fail");
};

/** The columns of the table, in its order. The first is the pass in which a fault happens, or the next sync. */
export const FINDERS = {
  "the pass, or the next sync": syncs("incremental", 12),
  "the next full pass": syncs("full", 12),
  verify: verifies,
  reconcile: reconciles,
  "doctor --deep": examines,
} as const satisfies Readonly<Record<string, Finder>>;
export type FinderName = keyof typeof FINDERS;

/** Commands that look at the copy and its files alone. */
export const COPY_FINDERS = ["verify", "reconcile", "doctor --deep"] as const satisfies FinderName[];

/** Runs a finder; one that cannot read a damaged file has found it. */
export async function finds(name: FinderName, world: World): Promise<boolean> {
  try {
    return await FINDERS[name](world);
  } catch (error) {
    if (error instanceof CalltallyError || sqliteErrorOf(error)?.code === "SQLITE_CORRUPT") return true;
    throw error;
  }
}
