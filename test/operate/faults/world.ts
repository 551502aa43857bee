import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { openExistingWarehouse, openReader } from "../../../src/warehouse/file/open.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { exportToFolder } from "../../support/figures/produce-files.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { newWarehouse, openNewWarehouse } from "../../support/warehouses/warehouse.ts";
import { ListedCalls, type ServedRow } from "../verify/warehouses.ts";

const HOUR_MS = 3_600_000;
/** Between two calls: 60 of them are ten days, of which an incremental sync reads the last three. */
const APART_MS = 4 * HOUR_MS;
const NEWEST_MS = Date.parse("2026-11-01T20:00:00.000Z");

/** A service, the folder of its copy, and what was exported from it. A fault changes them. */
export class World {
  readonly #place = makeTempFolder();
  readonly folder = join(this.#place.path, "now");
  readonly database = join(this.folder, "calls.db");
  readonly exported = join(this.folder, "exports");
  /** What the service lists, newest first. */
  listed: readonly ServedRow[] = [];
  /** Calls that came, though the service never lists them. */
  unlisted: readonly ServedRow[] = [];

  /** Keeps the folder as it is under a name. */
  keep(name: string): void {
    const kept = join(this.#place.path, name);
    rmSync(kept, { recursive: true, force: true });
    cpSync(this.folder, kept, { recursive: true });
  }

  /** Puts the folder back as it was kept. */
  putBack(name: string): void {
    rmSync(this.folder, { recursive: true, force: true });
    cpSync(join(this.#place.path, name), this.folder, { recursive: true });
  }

  /** Begins with an empty copy. */
  empty(): void {
    rmSync(this.folder, { recursive: true, force: true });
    openNewWarehouse(this.database)[Symbol.dispose]();
  }

  change(sql: string): void {
    using warehouse = openExistingWarehouse(this.database);
    warehouse.sqlite.pragma("foreign_keys = OFF");
    warehouse.sqlite.exec(sql);
  }

  /** Syncs the copy, `hours` after the last sync of the world that was first made. */
  async sync(
    mode: "full" | "incremental",
    { hours = 12, disturb }: { hours?: number; disturb?: ListedCalls["disturb"] | undefined } = {},
  ): Promise<void> {
    using warehouse = openExistingWarehouse(this.database);
    await syncTo(warehouse, this.listed, mode, hours, disturb);
  }

  async export(): Promise<void> {
    const targets = (["channel", "campaign"] as const).map((dimension) => ({
      kind: "rollup" as const,
      dimensions: [dimension],
    }));
    const { database, exported: folder } = this;
    await exportToFolder({ database, folder, rules: DEFAULT_RULES, lookbackHours: 72, targets });
  }

  /** Whether the copy has the calls that came, as they are now, with the facts that follow; missing ones do not count. */
  async isRight(): Promise<boolean> {
    using reader = openReader(this.database);
    using right = newWarehouse();
    const calls = [...this.unlisted, ...this.listed].toSorted((a, b) =>
      a.call_started < b.call_started ? 1 : -1,
    );
    await syncTo(right, calls, "full", 1);
    return readCalls(reader) === readCalls(right);
  }

  [Symbol.dispose](): void {
    this.#place.remove();
  }
}

async function syncTo(
  warehouse: Warehouse,
  listed: readonly ServedRow[],
  mode: "full" | "incremental",
  hours: number,
  disturb?: ListedCalls["disturb"],
): Promise<void> {
  const service = new ListedCalls(warehouse);
  service.calls.splice(0, service.calls.length, ...listed);
  if (disturb !== undefined) service.disturb = disturb;
  await service.sync(mode, { hours });
}

function readCalls({ sqlite }: Pick<Warehouse, "sqlite">): string {
  const calls = sqlite
    .prepare<[], Record<string, unknown>>(
      `SELECT * FROM attributed_calls WHERE call_id NOT IN (SELECT call_id FROM calls WHERE missing_since IS NOT NULL)
      ORDER BY call_id`,
    )
    .all();
  // A missing call is still the first one of its caller.
  return JSON.stringify(
    calls.map(({ changed_at: _, recording_url: __, first_time_caller: ___, ...call }) => call),
  );
}

/** Makes a copy of 60 calls and of two more, which `verify` finds in order, with two exported files. */
export async function makeWorld(): Promise<World> {
  const world = new World();
  world.empty();
  const all = callsOf(62);
  world.listed = all.slice(2);
  await world.sync("full", { hours: 1 });
  world.listed = all;
  await world.sync("incremental", { hours: 2 });
  await world.export();
  return world;
}

/** Calls as served, newest first. */
function callsOf(count: number): ServedRow[] {
  using warehouse = newWarehouse();
  const service = new ListedCalls(warehouse);
  while (service.calls.length < count) service.add();
  return service.calls.map((call, index) => ({
    ...call,
    call_started: new Date(NEWEST_MS - index * APART_MS).toISOString(),
  }));
}
