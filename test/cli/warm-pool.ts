import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import type { WarmCommand } from "./warm-process.ts";

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

const PROGRAM = resolve(import.meta.dirname, "warm-process.ts");
/** Those that wait for a command. */
const idle = new Set<WarmProcess>();

/**
 * Runs a command of the built program in a process that may have run others, which takes a fraction of the time of a new
 * one. The result is that of a process of its own: a command that exits by itself, or leaves something open, ends it.
 */
export async function runWarm(bin: string, command: Omit<WarmCommand, "mark">): Promise<Ended> {
  const [warm = new WarmProcess(bin)] = idle;
  idle.delete(warm);
  const ended = await warm.run(command);
  if (!warm.isOver) idle.add(warm);
  return ended;
}

class WarmProcess {
  readonly #child: ChildProcess;
  readonly #outputs: Buffer[][] = [[], []];
  #exitCode: number | undefined;
  #changed = () => {};
  isOver = false;

  constructor(bin: string) {
    this.#child = fork(PROGRAM, [bin], {
      execArgv: [],
      cwd: "/",
      env: {},
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
    this.#child.once("close", () => {
      this.isOver = true;
      idle.delete(this);
      this.#changed();
    });
  }

  async run(command: Omit<WarmCommand, "mark">): Promise<Ended> {
    const mark = `<${randomUUID()}>`;
    this.#exitCode = undefined;
    for (const chunks of this.#outputs) chunks.length = 0;
    this.#keepUsAlive(true);
    this.#child.send({ ...command, mark });
    const [stdout = "", stderr = ""] = await new Promise<string[]>((end) => {
      this.#changed = () => {
        if (this.isOver) return end(this.#texts());
        if (this.#exitCode === undefined) return;
        const texts = this.#texts();
        if (texts.every((text) => text.endsWith(mark))) end(texts.map((text) => text.slice(0, -mark.length)));
      };
    });
    this.#keepUsAlive(false);
    return { code: this.isOver ? this.#child.exitCode : (this.#exitCode ?? null), stdout, stderr };
  }

  #texts(): string[] {
    return this.#outputs.map((chunks) => new TextDecoder().decode(Buffer.concat(chunks)));
  }

  #streams(): Readable[] {
    return [this.#child.stdout, this.#child.stderr].filter((stream) => stream !== null);
  }

  /** One that waits is to keep no worker of the test runner from its end; without its channel it ends as well. */
  #keepUsAlive(isKeeping: boolean): void {
    for (const handle of [this.#child, this.#child.channel, ...this.#streams()]) {
      if (handle === null || handle === undefined) continue;
      if (!("ref" in handle)) continue;
      if (isKeeping) handle.ref();
      else handle.unref();
    }
  }
}
