import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { removeFile } from "../base/folder.ts";

/** A file under a temporary name beside the one it will become; disposing removes what is left of it. */
export interface Draft extends Disposable {
  readonly path: string;
}

/** Names a draft of a file, and removes those that killed processes have left. */
export function draftOf(file: string): Draft {
  const folder = dirname(file);
  const prefix = `.${basename(file)}.`;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue;
    const [, pid] = /^(\d+)-[0-9a-f-]{36}\.tmp/.exec(name.slice(prefix.length)) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) removeFile(join(folder, name));
  }
  const path = join(folder, `${prefix}${process.pid}-${randomUUID()}.tmp`);
  const remove = () => {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) removeFile(path + suffix);
  };
  return { path, [Symbol.dispose]: remove };
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false; // of a process before us, in a container where each has this number
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: alive, and another user's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
