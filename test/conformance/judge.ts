import { failed, notSeen } from "./expectations.ts";
import type { Answer, Request, Row, Verdict } from "./row.ts";

export interface Target {
  /** The {base_url} of the API's document. */
  readonly baseUrl: string;
  readonly token: string;
  /** An insight that exists. */
  readonly insightId: number;
}

export type Ask = (request: Request) => Promise<Answer>;

const TIMEOUT_MS = 30_000;
const WRONG_TOKEN = "not-a-token";

/** Sends the requests of a row and judges the responses. */
export async function judge(row: Row, ask: Ask): Promise<Verdict> {
  try {
    const answer = await ask(row.request);
    const other = row.other && (await ask(row.other));
    if (row.request.path.includes("{insight}") && answer.status === 404)
      return notSeen("404: name an insight of the server with --insight-id");
    return row.expect(answer, other);
  } catch (error) {
    return failed(`no response: ${describe(error)}`);
  }
}

/** Returns a function that requests from a server; the same GET is sent once, since a foreign server may count requests. */
export function createAsk(target: Target): Ask {
  const known = new Map<string, Promise<Answer>>();
  return (request) => {
    if (request.method !== "GET") return send(target, request);
    const key = JSON.stringify(request);
    const answer = known.get(key) ?? send(target, request);
    known.set(key, answer);
    return answer;
  };
}

async function send(target: Target, { method, path, body, token = "right" }: Request): Promise<Answer> {
  const url = `${target.baseUrl.replace(/\/+$/, "")}${path.replace("{insight}", String(target.insightId))}`;
  const sentMs = Date.now();
  const response = await fetch(url, {
    method,
    headers: {
      accept: "application/json",
      ...authorizationOf(token, target),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  const [contentType] = response.headers.get("content-type")?.split(";") ?? [];
  return { status: response.status, contentType, sentMs, receivedMs: Date.now(), body: parse(text) };
}

function authorizationOf(token: NonNullable<Request["token"]>, target: Target): Record<string, string> {
  switch (token) {
    case "right":
      return { authorization: `Bearer ${target.token}` };
    case "wrong":
      return { authorization: `Bearer ${WRONG_TOKEN}` };
    case "basic":
      return { authorization: `Basic ${target.token}` };
    case "none":
      return {};
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
