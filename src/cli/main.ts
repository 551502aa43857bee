import { once } from "node:events";
import { CommanderError } from "commander";
import { CalltallyError, describeWithHint, EXIT, InterruptedError } from "../base/errors.ts";
import { adviseOn } from "../base/file-access.ts";
import { toCalltallyError } from "../base/known-error.ts";
import { toPrintableLines } from "../base/text/printable.ts";
import { wordsFor } from "../config/setting-name.ts";
import type { Context } from "./context.ts";
import { createProgram } from "./program.ts";

/** What a command line needs from its process. */
type Host = Pick<NodeJS.Process, "env" | "cwd" | "exitCode"> &
  Record<"stdout" | "stderr", NodeJS.WritableStream & { isTTY?: boolean }>;

/** Runs a command line, by default that of this process, and sets its exit code. */
export async function main(args = process.argv.slice(2)): Promise<void> {
  const stop = new AbortController();
  let isOver = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (isOver) process.exit();
      stop.abort(new InterruptedError(signal));
    });
  }
  process.stdout.on("error", endOnOutputError);
  // Nobody is left to read it.
  process.stderr.on("error", () => {});
  const isDone = await runCommand(args, stop.signal, process);
  isOver = true; // what is left may be output that nobody reads
  // While Node shuts down, another signal would end it without our exit code. Unread output in a pipe would also keep
  // an interrupted process alive.
  if (stop.signal.aborted && (!isDone || process.stdout.writableLength === 0)) process.exit();
}

/** Runs a command line, and sets the exit code of its host; returns false if it failed. */
export async function runCommand(args: string[], signal: AbortSignal, host: Host): Promise<boolean> {
  const context = createContext(signal, host);
  try {
    const program = await createProgram(context, args);
    await program.parseAsync(args, { from: "user" });
    return true;
  } catch (error) {
    if (error instanceof CommanderError) {
      context.exit(error.exitCode === 0 ? EXIT.done : EXIT.usage);
      return true;
    }
    const known = toCalltallyError(error);
    context.complain(`calltally: ${describeWithHint(known, wordsFor(context.configuration?.shared ?? {}))}`);
    context.exit(known.exitCode);
    return false;
  }
}

/** Writes bytes unchanged to a file or a pipe, printable on a terminal. */
async function writeToOutput(chunk: Buffer, stdout: Host["stdout"], signal: AbortSignal): Promise<void> {
  if (stdout.write(stdout.isTTY ? toPrintableLines(chunk.toString().replaceAll("\r\n", "\n")) : chunk))
    return;
  try {
    await once(stdout, "drain", { signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/** All output passes here: texts of the service, of files and of errors may contain anything. */
function createContext(signal: AbortSignal, host: Host): Context {
  return {
    env: host.env,
    get folder() {
      return workingFolder(host);
    },
    signal,
    print: (text) => void host.stdout.write(endLine(toPrintableLines(text))),
    write: (chunk) => writeToOutput(chunk, host.stdout, signal),
    complain: (text) => void host.stderr.write(endLine(toPrintableLines(text))),
    exit: (code) => {
      host.exitCode = code;
    },
    options: {},
  };
}

function workingFolder(host: Host): string {
  try {
    return host.cwd();
  } catch {
    throw new CalltallyError(
      EXIT.storage,
      "Cannot find the working folder: it was removed, or is not accessible",
      {
        hint: "Change to another folder.",
      },
    );
  }
}

/** The reader of a pipe may stop early, as `| head` does; or its disk is full. */
function endOnOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit();
  process.stderr.write(`calltally: Cannot write to standard output: ${error.message}\n${adviseOn(error)}\n`);
  process.exit(EXIT.storage);
}

function endLine(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
