import { closeSync, openSync, readFileSync, readlinkSync, statSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { CalltallyError, codeOf, EXIT } from "../../base/errors.ts";
import { adviseOn } from "../../base/file-access.ts";
import { removeFile } from "../../base/folder.ts";
import { hasEnded, markProcess } from "../../base/process-mark.ts";

const POLL_MS = 50;
/** Renaming takes a moment: a lock this old was left behind by a machine that went down. */
const ABANDONED_MS = 60_000;
/** A process names itself as soon as it has created the lock: one without a name was killed in between. */
const UNNAMED_MS = 10_000;

export interface FolderLock extends Disposable {
  /** @throws CalltallyError (exit 6) if this process slept so long that another took the lock for abandoned */
  assertHeld(): void;
}

/** Locks by creating a file: shared folders may be on file systems without other locks. */
export async function lockFolder(folder: string, signal: AbortSignal | undefined): Promise<FolderLock> {
  const file = join(folder, ".calltally.lock");
  let [seen, sinceMs] = ["", performance.now()];
  while (!tryCreate(file)) {
    const holder = describeHolder(file);
    if (holder !== seen) [seen, sinceMs] = [holder, performance.now()];
    const patienceMs = holder.startsWith(" ") ? UNNAMED_MS : ABANDONED_MS;
    const isAbandoned = isDead(holder) || performance.now() - sinceMs > patienceMs;
    if (isAbandoned && describeHolder(file) === seen) removeFile(file);
    else await systemClock.sleep(POLL_MS, signal);
  }
  const held = identify(file);
  const isHeld = () => identify(file) === held;
  return {
    assertHeld() {
      if (!isHeld())
        throw new CalltallyError(EXIT.locked, `Cannot continue in ${folder}: another export has taken over`, {
          hint: ({ out }) => `Run it again when that has ended, or use another folder ${out}.`,
        });
    },
    [Symbol.dispose]() {
      if (isHeld()) removeFile(file);
    },
  };
}

function tryCreate(file: string): boolean {
  let handle: number;
  try {
    handle = openSync(file, "wx");
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  try {
    writeSync(handle, `${nameMachine()} ${markProcess() ?? process.pid}`);
    return true;
  } catch (cause) {
    removeFile(file); // on a full disk: the next export would wait for it
    throw new CalltallyError(EXIT.storage, `Cannot write ${file}`, { cause, hint: adviseOn(cause) });
  } finally {
    closeSync(handle);
  }
}

function identify(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.mtimeMs}`;
}

/** Returns machine, process and file; without the first two, they are not written yet. */
function describeHolder(file: string): string {
  try {
    return `${readFileSync(file, "utf8")} ${identify(file)}`;
  } catch {
    return ""; // released just now, or not ours to read
  }
}

/** Whether the process was killed; unknown for another machine or container. */
function isDead(holder: string): boolean {
  const [machine, mark] = holder.split(" ");
  return machine === nameMachine() && mark !== undefined && hasEnded(mark);
}

/** Containers may share a host name, but not process ids. */
function nameMachine(): string {
  try {
    return `${hostname()}/${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname(); // not Linux
  }
}
