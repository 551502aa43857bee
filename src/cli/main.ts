import { once } from "node:events";
import { CommanderError } from "commander";
import { CalltallyError, describeError, EXIT, type ExitCode, InterruptedError } from "../errors.ts";
import { createProgram } from "./program.ts";

/** Errors of the file system that the operator can mend. */
const DISK_ERRORS = new Set([
  "EACCES",
  "EEXIST",
  "EDQUOT",
  "EIO",
  "EISDIR",
  "EMFILE",
  "ENOENT",
  "ENOSPC",
  "ENOTDIR",
  "EPERM",
  "EROFS",
]);

/** Runs the command line of this process, and sets its exit code. */
export async function main(): Promise<void> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => stop.abort(new InterruptedError(signal)));
  }
  process.stdout.on("error", endOnOutputError);
  const context = {
    env: process.env,
    folder: process.cwd(),
    signal: stop.signal,
    print: (text: string) => void process.stdout.write(endLine(text)),
    write: writeToOutput,
    note: (text: string) => void process.stderr.write(endLine(text)),
  };
  const exit = (code: ExitCode) => {
    process.exitCode = code;
  };
  try {
    const program = await createProgram(context, exit, process.argv.slice(2));
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) return exit(error.exitCode === 0 ? EXIT.done : EXIT.usage);
    const known = toCalltallyError(error);
    context.note(`calltally: ${describeError(known)}`);
    if (known.hint !== undefined) context.note(known.hint);
    exit(known.exitCode);
  }
}

function toCalltallyError(error: unknown): CalltallyError {
  if (error instanceof CalltallyError) return error;
  if (error instanceof Error && isSqliteError(error.cause)) return toCalltallyError(error.cause);
  if (isSqliteError(error)) {
    return new CalltallyError(EXIT.storage, `Cannot use the warehouse: ${error.message} (${error.code})`);
  }
  if (error instanceof Error && "code" in error && DISK_ERRORS.has(String(error.code))) {
    return new CalltallyError(EXIT.storage, error.message);
  }
  return new CalltallyError(EXIT.failed, "This should not have happened", { cause: error });
}

/** Told by its code: its class comes with the library, which `--help` need not wait for. */
function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_");
}

async function writeToOutput(chunk: Buffer): Promise<void> {
  if (!process.stdout.write(chunk)) await once(process.stdout, "drain");
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
