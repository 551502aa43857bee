import { createHash } from "node:crypto";
import { globSync, statSync } from "node:fs";
import { open, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Draft } from "../../base/draft.ts";
import { CalltallyError, EXIT, UsageError } from "../../base/errors.ts";
import { adviseOn } from "../../base/file-access.ts";
import { type Audience, fsyncPath, MODES, makeFolder, removeFile } from "../../base/folder.ts";
import { warehouseOf } from "../../warehouse/file/neighbors.ts";
import { type FolderLock, lockFolder } from "./folder-lock.ts";

export interface WrittenFile {
  /** With `/` after each sub-folder. */
  file: string;
  bytes: number;
  sha256: string;
}

export interface PublishOptions {
  /** Glob of a partitioned set: files that were not written this time are removed, and empty folders, too. */
  replace?: string | undefined;
  /** Returns files of the locked folder to delete. If it throws, nothing changes. */
  claim?: (() => string[]) | undefined;
  commit?: Commit | undefined;
  signal?: AbortSignal | undefined;
}

/** How an export is recorded: the record never lacks a file that a reader may have, even if the process is killed. */
export interface Commit {
  /** Whether an export has written this file of the folder before. */
  isKnown(file: string): boolean;
  /** Records the files before the first is renamed. If it throws, nothing changes. */
  enter(): void;
  /** Removes the record of files that were not renamed. */
  undo(): void;
  /** Records that all files were renamed. */
  settle(): void;
}

/**
 * Files of one export, which appear together: each is written under a temporary name and synced to disk; {@link
 * FileSet.publish} renames them in the order they were written. Without it, disposing leaves nothing.
 */
export class FileSet implements AsyncDisposable {
  readonly folder: string;
  readonly #drafts: Draft[] = [];
  readonly #written = new Set<string>();
  /** Folders made for the set, each after its parent. */
  readonly #folders: string[];

  private constructor(folder: string, folders: string[]) {
    this.folder = folder;
    this.#folders = folders;
  }

  static async open(folder: string): Promise<FileSet> {
    const path = resolve(folder);
    const folders = makeFolder(path, "shared");
    if (folders.length === 0) sweepDrafts(path);
    return new FileSet(path, folders);
  }

  /** Writes a file, possibly in sub-folders: `calls/month=2026-10/calls.parquet`. */
  async write(
    file: string,
    content: Iterable<Buffer | string> | AsyncIterable<Buffer | string>,
    audience: Audience = "shared",
  ): Promise<WrittenFile> {
    const path = join(this.folder, file);
    this.#folders.push(...makeFolder(dirname(path), "shared"));
    const draft = new Draft(path);
    this.#drafts.push(draft);
    this.#written.add(path);
    const sha256 = createHash("sha256");
    let bytes = 0;
    // With its final mode from the first byte, so that others can never read it.
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

  /** Renames the files, the last one only after the names of the others are on disk. Exports to one folder take turns. */
  async publish({ replace, claim, commit, signal }: PublishOptions = {}): Promise<void> {
    using lock = await lockFolder(this.folder, signal);
    for (const draft of this.#drafts) {
      assertNoFolder(draft.file);
      assertNoWarehouse(draft.file);
    }
    const others = claim?.() ?? [];
    commit?.enter();
    try {
      await this.#nameAll(lock, others, replace);
    } catch (error) {
      commit?.undo();
      throw error;
    }
    commit?.settle();
  }

  /** Undefined after the file was renamed. */
  draftOf(file: string): string | undefined {
    const path = join(this.folder, file);
    return this.#drafts.find((draft) => draft.file === path)?.path;
  }

  async #nameAll(lock: FolderLock, others: string[], replace: string | undefined): Promise<void> {
    const parents = this.#folders.map((folder) => dirname(folder));
    const name = async (drafts: readonly Draft[]) => {
      for (const draft of drafts) {
        lock.assertHeld();
        await removeLogs(draft.file);
        await rename(draft.path, draft.file);
        this.#drafts.shift();
      }
      this.#folders.length = 0;
      const changed = new Set([...parents.splice(0), ...drafts.map(({ file }) => dirname(file))]);
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
    for (const folder of this.#folders.reverse()) await removeIfEmpty(folder);
  }
}

/** A log that another program left of the replaced database would be played into the new one. */
async function removeLogs(file: string): Promise<void> {
  if (!file.endsWith(".sqlite")) return;
  for (const log of ["-journal", "-wal", "-shm"]) await rm(file + log, { force: true });
}

/** Checks first, so that files are not replaced in part. */
function assertNoFolder(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new CalltallyError(EXIT.storage, `Cannot write ${path}: it is a folder`, {
    hint: ({ out }) => `Move the folder away, or use another one ${out}.`,
  });
}

function assertNoWarehouse(path: string): void {
  const warehouse = warehouseOf(path);
  if (warehouse === undefined) return;
  throw new UsageError(`Cannot write ${path}: it is part of the warehouse ${warehouse}`, {
    hint: ({ out }) => `Use another folder ${out}.`,
  });
}

/** Removes what killed exports left behind, on any machine: drafts not written to for an hour. */
function sweepDrafts(folder: string): void {
  const oldestMs = Date.now() - 3_600_000;
  for (const path of findDrafts(folder)) {
    // Another export may just have renamed it.
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

/** The system's errors do not name a file that is already open. */
function cannotWrite(path: string): (cause: unknown) => never {
  return (cause) => {
    throw new CalltallyError(EXIT.storage, `Cannot write ${path}`, { cause, hint: adviseOn(cause) });
  };
}
