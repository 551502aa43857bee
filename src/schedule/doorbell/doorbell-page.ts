import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { SECRET_PARAMETER } from "../../config/doorbell.ts";

/** A delivery contains one call, possibly with its transcript. */
const MAX_BYTES = 1_000_000;
/** For all bodies being read at once, whose senders have not shown the secret yet. */
const MAX_HELD_BYTES = 16_000_000;
/** Overhead of a piece of a body, which may be one byte long. */
const PIECE_BYTES = 128;
/** Anybody may ring with a wrong secret, as often as they like. */
const REFUSAL_LOG_MS = 60_000;

export interface PlainResponse {
  status: number;
  text: string;
  headers?: Readonly<Record<string, string>>;
}

const RUNG: PlainResponse = { status: 202, text: "A sync follows.\n" };
const NO_SECRET: PlainResponse = {
  status: 401,
  text: "The secret is missing or wrong.\n",
  headers: { "www-authenticate": "Bearer" },
};
const NO_DOOR: PlainResponse = { status: 404, text: "There is no such account.\n" };
const NOT_POST: PlainResponse = {
  status: 405,
  text: "Only POST is allowed: a GET would put the secret into a URL, which servers log.\n",
  headers: { allow: "POST" },
};
const CUT_SHORT: PlainResponse = { status: 408, text: "The body is incomplete.\n" };
const TOO_LARGE: PlainResponse = { status: 413, text: `The body is larger than ${MAX_BYTES} bytes.\n` };
const BUSY: PlainResponse = {
  status: 503,
  text: "Too many bodies at once.\n",
  headers: { "retry-after": "1" },
};
const REFUSALS = [NO_SECRET, NO_DOOR, NOT_POST, CUT_SHORT, TOO_LARGE, BUSY];

export interface DoorbellOptions {
  secret: string;
  doors: ReadonlyMap<string, () => void>;
  log: Log;
  clock: Clock;
}

export function isDoorbellPath(path: string): boolean {
  return path === "/doorbell" || path.startsWith("/doorbell/");
}

/**
 * Accepts deliveries of the platform's webhooks (API v3 § 6). Only the secret and the arrival count; senders without
 * the secret learn nothing, and of a request only its status is logged.
 */
export class DoorbellPage {
  readonly refused = new Map(REFUSALS.map(({ status }) => [status, 0]));
  readonly #options: DoorbellOptions;
  readonly #secretHash: Buffer;
  #heldBytes = 0;
  #loggedMs = Number.NEGATIVE_INFINITY;

  constructor(options: DoorbellOptions) {
    this.#options = options;
    this.#secretHash = hash("sha256", options.secret, "buffer");
  }

  async answer(request: IncomingMessage): Promise<PlainResponse> {
    const response = await this.#judge(request);
    if (response !== RUNG) this.#noteRefusal(response.status);
    return response;
  }

  async #judge(request: IncomingMessage): Promise<PlainResponse> {
    if (request.method !== "POST") return NOT_POST;
    let secret = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
    if (secret === undefined) {
      const body = await this.#readBody(request);
      if (typeof body !== "string") return body;
      secret = findSecret(body);
    }
    if (!timingSafeEqual(hash("sha256", secret ?? "", "buffer"), this.#secretHash)) return NO_SECRET;
    const ring = this.#options.doors.get(pathOf(request));
    if (ring === undefined) return NO_DOOR;
    ring();
    return RUNG;
  }

  /** Reads a body within the server's time limit; drops what is too large. */
  async #readBody(request: IncomingMessage): Promise<string | PlainResponse> {
    if (Number(request.headers["content-length"]) > MAX_BYTES) return TOO_LARGE;
    const { promise, resolve } = Promise.withResolvers<string | PlainResponse>();
    let pieces: Buffer[] | undefined = [];
    let held = 0;
    const giveUp = (response: PlainResponse) => {
      pieces = undefined;
      resolve(response);
    };
    request.on("data", (piece: Buffer) => {
      if (pieces === undefined) return;
      const bytes = piece.length + PIECE_BYTES;
      held += bytes;
      this.#heldBytes += bytes;
      if (held > MAX_BYTES) giveUp(TOO_LARGE);
      else if (this.#heldBytes > MAX_HELD_BYTES) giveUp(BUSY);
      else pieces.push(piece);
    });
    request.once("end", () => resolve(Buffer.concat(pieces ?? []).toString()));
    request.once("error", () => giveUp(CUT_SHORT));
    request.once("close", () => giveUp(CUT_SHORT));
    try {
      return await promise;
    } finally {
      this.#heldBytes -= held;
    }
  }

  #noteRefusal(status: number): void {
    this.refused.set(status, (this.refused.get(status) ?? 0) + 1);
    const nowMs = this.#options.clock.now();
    if (Math.abs(nowMs - this.#loggedMs) < REFUSAL_LOG_MS) return;
    this.#loggedMs = nowMs;
    const refused = [...this.refused.values()].reduce((sum, count) => sum + count);
    this.#options.log.warn({ status, refused }, "the doorbell refused a request");
  }
}

export function pathOf({ url = "" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "";
}

/** The place of the secret is undocumented (API v3 § 6): a list, an object, or the body itself. */
function findSecret(text: string): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parameters = memberOf(body, "static_parameters");
  const listed = Array.isArray(parameters)
    ? parameters.find((pair: unknown) => memberOf(pair, "field_name") === SECRET_PARAMETER)
    : undefined;
  const candidates = [
    memberOf(listed, "field_value"),
    memberOf(parameters, SECRET_PARAMETER),
    memberOf(body, SECRET_PARAMETER),
  ];
  return candidates.find((value) => typeof value === "string");
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}
