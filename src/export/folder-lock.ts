import { closeSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../clock.ts";
import { CalltallyError, EXIT } from "../errors.ts";
import { removeFile } from "../folder.ts";
import { tryAcquireLock } from "../warehouse/lock.ts";

/** How long an export waits for another one to the same folder; the default rollups of a million calls take a third of it. */
const WAIT_MS = 60_000;
const POLL_MS = 100;

/** The lock's file is there as long as an export is writing, or until the next one where it was killed. */
const LOCK = ".calltally";

export interface LockOptions {
  signal?: AbortSignal | undefined;
  /** How long to wait for another export, milliseconds. @default a minute */
  waitMs?: number | undefined;
}

/**
 * Waits until no other export writes to a folder, and keeps others from it until it is disposed of.
 *
 * @throws CalltallyError (exit 6) when another export takes longer than `waitMs`
 */
export async function lockFolder(
  folder: string,
  { signal, waitMs = WAIT_MS }: LockOptions,
): Promise<Disposable> {
  for (const startMs = performance.now(); performance.now() - startMs <= waitMs; ) {
    const lock = tryLock(join(folder, LOCK));
    if (lock !== undefined) return lock;
    await systemClock.sleep(POLL_MS, signal);
  }
  throw new CalltallyError(EXIT.locked, `Cannot export to ${folder}: another export is writing there`, {
    hint: "Run it again once that has ended, or choose another folder with --out.",
  });
}

/** Undefined, too, where the holder removed the file just as it was opened here: nobody else would see such a lock. */
function tryLock(path: string): Disposable | undefined {
  const file = `${path}.lock`;
  closeSync(openSync(file, "a", 0o600));
  const opened = identify(file);
  const lock = tryAcquireLock(path);
  if (lock === undefined) return undefined;
  if (opened === undefined || opened !== identify(file)) {
    lock[Symbol.dispose]();
    return undefined;
  }
  return {
    [Symbol.dispose]() {
      removeFile(file);
      lock[Symbol.dispose]();
    },
  };
}

function identify(file: string): string | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.birthtimeNs}`;
}
