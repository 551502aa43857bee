import pino, { type Logger } from "pino";

export type Log = Logger;

/** Returns a log of JSON lines on standard error; standard output is for data. */
export function openLog(): Log {
  return pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );
}
