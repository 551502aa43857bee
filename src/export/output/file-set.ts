import { createHash } from "node:crypto";
import { globSync, statSync } from "node:fs";
import { open, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Draft } from "../../base/draft.ts";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { type Audience, fsyncPath, MODES, makeFolder, removeFile } from "../../base/folder.ts";
import { type FolderLock, lockFolder } from "./folder-lock.ts";

export interface WrittenFile {
  /** Its name in the folder, with `/` after each sub-folder. */
  file: string;
  bytes: number;
  sha256: string;
}

export interface PublishOptions {
  /** Glob of a partitioned set: its files that were not written this time are removed, and their empty folders. */
  replace?: string | undefined;
  /** Returns files of the locked folder that are to go. What it throws keeps everything as it was. */
  claim?: (() => string[]) | undefined;
  commit?: Commit | undefined;
  signal?: AbortSignal | undefined;
}

/** How an export is recorded: nothing is left out that a reader of the folder may have, wherever it is killed. */
export interface Commit {
  /** Records the files before the first of them gets its name. What it throws keeps everything as it was. */
  enter(): void;
  /** Removes the record of files that did not get their names. */
  undo(): void;
  /** Records that all files have their names. */
  settle(): void;
}

/**
 * Files of one export, which appear together: each is written under a temporary name and synced to the disk, and they
 * get their names in the order they were written in {@link FileSet.publish}. Without it, disposing leaves nothing.
 */
export class FileSet implements AsyncDisposable {
  readonly folder: string;
  readonly #drafts: Draft[] = [];
  readonly #written = new Set<string>();
  /** Folders that were made for the set, each after the one that it is in. */
  readonly #made: string[];

  private constructor(folder: string, made: string[]) {
    this.folder = folder;
    this.#made = made;
  }

  static async open(folder: string): Promise<FileSet> {
    const path = resolve(folder);
    const made = makeFolder(path, "shared");
    if (made.length === 0) sweepDrafts(path);
    return new FileSet(path, made);
  }

  /** Writes a file, which may lie in sub-folders: `calls/month=2026-10/calls.parquet`. */
  async write(
    file: string,
    content: Iterable<Buffer | string> | AsyncIterable<Buffer | string>,
    audience: Audience = "shared",
  ): Promise<WrittenFile> {
    const path = join(this.folder, file);
    this.#made.push(...makeFolder(dirname(path), "shared"));
    const draft = new Draft(path);
    this.#drafts.push(draft);
    this.#written.add(path);
    const sha256 = createHash("sha256");
    let bytes = 0;
    // Its mode from the first byte on: what is written is never there for others, not for a moment.
    await using handle = await open(draft.path, "wx", MODES[audience].file);
    for await (const chunk of content) {
      const buffer = Buffer.from(chunk);
      sha256.update(buffer);
      bytes += buffer.length;
      await handle.writeFile(buffer).catch(cannotWrite(path));
    }
    await handle.sync().catch(cannotWrite(path));
    return { file, bytes, sha256: sha256.digest("hex") };
  }

  /**
   * Gives the files their names: the first of them alone, and the last only when the names of the others are on the disk.
   * Exports to one folder take turns.
   */
  async publish({ replace, claim, commit, signal }: PublishOptions = {}): Promise<void> {
    using lock = await lockFolder(this.folder, signal);
    const others = claim?.() ?? [];
    for (const draft of this.#drafts) assertNoFolder(draft.file);
    commit?.enter();
    try {
      await this.#nameAll(lock, others, replace);
    } catch (error) {
      commit?.undo();
      throw error;
    }
    commit?.settle();
  }

  /** Returns the path of the draft of a file; undefined once it has its name. */
  draftOf(file: string): string | undefined {
    const path = join(this.folder, file);
    return this.#drafts.find((draft) => draft.file === path)?.path;
  }

  async #nameAll(lock: FolderLock, others: string[], replace: string | undefined): Promise<void> {
    const made = this.#made.map((folder) => dirname(folder));
    const name = async (drafts: readonly Draft[]) => {
      for (const draft of drafts) {
        lock.assertHeld();
        await rename(draft.path, draft.file);
        this.#drafts.shift();
      }
      this.#made.length = 0;
      const changed = new Set([...made.splice(0), ...drafts.map(({ file }) => dirname(file))]);
      for (const folder of changed) fsyncPath(folder);
    };
    await name(this.#drafts.slice(0, 1));
    await name(this.#drafts.slice(0, -1));
    if (replace !== undefined) others.push(...globSync(replace, { cwd: this.folder }));
    await this.#removeOthers(others);
    await name(this.#drafts.slice(-1));
  }

  async #removeOthers(others: readonly string[]): Promise<void> {
    for (const file of new Set(others)) {
      const path = join(this.folder, file);
      if (this.#written.has(path)) continue;
      await rm(path);
      const isSubFolder = dirname(path) !== this.folder;
      const isGone = isSubFolder && (await removeIfEmpty(dirname(path)));
      fsyncPath(isGone ? dirname(dirname(path)) : dirname(path));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const draft of this.#drafts) draft[Symbol.dispose]();
    for (const folder of this.#made.reverse()) await removeIfEmpty(folder);
  }
}

/** Else some files would be new beside others that are not. */
function assertNoFolder(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new CalltallyError(EXIT.storage, `Cannot write ${path}: a folder stands there`);
}

/** Removes what a killed export left behind, on any machine: drafts that nobody has written to for an hour. */
function sweepDrafts(folder: string): void {
  const oldestMs = Date.now() - 3_600_000;
  for (const path of findDrafts(folder)) {
    // Another export may have given it its name just now.
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && stat.mtimeMs < oldestMs) removeFile(path);
  }
}

export function findDrafts(folder: string): string[] {
  return globSync([".*.tmp", "calls/*/.*.tmp"], { cwd: folder })
    .filter((file) => /\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/.test(file))
    .map((file) => join(folder, file));
}

function removeIfEmpty(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    () => false,
  );
}

/** The system's errors do not name a file that is open already. */
function cannotWrite(path: string): (cause: unknown) => never {
  return (cause) => {
    throw new CalltallyError(EXIT.storage, `Cannot write ${path}`, { cause });
  };
}
