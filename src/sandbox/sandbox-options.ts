import { z } from "zod";
import { FAULT_KINDS, type FaultKind } from "./faults.ts";

export interface SandboxOptions {
  /** Port on 127.0.0.1. @default 0, any free one */
  port?: number;
  /** The bearer token that is accepted. @default "sandbox-token" */
  token?: string;
  /** How many calls there are at first. @default 5000 */
  calls?: number;
  /** The same seed makes the same calls, faults and removals. @default 1 */
  seed?: number;
  /** The newest call starts shortly before this, an inserted call at it. @default the system's clock */
  now?: Date;
  /**
   * Newest first, oldest first, shuffled once, or in a new random order with every request.
   * @default "newest"
   */
  order?: "newest" | "oldest" | "shuffled" | "random";
  /** The most rows a page holds, whatever `limit` asks for. @default none */
  pageCap?: number;
  /** Wait before each response. @default 0 */
  latencyMs?: number;
  /** Which faults to mix into the responses of all operations, at `faultRate`. @default all kinds */
  faults?: readonly FaultKind[];
  /** Share of the requests that meet a fault, 0 to 1. @default 0, or 0.1 when `faults` are given */
  faultRate?: number;
  /** A call comes in with every N-th attribution request, before its response is made. @default never */
  insertEvery?: number;
  /** A random call is removed with every N-th attribution request, before its response is made. @default never */
  deleteEvery?: number;
  /** Deliver events of webhooks to other machines too. @default false, to loopback addresses only */
  allowDelivery?: boolean;
  /** Time for one delivery, in milliseconds. @default 2000 */
  deliveryTimeoutMs?: number;
  /** Missing values of calls may be null, where the API's document promises a string. @default false */
  nulls?: boolean;
  /** Some calls have texts that programs stumble over: formulas, quotes, line breaks, blanks at the ends. @default false */
  oddTexts?: boolean;
  /** A PUT keeps the optional members that it leaves out, and does not empty them. @default false */
  putKeepsOmitted?: boolean;
}

const count = z.int().min(0);
const atLeastOne = z.int().min(1);

const optionsSchema = z.object({
  port: z.int().min(0).max(65_535).default(0),
  token: z.string().min(1).default("sandbox-token"),
  calls: count.default(5000),
  seed: z.int().default(1),
  now: z.date().optional(),
  order: z.enum(["newest", "oldest", "shuffled", "random"]).default("newest"),
  pageCap: atLeastOne.optional(),
  latencyMs: z.number().min(0).default(0),
  faults: z.array(z.enum(FAULT_KINDS)).min(1).optional(),
  faultRate: z.number().min(0).max(1).optional(),
  insertEvery: atLeastOne.optional(),
  deleteEvery: atLeastOne.optional(),
  allowDelivery: z.boolean().default(false),
  deliveryTimeoutMs: z.number().min(1).default(2000),
  nulls: z.boolean().default(false),
  oddTexts: z.boolean().default(false),
  putKeepsOmitted: z.boolean().default(false),
});

export type SandboxSettings = ReturnType<typeof parseOptions>;

/**
 * Checks the options and fills in their defaults.
 *
 * @throws {RangeError} when one of them is out of its bounds.
 */
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
