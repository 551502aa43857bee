import { z } from "zod";
import { type RunOptions, startCalltally } from "./run.ts";

const logLine = z.looseObject({
  level: z.string(),
  time: z.iso.datetime(),
  run: z.string().optional(),
  account: z.string().optional(),
  job: z.string().optional(),
  msg: z.string(),
  exitCode: z.number().nullish(),
});
export type LogLine = z.infer<typeof logLine>;

/** Returns the lines of a log: each must be one event in JSON; the last may be incomplete. */
export function parseLines(written: string): LogLine[] {
  const whole = written.slice(0, written.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => logLine.parse(JSON.parse(line)));
}

/** Starts a job or the schedule, which log to standard error. */
export function startLogging(args: string[], options: RunOptions) {
  const child = startCalltally(args, options);
  let written = "";
  let news = Promise.withResolvers<void>();
  const wake = () => {
    news.resolve();
    news = Promise.withResolvers();
  };
  child.once("exit", wake);
  child.stderr?.on("data", (chunk) => {
    written += String(chunk);
    wake();
  });
  const lines = () => parseLines(written);
  /** Waits for a line, among those from a place on. */
  async function seen(wanted: (line: LogLine) => boolean, from = 0): Promise<LogLine> {
    for (;;) {
      const found = lines().slice(from).find(wanted);
      if (found) return found;
      if (child.exitCode !== null) throw new Error(`It has ended: ${written}`);
      await news.promise;
    }
  }
  /** Stops it; returns how it ended. */
  async function stop() {
    child.kill("SIGTERM");
    return await child.done;
  }
  /** Leaves nothing running after a failed test. */
  async function end(): Promise<void> {
    await stop().catch(() => undefined);
  }
  return { child, lines, seen, stop, [Symbol.asyncDispose]: end };
}
