import pino, { type LevelWithSilent, type Logger } from "pino";
import { toPrintable, toPrintableLines } from "./printable.ts";

export type Log = Logger;

export interface LogOptions {
  level: LevelWithSilent;
  /** JSON for a machine, or lines for a person, in colours or without. */
  style: "json" | "colored" | "plain";
  /** Texts that must never be shown, whatever error quotes them: the token, the heartbeat's address. */
  secrets: readonly (string | undefined)[];
}

/** Secrets shorter than this are not masked: every other word would have them. */
const SHORTEST_SECRET = 6;

/** Opens a log on standard error, one line an event; standard output is for data. */
export async function openLog({ level, style, secrets }: LogOptions): Promise<Log> {
  const format = style === "json" ? toPrintableLines : await prettyFormat(style === "colored");
  const mask = maskOf(secrets);
  const output = pino.destination({ dest: 2, sync: true });
  output.on("error", () => {});
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    {
      write: (line) => {
        try {
          output.write(format(mask(line)));
        } catch {
          // A log that cannot be written, as on a full disk, is no reason to stop the work.
        }
      },
    },
  );
}

/** Loaded for terminals alone: it costs a start its time. */
async function prettyFormat(colorize: boolean): Promise<(line: string) => string> {
  const { prettyFactory } = await import("pino-pretty");
  const pretty = prettyFactory({
    colorize,
    singleLine: true,
    translateTime: "SYS:yyyy-mm-dd HH:MM:ss",
    ignore: "run",
  });
  // It shows the texts within the JSON as they are.
  return (line) =>
    pretty(JSON.parse(line, (_key, value) => (typeof value === "string" ? toPrintable(value) : value)));
}

/** Masks secrets and anything that looks like a phone number: errors quote what they were given, and services say anything. */
export function maskOf(secrets: readonly (string | undefined)[]): (line: string) => string {
  const hidden = secrets
    .filter((secret) => secret !== undefined && secret.length >= SHORTEST_SECRET)
    .flatMap((secret) => [JSON.stringify(secret).slice(1, -1), String(secret)]);
  return (line) =>
    hidden
      .reduce((text, secret) => text.replaceAll(secret, "[secret]"), line)
      .replace(/\+\d{7,15}(?!\d)/g, "[phone]");
}
