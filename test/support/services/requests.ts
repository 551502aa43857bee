import { z } from "zod";
import type { Sandbox } from "../../../src/sandbox/server.ts";

export const PATH = "/v3/conversations/attribution-engine";

const pageSchema = z.strictObject({
  code: z.literal(200),
  message: z.string(),
  data: z.strictObject({
    calls: z.array(z.looseObject({ call_id: z.int() })),
    total: z.int(),
    limit: z.int(),
    offset: z.int(),
  }),
  request_id: z.uuid(),
  timestamp: z.iso.datetime({ precision: 3 }),
});

export type Page = z.output<typeof pageSchema>["data"];

const answerSchema = z.looseObject({ message: z.string(), data: z.unknown().optional() });

export interface Answer {
  status: number;
  message: string;
  data: unknown;
}

export function fetchRaw(sandbox: Sandbox, query = "", init: RequestInit = {}): Promise<Response> {
  return fetch(`${sandbox.url}${PATH}${query}`, {
    headers: { authorization: `Bearer ${sandbox.token}` },
    ...init,
  });
}

/** Fetches one page and checks the envelope. */
export async function fetchPage(sandbox: Sandbox, query = ""): Promise<Page> {
  const response = await fetchRaw(sandbox, query);
  return pageSchema.parse(await response.json()).data;
}

export async function fetchIds(sandbox: Sandbox, query = ""): Promise<number[]> {
  const page = await fetchPage(sandbox, query);
  return page.calls.map((call) => call.call_id);
}

/** Sends a request with the token, and a body as JSON if there is one. */
export async function send(sandbox: Sandbox, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${sandbox.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${sandbox.token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const { message, data } = answerSchema.parse(await response.json());
  return { status: response.status, message, data };
}
