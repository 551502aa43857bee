import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type Database from "better-sqlite3";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { type AttributionRules, DEFAULT_RULES } from "../attribution/attribution-rules.ts";
import { CalltallyError, EXIT } from "../base/errors.ts";
import { type AttributionProgress, attributeAll } from "./calls/attribute-all.ts";
import { tryAcquireLock } from "./lock.ts";
import type { Warehouse } from "./warehouse.ts";

const MIGRATIONS_FOLDER = join(import.meta.dirname, "migrations");

export interface MigrateOptions {
  /** Whether the caller holds the lock already. @default false */
  isLocked?: boolean;
  /** Rules for the facts of an older warehouse, which has none. @default the default rules, and the aliases it has */
  rules?: AttributionRules | undefined;
  /** Receives the progress of recomputing the attribution after a change of the rules. */
  onAttributed?: ((progress: AttributionProgress) => void) | undefined;
}

/**
 * Opening for reading does not migrate an older schema, so that a backup can be made first.
 *
 * @throws CalltallyError (exit 7) where the schema is older than what is to be read
 */
export function assertCurrent(warehouse: Warehouse): void {
  if (isCurrent(warehouse)) return;
  const { sqlite, path } = warehouse;
  throw new CalltallyError(
    EXIT.storage,
    `Cannot read ${path} yet: its schema is version ${versionOf(sqlite)}, and this calltally needs ${countMigrations()}`,
    { hint: "Run `calltally sync`, which migrates it." },
  );
}

/** Whether a warehouse has the schema of this version of the program. */
export function isCurrent({ sqlite }: Warehouse): boolean {
  return versionOf(sqlite) >= countMigrations();
}

export function countMigrations(): number {
  return readMigrations().length;
}

let known: readonly string[] | undefined;

/** The SQL of each migration, in order; each opening asks for them, more than once. */
function readMigrations(): readonly string[] {
  // Drizzle's reader hides why a file cannot be read.
  known ??= readdirSync(MIGRATIONS_FOLDER)
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
    .map((name) => readFileSync(join(MIGRATIONS_FOLDER, name), "utf8"));
  return known;
}

/**
 * Migrates an older schema, with the lock: a sync of an older version that is under way would write calls without facts.
 *
 * @throws CalltallyError (exit 6) while another process holds the lock
 */
export function migrate(sqlite: Database.Database, file: string, options: MigrateOptions): void {
  if (!isOlder(sqlite, file)) return;
  using lock = options.isLocked ? undefined : tryAcquireLock(file);
  if (!options.isLocked && lock === undefined) {
    throw new CalltallyError(
      EXIT.locked,
      `Cannot migrate ${file}: another process is syncing or migrating it`,
      {
        hint: "Wait for it to end, and run this again.",
      },
    );
  }
  // Not by Drizzle's migrate: a full disk ends the transaction, its ROLLBACK then fails, and hides what went wrong.
  const attributed = sqlite
    .transaction(() => (isOlder(sqlite, file) ? applyMigrations(sqlite, options) : undefined))
    .immediate();
  if (attributed !== undefined) options.onAttributed?.(attributed);
  // Into the file itself, where the next opening looks for it before it touches anything.
  sqlite.pragma("wal_checkpoint(TRUNCATE)");
}

function isOlder(sqlite: Database.Database, file: string): boolean {
  const [theirs, ours] = [versionOf(sqlite), countMigrations()];
  if (theirs > ours) throw newerError(file, theirs, ours);
  return theirs < ours;
}

function versionOf(sqlite: Database.Database): number {
  return Number(sqlite.pragma("user_version", { simple: true }));
}

/** Applies what a warehouse lacks; returns the progress at the end of computing its facts, if it had none. */
function applyMigrations(
  sqlite: Database.Database,
  { rules, onAttributed }: MigrateOptions,
): AttributionProgress | undefined {
  const theirs = versionOf(sqlite);
  const migrations = readMigrations();
  const aliases = readOldAliases(sqlite);
  for (const sql of migrations.slice(theirs)) sqlite.exec(sql);
  sqlite.pragma(`user_version = ${migrations.length}`);
  if (theirs < FIRST_WITH_ORIGIN) deriveWarehouseId(sqlite);
  if (theirs >= FIRST_WITH_FACTS) return undefined;
  const warehouse = { sqlite, db: drizzle(sqlite) };
  // By numbers, as before: digests are made of them by whoever opens it, as after any change of the rules.
  const steps = attributeAll(warehouse, rules ?? { ...DEFAULT_RULES, aliases }, Date.now());
  let step = steps.next();
  for (; !step.done; step = steps.next()) onAttributed?.(step.value);
  return step.value;
}

/** Version of the schema from which on what is true of each call is stored. */
const FIRST_WITH_FACTS = 7;

/** Version of the schema from which on a warehouse has an id. */
const FIRST_WITH_ORIGIN = 8;

/** Copies of a warehouse that are migrated apart get the same id: by its first run, where it had any. */
function deriveWarehouseId(sqlite: Database.Database): void {
  const first = sqlite.prepare("SELECT started_at, pid FROM sync_runs ORDER BY run_id LIMIT 1").raw().get();
  if (first === undefined) return;
  const id = hash("sha256", JSON.stringify(first)).slice(0, 32);
  sqlite.prepare("UPDATE origin SET warehouse_id = ?").run(id);
}

/** The aliases in a warehouse of a version before that. */
function readOldAliases(sqlite: Database.Database): Record<string, string> {
  const isThere = sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'aliases'").get() !== undefined;
  if (!isThere) return {};
  return Object.fromEntries(
    sqlite.prepare<[], [raw: string, value: string]>("SELECT raw, value FROM aliases").raw().all(),
  );
}

export function newerError(file: string, theirs: number, ours: number): CalltallyError {
  return new CalltallyError(
    EXIT.storage,
    `Cannot use ${file}: its schema is version ${theirs}, and this calltally knows ${ours}`,
    { hint: "It was left as it is. Install the newer calltally that wrote it." },
  );
}
