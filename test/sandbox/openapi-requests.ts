import { Readable } from "node:stream";
import fc from "fast-check";
import type { Dispatcher } from "undici";
import { z } from "zod";
import openApi from "../../src/sandbox/openapi.json" with { type: "json" };
import { ENDPOINT_CASES } from "../support/services/endpoint-cases.ts";

/** A schema of the OpenAPI document, as far as requests are made from it. */
const schemaOf = z.looseObject({
  $ref: z.string().optional(),
  type: z.string().optional(),
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  pattern: z.string().optional(),
  readOnly: z.boolean().optional(),
  items: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  minProperties: z.number().optional(),
});

const contentOf = z.object({ content: z.object({ "application/json": z.object({ schema: z.unknown() }) }) });
const operationOf = z.object({
  parameters: z.array(z.object({ name: z.string(), in: z.enum(["path", "query"]), schema: z.unknown() })),
  requestBody: contentOf.optional(),
  responses: z.record(z.string(), contentOf.partial()),
});

/** A request that conforms to the document. */
export interface ConformingRequest {
  readonly method: Dispatcher.HttpMethod;
  /** With the query. */
  readonly path: string;
  readonly body: Buffer | undefined;
  /** Without a Content-Length. */
  readonly isChunked: boolean;
  /** It names something that exists. */
  readonly isThere: boolean;
  /** The schema of a response's body, by its status. */
  readonly schemaFor: (status: number) => z.ZodType | undefined;
}

/** Endpoints that lead nowhere, in place of all that the document allows, since events may be sent to them. */
const HARMLESS_ENDPOINTS = fc.constantFrom(
  ...ENDPOINT_CASES.filter(({ url, isTaken }) => isTaken && url.includes(".example")).map(({ url }) => url),
);

/** Generates requests for each operation of the document. */
export function conformingRequests(
  idsOf: (path: string) => readonly number[],
): fc.Arbitrary<ConformingRequest> {
  const operations = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => requestsOf(method, path, operation, idsOf(path))),
  );
  return fc.oneof(...operations);
}

function requestsOf(
  method: string,
  path: string,
  operation: unknown,
  ids: readonly number[],
): fc.Arbitrary<ConformingRequest> {
  const { parameters, requestBody, responses } = operationOf.parse(operation);
  const schemas = new Map(
    Object.entries(responses).map(([status, { content }]) => [
      Number(status),
      content && toZod(content["application/json"].schema),
    ]),
  );
  const [query = {}, inPath = {}] = (["query", "path"] as const).map((place) =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === place)
        .map(({ name, schema }) => [name, arbitraryOf(schema)]),
    ),
  );
  const schema = requestBody?.content["application/json"].schema;
  const parts = fc.record({
    id: fc
      .oneof({ arbitrary: fc.constantFrom(...ids), weight: 4 }, inPath.id ?? fc.constant(ids[0]))
      .map(String),
    query: fc.record(query, { requiredKeys: [] }),
    body: schema === undefined ? fc.constant(undefined) : arbitraryOf(schema),
    isChunked: fc.boolean(),
  });
  return parts.map(({ id, query, body, isChunked }) => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) search.set(name, String(value));
    return {
      method: method.toUpperCase(),
      path: `${path.replace("{id}", id)}${search.size > 0 ? `?${search}` : ""}`,
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      isChunked,
      isThere: !path.includes("{id}") || ids.map(String).includes(id),
      schemaFor: (status) => schemas.get(status),
    };
  });
}

/** Sends a generated request. */
export async function sendMade(
  client: Dispatcher,
  { method, path, body, isChunked }: ConformingRequest,
  token: string,
): Promise<Dispatcher.ResponseData> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const sent = body !== undefined && { body: isChunked ? Readable.from([body]) : body };
  return await client.request({ method, path, headers, ...sent });
}

/** Generates values that conform to a schema. */
function arbitraryOf(schema: unknown): fc.Arbitrary<unknown> {
  const { $ref, type, enum: values, minLength = 0, pattern, ...rest } = schemaOf.parse(schema);
  if ($ref !== undefined) return arbitraryOf(resolve($ref));
  if (values !== undefined) return fc.constantFrom(...values);
  switch (type) {
    case undefined:
      return fc.string({ unit: "binary" });
    case "integer":
      return fc.integer({
        min: rest.minimum ?? Number.MIN_SAFE_INTEGER,
        max: rest.maximum ?? Number.MAX_SAFE_INTEGER,
      });
    case "boolean":
      return fc.boolean();
    case "string":
      return pattern === undefined
        ? fc.string({ unit: "binary", minLength })
        : fc.stringMatching(new RegExp(pattern));
    case "array":
      return fc.array(arbitraryOf(rest.items), { maxLength: 4 });
    case "object": {
      const { properties = {}, required = [], minProperties = 0 } = rest;
      const members = Object.entries(properties)
        // OpenAPI 3.1, "readOnly": is not sent.
        .filter(([, member]) => !schemaOf.parse(member).readOnly)
        .map(([name, member]) => [
          name,
          name === "webhook_endpoint" ? HARMLESS_ENDPOINTS : arbitraryOf(member),
        ]);
      return fc
        .record<Record<string, unknown>>(Object.fromEntries(members), { requiredKeys: required })
        .filter((object) => Object.keys(object).length >= minProperties);
    }
    default:
      throw new Error(`No values are made of the type ${type}`);
  }
}

function resolve(ref: string): unknown {
  const { schemas } = openApi.components;
  return z.record(z.string(), z.unknown()).parse(schemas)[ref.replace("#/components/schemas/", "")];
}

/** Returns the validator of a response body for its schema. */
function toZod(schema: unknown): z.ZodType {
  const { schemas } = openApi.components;
  const whole = JSON.stringify({ ...z.looseObject({}).parse(schema), $defs: schemas });
  return z.fromJSONSchema(JSON.parse(whole.replaceAll("#/components/schemas/", "#/$defs/")));
}
