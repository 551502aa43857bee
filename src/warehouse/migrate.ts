import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Database } from "better-sqlite3";
import { CalltallyError, EXIT } from "../base/errors.ts";
import { MOMENT_TRIGGERS } from "./call-moments.ts";
import { CAMPAIGN_TRIGGERS } from "./campaign-table.ts";
import { tryAcquireLock } from "./file/lock.ts";
import { replaceOutdated } from "./stored-objects.ts";

/**
 * Schema version of the baseline, `0000_baseline.sql`; each later migration adds one. Development versions used 1 to
 * 19. Until 1.0.0 is tagged, every edit of the baseline raises this number, so that older files are refused.
 */
export const BASELINE_VERSION = 122;

// By URL, because that is what drizzle-kit knows of a module.
const MIGRATIONS_FOLDER = fileURLToPath(new URL("migrations", import.meta.url));

export interface MigrateOptions {
  isLocked?: boolean | undefined;
  /** Folder of the migrations, applied in the order of their names. @default the program's own */
  folder?: string;
}

/**
 * Takes the lock, so that no sync of an older version writes meanwhile. @throws CalltallyError (exit 6) if another
 * process has it
 */
export function migrate(
  sqlite: Database,
  file: string,
  { isLocked = false, folder = MIGRATIONS_FOLDER }: MigrateOptions = {},
): void {
  if (!isOlder(sqlite, file, folder)) return;
  using lock = isLocked ? undefined : tryAcquireLock(file);
  if (!isLocked && lock === undefined) {
    throw new CalltallyError(
      EXIT.locked,
      `Cannot migrate ${file}: another process is syncing or migrating it`,
      { hint: "Wait for it to end, and run this again." },
    );
  }
  // Not Drizzle's migrate: a full disk ends the transaction, its ROLLBACK then fails, and hides the cause.
  sqlite
    .transaction(() => {
      if (isOlder(sqlite, file, folder)) applyMigrations(sqlite, folder);
    })
    .immediate();
  // The next opening reads the version from the file itself before it touches anything.
  sqlite.pragma("wal_checkpoint(TRUNCATE)");
}

function applyMigrations(sqlite: Database, folder: string): void {
  const names = listMigrations(folder);
  const applied = Math.max(0, versionOf(sqlite) - BASELINE_VERSION + 1);
  for (const name of names.slice(applied)) sqlite.exec(readFileSync(join(folder, name), "utf8"));
  replaceOutdated(sqlite, "TRIGGER", { ...MOMENT_TRIGGERS, ...CAMPAIGN_TRIGGERS });
  sqlite.pragma(`user_version = ${latestVersion(folder)}`);
}

function isOlder(sqlite: Database, file: string, folder: string): boolean {
  const [theirs, ours] = [versionOf(sqlite), latestVersion(folder)];
  if (theirs > ours) throw newerError(file, theirs, ours);
  return theirs < ours;
}

export function latestVersion(folder: string = MIGRATIONS_FOLDER): number {
  return BASELINE_VERSION + listMigrations(folder).length - 1;
}

function listMigrations(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .toSorted();
}

function versionOf(sqlite: Database): number {
  return Number(sqlite.pragma("user_version", { simple: true }));
}

/** @throws CalltallyError (exit 7) for a file of a newer version, or older than the baseline */
export function assertUsable(file: string, version: number): void {
  const ours = latestVersion();
  if (version > ours) throw newerError(file, version, ours);
  if (version >= BASELINE_VERSION) return;
  throw new CalltallyError(
    EXIT.storage,
    `Cannot use ${file}: it was made by a development version of calltally`,
    {
      hint: ({ database }) =>
        `It was not changed. Sync into a new file: move this one away, or set ${database}.`,
    },
  );
}

function newerError(file: string, theirs: number, ours: number): CalltallyError {
  return new CalltallyError(
    EXIT.storage,
    `Cannot use ${file}: its schema is version ${theirs}, and this calltally supports ${ours}`,
    { hint: "It was not changed. Install the newer calltally that wrote it." },
  );
}

/** Readers do not migrate, so that a backup can be made first. @throws CalltallyError (exit 7) for an older schema */
export function assertCurrent(file: string, version: number, folder?: string): void {
  if (version >= latestVersion(folder)) return;
  throw new CalltallyError(
    EXIT.storage,
    `Cannot read ${file} yet: its schema is version ${version}, and this calltally needs ${latestVersion(folder)}`,
    { hint: ({ sync }) => `Run ${sync}, which migrates it.` },
  );
}
