import pino from "pino";
import { z } from "zod";
import type { Log } from "../../src/base/log.ts";

const line = z.looseObject({ level: z.number(), msg: z.string().optional() });

/** A log that keeps its lines. */
export function keepLines(): { log: Log; lines: z.infer<typeof line>[]; messages: () => string[] } {
  const lines: z.infer<typeof line>[] = [];
  const log = pino(
    { base: null, timestamp: false, level: "trace" },
    {
      write: (text: string) => void lines.push(line.parse(JSON.parse(text))),
    },
  );
  return { log, lines, messages: () => lines.map(({ msg = "" }) => msg) };
}
