import { createHash, randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { CalltallyError, EXIT } from "../errors.ts";
import { makeFolder } from "../folder.ts";

/** What was written to one file. */
export interface WrittenFile {
  /** Its name in the folder. */
  file: string;
  bytes: number;
  /** Of the content, in hex. */
  sha256: string;
}

/**
 * Files of one export, which appear together: each is written under a temporary name and synced to the disk, and they
 * get their names in the order they were written in {@link FileSet.publish}. Without it, disposing leaves nothing.
 */
export class FileSet implements AsyncDisposable {
  readonly folder: string;
  readonly #drafts: { draft: string; file: string }[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes the folder where there is none. */
  static async open(folder: string): Promise<FileSet> {
    const path = resolve(folder);
    makeFolder(path);
    return new FileSet(path);
  }

  async write(
    file: string,
    content: Iterable<Buffer | string> | AsyncIterable<Buffer | string>,
  ): Promise<WrittenFile> {
    const draft = join(this.folder, `.${file}.${randomUUID()}.tmp`);
    this.#drafts.push({ draft, file });
    const sha256 = createHash("sha256");
    let bytes = 0;
    await using handle = await open(draft, "wx", 0o600);
    for await (const chunk of content) {
      const buffer = Buffer.from(chunk);
      sha256.update(buffer);
      bytes += buffer.length;
      await handle.writeFile(buffer).catch(cannotWrite(join(this.folder, file)));
    }
    await handle.sync().catch(cannotWrite(join(this.folder, file)));
    return { file, bytes, sha256: sha256.digest("hex") };
  }

  async publish(): Promise<void> {
    while (this.#drafts[0] !== undefined) {
      const { draft, file } = this.#drafts[0];
      await rename(draft, join(this.folder, file));
      this.#drafts.shift();
    }
    await using folder = await open(this.folder, "r");
    await folder.sync().catch(cannotWrite(this.folder));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { draft } of this.#drafts) await rm(draft, { force: true });
  }
}

/** The system's errors do not name a file that is open already. */
function cannotWrite(path: string): (cause: unknown) => never {
  return (cause) => {
    throw new CalltallyError(EXIT.storage, `Cannot write ${path}`, { cause });
  };
}
