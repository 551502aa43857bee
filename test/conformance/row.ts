/** A request of the table. */
export interface Request {
  readonly method: "GET" | "PUT" | "PATCH";
  /** With the query; "{insight}" is replaced with the id of an existing insight. */
  readonly path: string;
  readonly body?: unknown;
  /** "basic" is the right one in another scheme. @default "right" */
  readonly token?: "right" | "wrong" | "none" | "basic";
}

export interface Answer {
  readonly status: number;
  /** Without its parameters; undefined when there is none. */
  readonly contentType: string | undefined;
  /** When the request was sent and the response had arrived, in milliseconds since 1970-01-01 UTC. */
  readonly sentMs: number;
  readonly receivedMs: number;
  /** Parsed JSON; undefined if it is not JSON. */
  readonly body: unknown;
}

/** "not seen": nothing contradicts the row, but the response did not allow a judgement. */
export interface Verdict {
  readonly verdict: "passed" | "failed" | "not seen";
  readonly reason: string;
}

/** Judges a response, with the response to the row's `other` request if it has one. */
export type Expectation = (answer: Answer, other: Answer | undefined) => Verdict;

/** One rule of the API's document, and how to check whether a server follows it. */
export interface Row {
  /** The place in the document, such as "4.2 limit maximum". */
  readonly section: string;
  readonly request: Request;
  /** Sent immediately after the request, for comparison. */
  readonly other?: Request;
  readonly expect: Expectation;
  /** Only a failing server can show it. */
  readonly needsFailure?: true;
  /** Checks only for the sandbox: the API's document has no way to read a webhook. */
  readonly webhook?: WebhookEffect;
  /** The number of calls without DNI session data: none can be created through the API. */
  readonly callsWithoutDni?: number;
}

export interface WebhookEffect {
  readonly id: number;
  /** The members that differ afterwards, in addition to webhook_updated, which is set to now; or none at all. */
  readonly leaves: Readonly<Record<string, unknown>> | "unchanged";
  /** Whether an event is delivered to it afterwards, by its method. */
  readonly delivers?: boolean;
}

export const row = (section: string, request: Request, expect: Expectation): Row => ({
  section,
  request,
  expect,
});

/** Whether the row only reads, so that any server may be asked. */
export function isReadOnly({ request, needsFailure, webhook, callsWithoutDni }: Row): boolean {
  return request.method === "GET" && (needsFailure ?? webhook ?? callsWithoutDni) === undefined;
}
