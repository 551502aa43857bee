import { once } from "node:events";
import { CommanderError } from "commander";
import { CalltallyError, describeWithHint, EXIT, InterruptedError } from "../base/errors.ts";
import { toCalltallyError } from "../base/known-error.ts";
import { toPrintableLines } from "../base/printable.ts";
import type { Context } from "./context.ts";
import { createProgram } from "./program.ts";

/** Runs the command line of this process, and sets its exit code. */
export async function main(): Promise<void> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => stop.abort(new InterruptedError(signal)));
  }
  process.stdout.on("error", endOnOutputError);
  // Nobody is left to read it.
  process.stderr.on("error", () => {});
  const context = createContext(stop.signal);
  try {
    const program = await createProgram(context, process.argv.slice(2));
    await program.parseAsync();
    // While Node winds up, one more signal would end it in the signal's own way, and not with our exit code.
    if (stop.signal.aborted && process.stdout.writableLength === 0) process.exit();
  } catch (error) {
    if (error instanceof CommanderError) return context.exit(error.exitCode === 0 ? EXIT.done : EXIT.usage);
    const known = toCalltallyError(error);
    context.complain(`calltally: ${describeWithHint(known)}`);
    context.exit(known.exitCode);
    // What the reader of a pipe leaves unread would keep an interrupted process from its end, too.
    if (stop.signal.aborted) process.exit();
  }
}

/** Writes data: byte for byte to a file or a pipe, printable on a terminal. */
async function writeToOutput(chunk: Buffer, signal: AbortSignal): Promise<void> {
  const { isTTY } = process.stdout;
  if (process.stdout.write(isTTY ? toPrintableLines(chunk.toString().replaceAll("\r\n", "\n")) : chunk))
    return;
  try {
    await once(process.stdout, "drain", { signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/** Whatever is printed passes here: texts of the service, of files and of errors may hold anything. */
function createContext(signal: AbortSignal): Context {
  return {
    env: process.env,
    get folder() {
      return workingFolder();
    },
    signal,
    print: (text) => void process.stdout.write(endLine(toPrintableLines(text))),
    write: (chunk) => writeToOutput(chunk, signal),
    complain: (text) => void process.stderr.write(endLine(toPrintableLines(text))),
    exit: (code) => {
      process.exitCode = code;
    },
    options: {},
  };
}

function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new CalltallyError(
      EXIT.storage,
      "Cannot find the working folder: it was removed, or may not be entered",
      {
        hint: "Change to another folder.",
      },
    );
  }
}

/** The reader of a pipe may have enough before we are done, as with `| head`; or the disk it goes to is full. */
function endOnOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit();
  process.stderr.write(`calltally: Cannot write to standard output: ${error.message}\n`);
  process.exit(EXIT.storage);
}

function endLine(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
