import { CalltallyError, EXIT, type ExitCode, UsageError } from "../base/errors.ts";
import { formatQuantity } from "../base/quantity-text.ts";
import { runChild } from "../schedule/child-process.ts";
import { type Context, QUERY_PARENT } from "./context.ts";

export const QUERY_FORMATS = ["table", "csv", "json"] as const;
export type QueryFormat = (typeof QUERY_FORMATS)[number];

const MOST_SQL_BYTES = 1_000_000;

/**
 * Runs the same command line in a child process, since a running SQL statement is deaf to signals and ends by the death
 * of its process alone. The child reads and writes for itself, and says what is wrong.
 *
 * @returns the exit code of the child
 * @throws InterruptedError, and CalltallyError (exit 3) after the deadline; the child is gone by then
 */
export async function runInChild(
  { env, signal }: Pick<Context, "env" | "signal">,
  timeoutSeconds: number,
): Promise<ExitCode> {
  signal.throwIfAborted();
  const outcome = await runChild(process.argv.slice(1), {
    deadlineMs: timeoutSeconds * 1000,
    graceMs: 0,
    signal,
    stopMs: 0,
    stdio: "inherit",
    env: { ...env, [QUERY_PARENT]: String(process.pid) },
  });
  signal.throwIfAborted();
  if (outcome.error !== null) throw outcome.error;
  const exitCode = Object.values(EXIT).find((known) => known === outcome.exitCode);
  if (exitCode !== undefined) return exitCode;
  if (outcome.isLate) {
    throw new CalltallyError(
      EXIT.unverified,
      `The query was ended after ${formatQuantity(timeoutSeconds, "second")}`,
      {
        hint: "Its output is incomplete. Allow more time with --timeout, or narrow the query: use WHERE or the rollup views.",
      },
    );
  }
  const end = outcome.signal ?? `code ${outcome.exitCode}`;
  throw new CalltallyError(EXIT.failed, `The process of the query ended by ${end}`, {
    hint: "It may have run out of memory: ask for fewer or shorter values.",
  });
}

/** Reads the statement from standard input. */
export async function readSql(input: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > MOST_SQL_BYTES) {
      throw new UsageError(`The SQL on standard input is longer than ${MOST_SQL_BYTES} bytes`);
    }
  }
  return Buffer.concat(chunks).toString("utf8");
}
