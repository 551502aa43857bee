import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import pLimit from "p-limit";
import type { WarmCommand } from "./warm-process.ts";

interface Ended {
  code: number | null;
  stdout: Buffer;
  stderr: Buffer;
}

/** The user and environment of commands. */
interface WarmOptions {
  bin: string;
  /** User and group, if this process is root's. */
  uid?: number | undefined;
  /** Folder of Node's compile cache. */
  compiled: string;
  /** Time after which a command is killed. */
  deadlineMs: number;
}

const PROGRAM = resolve(import.meta.dirname, "warm-process.ts");
const EMPTY = Buffer.alloc(0);
/** Idle processes. */
const idle = new Set<WarmProcess>();
/** More would each start a process for one command, on busy cores. */
const limit = pLimit(3);

/**
 * Runs a command of the built program in a process that may have run others, which takes a fraction of the time of a new
 * one. The result is that of a process of its own: a command that exits by itself, or leaves something open, ends it.
 */
export async function runWarm(options: WarmOptions, command: Omit<WarmCommand, "mark">): Promise<Ended> {
  return await limit(async () => {
    const warm =
      idle.values().find(({ bin, uid }) => bin === options.bin && uid === options.uid) ??
      new WarmProcess(options);
    idle.delete(warm);
    const ended = await warm.run(command, options.deadlineMs);
    if (!warm.isOver) idle.add(warm);
    return ended;
  });
}

class WarmProcess {
  readonly #child: ChildProcess;
  readonly #outputs: Buffer[][] = [[], []];
  #exitCode: number | undefined;
  #error: Error | undefined;
  #changed = () => {};
  readonly bin: string;
  readonly uid: number | undefined;
  isOver = false;

  constructor({ bin, uid, compiled }: WarmOptions) {
    this.bin = bin;
    this.uid = uid;
    this.#child = fork(PROGRAM, [bin], {
      cwd: "/",
      env: { NODE_COMPILE_CACHE: compiled },
      uid,
      gid: uid,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    for (const [index, stream] of this.#streams().entries()) {
      stream.on("data", (chunk: Buffer) => {
        this.#outputs[index]?.push(chunk);
        this.#changed();
      });
    }
    this.#child.on("message", (exitCode: number) => {
      this.#exitCode = exitCode;
      this.#changed();
    });
    this.#child.on("error", (error) => {
      this.#error = error;
      this.#end();
    });
    this.#child.once("close", () => this.#end());
  }

  async run(command: Omit<WarmCommand, "mark">, deadlineMs: number): Promise<Ended> {
    const mark = Buffer.from(`<${randomUUID()}>`);
    this.#exitCode = undefined;
    for (const chunks of this.#outputs) chunks.length = 0;
    this.#keepUsAlive(true);
    const deadline = setTimeout(() => this.#child.kill("SIGKILL"), deadlineMs);
    const [stdout = EMPTY, stderr = EMPTY] = await new Promise<Buffer[]>((end, fail) => {
      this.#changed = () => {
        if (this.#error !== undefined) return fail(this.#error);
        if (this.isOver) return end(this.#written());
        if (this.#exitCode === undefined) return;
        const written = this.#written();
        if (written.every((bytes) => bytes.subarray(-mark.length).equals(mark)))
          end(written.map((bytes) => bytes.subarray(0, -mark.length)));
      };
      // It fails for a child that has ended.
      this.#child.send({ ...command, mark: mark.toString() }, () => {});
    }).finally(() => clearTimeout(deadline));
    this.#keepUsAlive(false);
    return { code: this.isOver ? this.#child.exitCode : (this.#exitCode ?? null), stdout, stderr };
  }

  #end(): void {
    this.isOver = true;
    idle.delete(this);
    this.#changed();
  }

  #written(): Buffer[] {
    return this.#outputs.map((chunks) => Buffer.concat(chunks));
  }

  #streams(): Readable[] {
    return [this.#child.stdout, this.#child.stderr].filter((stream) => stream !== null);
  }

  /** An idle process must not keep a worker of the test runner from ending; without its channel it ends as well. */
  #keepUsAlive(isKeeping: boolean): void {
    for (const handle of [this.#child, this.#child.channel, ...this.#streams()]) {
      if (handle === null || handle === undefined) continue;
      if (!("ref" in handle)) continue;
      if (isKeeping) handle.ref();
      else handle.unref();
    }
  }
}
