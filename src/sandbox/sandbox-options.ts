import { z } from "zod";
import { FAULT_KINDS } from "./faults.ts";

const atLeastOne = z.int().min(1);

const optionsSchema = z.object({
  /** Port on 127.0.0.1; 0 for any free one. */
  port: z.int().min(0).max(65_535).default(0),
  token: z.string().min(1).default("sandbox-token"),
  calls: z.int().min(0).default(5000),
  /** The same seed makes the same calls, faults and removals. */
  seed: z.int().default(1),
  /** The newest call starts shortly before this, an inserted call at it. @default the system's clock */
  now: z.date().optional(),
  /** Newest first, oldest first, shuffled once, or in a new random order with every request. */
  order: z.enum(["newest", "oldest", "shuffled", "random"]).default("newest"),
  /** The most rows a page holds, whatever `limit` asks for. @default none */
  pageCap: atLeastOne.optional(),
  latencyMs: z.number().min(0).default(0),
  /** Which faults to mix into the responses of all operations, at `faultRate`. @default all kinds */
  faults: z.array(z.enum(FAULT_KINDS)).min(1).readonly().optional(),
  /** Share of the requests that meet a fault, 0 to 1. @default 0, or 0.1 when `faults` are given */
  faultRate: z.number().min(0).max(1).optional(),
  /** A call comes in with every N-th attribution request, before its response is made. @default never */
  insertEvery: atLeastOne.optional(),
  /** A random call is removed with every N-th attribution request, before its response is made. @default never */
  deleteEvery: atLeastOne.optional(),
  /** Deliver events of webhooks to other machines too, and not to loopback addresses only. */
  allowDelivery: z.boolean().default(false),
  /** Time for one delivery, in milliseconds. */
  deliveryTimeoutMs: z.number().min(1).default(2000),
  /** Missing values of calls may be null, where the API's document promises a string. */
  nulls: z.boolean().default(false),
  /** Some calls have texts that programs stumble over: formulas, quotes, line breaks, blanks at the ends. */
  oddTexts: z.boolean().default(false),
  /** A PUT keeps the optional members that it leaves out, and does not empty them. */
  putKeepsOmitted: z.boolean().default(false),
});

export type SandboxOptions = z.input<typeof optionsSchema>;
export type SandboxSettings = ReturnType<typeof parseOptions>;

/** @throws RangeError when an option is out of its bounds */
export function parseOptions(options: SandboxOptions) {
  const result = optionsSchema.safeParse(options);
  if (!result.success) {
    throw new RangeError(`Cannot start the sandbox: ${z.prettifyError(result.error)}`, {
      cause: result.error,
    });
  }
  const { now, faults, faultRate = faults ? 0.1 : 0, ...settings } = result.data;
  return {
    ...settings,
    now: now ? () => now.getTime() : Date.now,
    faults: faults ?? FAULT_KINDS,
    faultRate,
  };
}
