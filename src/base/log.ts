import pino, { type LevelWithSilent, type Logger } from "pino";
import { toPrintable, toPrintableLines } from "./text/printable.ts";

export type Log = Logger;

export interface LogOptions {
  level: LevelWithSilent;
  /** JSON for machines, or lines for people, with or without colours. */
  style: "json" | "colored" | "plain";
  /** Texts that must never appear, whatever error quotes them: the token, the heartbeat's address. */
  secrets: readonly (string | undefined)[];
}

/** Shorter secrets are not masked, because they occur in ordinary words. */
const SHORTEST_SECRET = 6;

/** Logs to standard error, one line per event; standard output is for data. */
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
          // A log that cannot be written, for example on a full disk, must not stop the work.
        }
      },
    },
  );
}

/** Loaded only for terminals: it slows down the start. */
async function prettyFormat(colorize: boolean): Promise<(line: string) => string> {
  const { prettyFactory } = await import("pino-pretty");
  const pretty = prettyFactory({
    colorize,
    singleLine: true,
    translateTime: "SYS:yyyy-mm-dd HH:MM:ss",
    ignore: "run",
  });
  // It prints texts inside the JSON unescaped.
  return (line) =>
    pretty(JSON.parse(line, (_key, value) => (typeof value === "string" ? toPrintable(value) : value)));
}

/** Masks secrets and anything that looks like a phone number: errors quote their input, and services may say anything. */
export function maskOf(secrets: readonly (string | undefined)[]): (line: string) => string {
  const hidden = secrets
    .filter((secret) => secret !== undefined && secret.length >= SHORTEST_SECRET)
    .flatMap((secret) => [JSON.stringify(secret).slice(1, -1), String(secret)]);
  return (line) =>
    hidden
      .reduce((text, secret) => text.replaceAll(secret, "[secret]"), line)
      .replace(/\+\d{7,15}(?!\d)/g, "[phone]");
}
