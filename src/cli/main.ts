import { once } from "node:events";
import { CommanderError } from "commander";
import { CalltallyError, EXIT, type ExitCode, InterruptedError } from "../errors.ts";
import { toPrintableLines } from "../printable.ts";
import type { Context } from "./context.ts";
import { printError } from "./print-error.ts";
import { createProgram } from "./program.ts";

/** Runs the command line of this process, and sets its exit code. */
export async function main(): Promise<void> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => stop.abort(new InterruptedError(signal)));
  }
  process.stdout.on("error", endOnOutputError);
  // Nobody is left to be told.
  process.stderr.on("error", () => {});
  const context = createContext(stop.signal);
  const exit = (code: ExitCode) => {
    process.exitCode = code;
  };
  try {
    const program = await createProgram(context, exit, process.argv.slice(2));
    await program.parseAsync();
    // While Node winds up, one more signal would end it in the signal's own way, and not with our exit code.
    if (stop.signal.aborted && process.stdout.writableLength === 0) process.exit();
  } catch (error) {
    if (error instanceof CommanderError) return exit(error.exitCode === 0 ? EXIT.done : EXIT.usage);
    exit(printError(context, error, "calltally: ").exitCode);
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
  const print = (text: string) => void process.stdout.write(endLine(toPrintableLines(text)));
  const complain = (text: string) => void process.stderr.write(endLine(toPrintableLines(text)));
  const context: Context = {
    env: process.env,
    get folder() {
      return workingFolder();
    },
    signal,
    print,
    write: (chunk) => writeToOutput(chunk, signal),
    complain,
    tell: (text) => context.quiet || print(text),
    note: (text) => context.quiet || complain(text),
    quiet: false,
  };
  return context;
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
