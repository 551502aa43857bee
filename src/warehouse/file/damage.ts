import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  readFileSync,
  rmdirSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { minuteOf } from "../../base/clock.ts";
import { Draft } from "../../base/draft.ts";
import { attempt, CalltallyError, EXIT, firstError } from "../../base/errors.ts";
import { realFile, removeFile } from "../../base/folder.ts";
import { readHeader } from "./file-header.ts";

/** A damaged warehouse. Its hint names the newest backup, and the command that restores it. */
export class DamagedError extends CalltallyError {
  override name = "DamagedError";
  readonly file: string;
  readonly damage: string;

  /** @param details.hint for a file that is no warehouse in use */
  constructor(file: string, damage: string, { cause, hint }: { cause?: unknown; hint?: string } = {}) {
    super(EXIT.storage, `Cannot use ${file}: the file is damaged: ${damage}`, {
      cause,
      isCauseInMessage: true,
      hint: hint ?? adviseOnDamage(file),
    });
    this.file = file;
    this.damage = damage;
  }
}

const UNKNOWN = "the note of it cannot be read";

/** The note of damage is next to the warehouse, because a damaged file may be unable to keep it. */
export function damageNoteOf(warehouse: string): string {
  return `${realFile(warehouse)}.damaged`;
}

/** Returns what is damaged, as the first who noticed it found; undefined if nothing is known. */
export function readDamage(warehouse: string): string | undefined {
  const note = damageNoteOf(warehouse);
  try {
    return readFileSync(note, "utf8").trim() || UNKNOWN;
  } catch {
    // Not in a folder that may not be entered: opening the warehouse reports that.
    return existsSync(note) ? UNKNOWN : undefined;
  }
}

/** @throws DamagedError until the warehouse is restored, or checked and found to be sound */
export function assertUndamaged(warehouse: string): void {
  const damage = readDamage(warehouse);
  if (damage !== undefined) throw new DamagedError(warehouse, damage);
}

/**
 * Notes damage for all later commands. The first note stays. A user who may not write the warehouse leaves none, and
 * neither does a full disk: the next reader of the damaged part notices it again.
 */
export function noteDamage(warehouse: string, damage: string): void {
  attempt(() => {
    const file = realFile(warehouse);
    const { uid, gid } = statSync(file);
    accessSync(file, constants.W_OK);
    accessSync(dirname(file), constants.W_OK | constants.X_OK);
    using draft = new Draft(damageNoteOf(file));
    draft.write(`${damage}\n`, 0o600);
    if (process.getuid?.() === 0) chownSync(draft.path, uid, gid);
    draft.add();
  });
}

export function clearDamage(warehouse: string): void {
  removeNoteFolder(warehouse);
  removeFile(damageNoteOf(warehouse));
}

/**
 * Removes an empty folder that has the name of the note: Docker makes one where a file to mount is missing.
 * @throws CalltallyError (exit 7) that names the folder if it cannot be removed
 */
export function removeNoteFolder(warehouse: string): void {
  const note = damageNoteOf(warehouse);
  if (!lstatSync(note, { throwIfNoEntry: false })?.isDirectory()) return;
  try {
    rmdirSync(note);
  } catch (cause) {
    throw new CalltallyError(
      EXIT.storage,
      `Cannot remove the folder ${note}, which has the name of the note of damage`,
      { cause, hint: "While it exists, the warehouse counts as damaged. Move it away, and try again." },
    );
  }
}

/** Returns the damage that an error or one of its causes reports, by the one who found out which file it is. */
export function damagedErrorOf(thrown: unknown): DamagedError | undefined {
  const error = firstError(thrown);
  if (error instanceof DamagedError) return error;
  return error instanceof Error ? damagedErrorOf(error.cause) : undefined;
}

function adviseOnDamage(warehouse: string): string {
  const backup = findNewestBackup(warehouse);
  if (backup === undefined)
    return "No backup of it is known here. Stop the schedule, and `calltally restore` a backup; without one, move the file away and sync again.";
  const { path, at } = backup;
  return `Stop the schedule, and restore the newest backup, of ${minuteOf(at.toISOString())} UTC: \`calltally restore ${path} --database ${warehouse}\``;
}

/** Returns the newest whole backup that the warehouse has recorded, as far as it can still be read. */
function findNewestBackup(warehouse: string): { path: string; at: Date } | undefined {
  const whole = readBackups(realFile(warehouse)).flatMap((path) => {
    const at = attempt(() => dateWhole(path));
    return at === undefined ? [] : [{ path, at }];
  });
  return whole.toSorted((a, b) => b.at.getTime() - a.at.getTime())[0];
}

function readBackups(file: string): string[] {
  if (!existsSync(file)) return [];
  const read = () => {
    const sqlite = new Database(file, { readonly: true, fileMustExist: true });
    try {
      return sqlite.prepare<[], string>("SELECT path FROM backups").pluck().all();
    } finally {
      sqlite.close();
    }
  };
  return attempt(read) ?? [];
}

/** Returns when a backup was written; undefined if it is cut off, another file by now, or known to be damaged. */
function dateWhole(path: string): Date | undefined {
  const { size, mtime } = statSync(path);
  const { isSqlite, isOurs, isWal, bytes } = readHeader(path);
  const isWhole = isSqlite && isOurs && !isWal && size >= bytes;
  return isWhole && readDamage(path) === undefined ? mtime : undefined;
}
