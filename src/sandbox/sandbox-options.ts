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
  /** Most rows of a page, whatever `limit` asks for. @default none */
  pageCap: atLeastOne.optional(),
  latencyMs: z.number().min(0).default(0),
  /** Faults mixed into the responses of all operations, at `faultRate`. @default all kinds */
  faults: z.array(z.enum(FAULT_KINDS)).min(1).readonly().optional(),
  /** Share of requests with a fault, 0 to 1. @default 0, or 0.1 if `faults` are given */
  faultRate: z.number().min(0).max(1).optional(),
  /** A call is added before every N-th attribution response. @default never */
  insertEvery: atLeastOne.optional(),
  /** A random call is removed before every N-th attribution response. @default never */
  deleteEvery: atLeastOne.optional(),
  /** Deliver events of webhooks to other machines, too, not only to loopback addresses. */
  allowDelivery: z.boolean().default(false),
  /** For one delivery. */
  deliveryTimeoutMs: z.number().min(1).default(2000),
  /** Missing values may be null, where the API's document promises a string. */
  nulls: z.boolean().default(false),
  /** Some calls have difficult texts: formulas, quotes, line breaks, blanks at the ends. */
  oddTexts: z.boolean().default(false),
  /** A PUT keeps omitted optional members instead of emptying them. */
  putKeepsOmitted: z.boolean().default(false),
});

export type SandboxOptions = z.input<typeof optionsSchema>;
export type SandboxSettings = ReturnType<typeof parseOptions>;

/** @throws RangeError for an option out of its bounds */
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
