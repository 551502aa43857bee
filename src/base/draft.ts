import { randomUUID } from "node:crypto";
import { constants, copyFileSync, linkSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf } from "./errors.ts";
import { fsyncPath, removeFile } from "./folder.ts";
import { hasEnded, markProcess } from "./process-mark.ts";

const LOGS = ["-wal", "-shm", "-journal"];
const MARK = /\.(\d+(?:@\d+)?)\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp(?:-\w+)?$/;

/**
 * A file under a temporary name: after a power cut there is the old file or the new one. Disposing removes a file
 * that was not renamed.
 */
export class Draft implements Disposable {
  readonly file: string;
  readonly path: string;

  constructor(file: string) {
    const name = `.${basename(file)}.${markProcess() ?? process.pid}.${randomUUID()}.tmp`;
    this.file = file;
    this.path = join(dirname(file), name);
  }

  /** @param mode permissions from the first byte on, before the umask */
  write(content: string | Buffer, mode: number): void {
    writeFileSync(this.path, content, { flag: "wx", mode });
  }

  /** Renames it over the target; both are on disk afterwards. */
  replace(): void {
    fsyncPath(this.path);
    renameSync(this.path, this.file);
    fsyncPath(dirname(this.file));
  }

  /** Renames it, unless the target exists. @throws Error with the code EEXIST */
  add(): void {
    fsyncPath(this.path);
    try {
      linkSync(this.path, this.file);
    } catch (error) {
      if (codeOf(error) === "EEXIST") throw error;
      copyFileSync(this.path, this.file, constants.COPYFILE_EXCL); // a file system without links
      fsyncPath(this.file);
    }
    try {
      fsyncPath(dirname(this.file));
    } catch (error) {
      removeFile(this.file);
      throw error;
    }
  }

  [Symbol.dispose](): void {
    for (const suffix of ["", ...LOGS]) removeFile(this.path + suffix);
  }
}

/** Removes the drafts that killed processes left for this file and for files named after it. */
export function removeLeftDrafts(file: string): void {
  const folder = dirname(file);
  for (const name of readdirSync(folder)) {
    const [, mark] = name.startsWith(`.${basename(file)}.`) ? (MARK.exec(name) ?? []) : [];
    if (mark !== undefined && hasEnded(mark)) removeFile(join(folder, name));
  }
}
