import type { z } from "zod";

/** A request of the table. */
export interface Request {
  readonly method: "GET" | "PUT" | "PATCH";
  /** With the query; "{insight}" stands for the id of an insight that exists. */
  readonly path: string;
  readonly body?: unknown;
  /** "basic" is the right one in another scheme. @default "right" */
  readonly token?: "right" | "wrong" | "none" | "basic";
}

export interface Answer {
  readonly status: number;
  /** Without its parameters; undefined when there is none. */
  readonly contentType: string | undefined;
  /** When the request was sent and the response was there, in milliseconds since 1970-01-01 UTC. */
  readonly sentMs: number;
  readonly receivedMs: number;
  /** Parsed JSON; undefined when it is none. */
  readonly body: unknown;
}

/** "not seen": nothing speaks against the row, but the answer had nothing to tell it by. */
export interface Verdict {
  readonly verdict: "passed" | "failed" | "not seen";
  readonly reason: string;
}

/** Judges an answer, with the answer to the row's `other` request if it has one. */
export type Expectation = (answer: Answer, other: Answer | undefined) => Verdict;

/** One thing that the API's document says, and how to see whether a server keeps it. */
export interface Row {
  /** Where the document says it, such as "4.2 limit maximum". */
  readonly section: string;
  readonly request: Request;
  /** Sent right after the request, to be compared with. */
  readonly other?: Request;
  readonly expect: Expectation;
  /** Only a server that fails can show it. */
  readonly needsFailure?: true;
  /** What only the sandbox can show: the API's document has no way to read a webhook. */
  readonly webhook?: WebhookEffect;
  /** Calls without DNI session data that are there: none can be made through the API. */
  readonly callsWithoutDni?: number;
}

export interface WebhookEffect {
  readonly id: number;
  /** The members that differ afterwards, beside webhook_updated, which is set to now; or none at all. */
  readonly leaves: Readonly<Record<string, unknown>> | "unchanged";
  /** Whether an event is delivered to it afterwards. */
  readonly delivers?: boolean;
  /** What is delivered to it then: `method`, `url`, and the `payload` of a body or a query. */
  readonly delivered?: z.ZodType;
}

/** A row that reads: it may be asked of any server. */
export function isReadOnly({ request, needsFailure, webhook, callsWithoutDni }: Row): boolean {
  return request.method === "GET" && (needsFailure ?? webhook ?? callsWithoutDni) === undefined;
}
