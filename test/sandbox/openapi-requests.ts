import { Readable } from "node:stream";
import fc from "fast-check";
import type { Dispatcher } from "undici";
import { z } from "zod";
import openApi from "../../src/sandbox/openapi.json" with { type: "json" };
import { ENDPOINT_CASES } from "../support/endpoint-cases.ts";

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

const operationOf = z.object({
  operationId: z.string(),
  parameters: z.array(z.object({ name: z.string(), in: z.enum(["path", "query"]), schema: z.unknown() })),
  requestBody: z
    .object({ content: z.object({ "application/json": z.object({ schema: z.unknown() }) }) })
    .optional(),
  responses: z.record(
    z.string(),
    z.object({ content: z.object({ "application/json": z.object({ schema: z.unknown() }) }).optional() }),
  ),
});

export interface FuzzRequest {
  readonly operation: string;
  readonly method: Dispatcher.HttpMethod;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** Without a Content-Length. */
  readonly isChunked: boolean;
  /** It conforms to the document. */
  readonly isValid: boolean;
  /** It names something that exists. */
  readonly isThere: boolean;
}

export interface FuzzOperation {
  readonly name: string;
  /** Requests that conform to the document, or mostly have one error. */
  readonly request: fc.Arbitrary<FuzzRequest>;
  /** The schemas of the bodies by their status; undefined if the document shows none. */
  readonly responses: ReadonlyMap<number, z.ZodType | undefined>;
}

/** What a test needs in addition to the document. */
interface Known {
  /** Existing ids. */
  readonly ids: readonly number[];
  readonly token: string;
}

/** Endpoints that lead nowhere, in place of all that the document allows, since events may be sent to them. */
const HARMLESS_ENDPOINTS = fc.constantFrom(
  ...ENDPOINT_CASES.filter(({ url, isTaken }) => isTaken && url.includes(".example")).map(({ url }) => url),
);

const ODD_TEXTS = [
  ...["", " ", "-1", "0", "1.5", "1e3", "0x10", "9007199254740992", "NaN", "null", "true", "[]"],
  ...["__proto__", "constructor", "../..", "..%2f..", "a b", "ä\u0000\u202e", "🌞", "' OR 1=1"],
  "x".repeat(3000),
];
const oddText = fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: "binary", maxLength: 20 }));
const oddValue = fc.oneof(
  fc.jsonValue(),
  oddText,
  ...ENDPOINT_CASES.map(({ url }) => fc.constant(url)),
  fc.constantFrom<unknown>("CONNECT", "TRACE", "XML", 44, 45, null, [], {}, 1e308),
);

const HANG_MS = 120_000;

/** Sends a generated request. */
export async function sendMade(
  client: Dispatcher,
  { method, path, headers, body, isChunked }: FuzzRequest,
): Promise<Dispatcher.ResponseData> {
  return await client.request({
    method,
    path,
    headers,
    ...(body !== undefined && { body: isChunked ? Readable.from([body]) : body }),
    signal: AbortSignal.timeout(HANG_MS),
  });
}

/** Generates requests for each operation of the document. */
export function fuzzOperations(known: (path: string) => Known): FuzzOperation[] {
  return Object.entries(openApi.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const { operationId, parameters, requestBody, responses } = operationOf.parse(operation);
      const schema = requestBody?.content["application/json"].schema;
      return {
        name: operationId,
        responses: new Map(
          Object.entries(responses).map(([status, { content }]) => [
            Number(status),
            content && toZod(content["application/json"].schema),
          ]),
        ),
        request: requestsOf(operationId, method.toUpperCase(), path, parameters, schema, known(path)),
      };
    }),
  );
}

type Parameter = z.output<typeof operationOf>["parameters"][number];

/** The parts of a conforming request. */
interface Parts {
  id: string;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
  isChunked: boolean;
}

function requestsOf(
  operation: string,
  method: string,
  path: string,
  parameters: readonly Parameter[],
  schema: unknown,
  { ids, token }: Known,
): fc.Arbitrary<FuzzRequest> {
  const special = { webhook_endpoint: HARMLESS_ENDPOINTS };
  const [query, inPath] = (["query", "path"] as const).map((place) =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === place)
        .map((parameter) => [parameter.name, arbitraryOf(parameter.schema, special)]),
    ),
  );
  const { id = fc.constant(ids[0]) } = inPath ?? {};
  const right: fc.Arbitrary<Parts> = fc.record({
    id: fc.oneof({ arbitrary: fc.constantFrom(...ids), weight: 4 }, id).map(String),
    query: fc.record(query ?? {}, { requiredKeys: [] }),
    body: schema === undefined ? fc.constant(undefined) : arbitraryOf(schema, special),
    isChunked: fc.boolean(),
  });
  const toRequest = ({ id, query, body, isChunked }: Parts, mistake?: Mistake): FuzzRequest => {
    const wrong = mistake ?? {};
    const members = z.record(z.string(), z.unknown()).safeParse(body).data;
    const text =
      wrong.text ??
      Buffer.from(members === undefined ? "" : (JSON.stringify({ ...members, ...wrong.members }) ?? ""));
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    for (const [name, value] of wrong.query ?? []) search.append(name, value);
    return {
      operation,
      method,
      path: `${path.replace("{id}", wrong.id ?? id)}${search.size > 0 ? `?${search}` : ""}`,
      headers: {
        ...(wrong.authorization ?? { authorization: `Bearer ${token}` }),
        "content-type": wrong.contentType ?? "application/json",
      },
      body: text.length > 0 ? text : undefined,
      isChunked,
      isValid: mistake === undefined,
      isThere: !path.includes("{id}") || ids.map(String).includes(id),
    };
  };
  const wrong = fc.tuple(right, mistakeOf(method, Object.keys(query ?? {})));
  return fc.oneof(
    right.map((made) => toRequest(made)),
    { arbitrary: wrong.map(([made, mistake]) => toRequest(made, mistake)), weight: 5 },
  );
}

interface Mistake {
  readonly id?: string;
  readonly query?: readonly (readonly [string, string])[];
  readonly members?: Readonly<Record<string, unknown>>;
  readonly text?: Buffer;
  readonly authorization?: Readonly<Record<string, string>>;
  readonly contentType?: string;
}

function mistakeOf(method: string, names: readonly string[]): fc.Arbitrary<Mistake> {
  const { properties } = openApi.components.schemas.WebhookReplacement;
  const inUrl: fc.Arbitrary<Mistake>[] = [
    oddText.map((id) => ({ id: encodeURIComponent(id.toWellFormed()) })),
    fc.constantFrom("46", "%", "%ff", "%2e%2e", "1/2", "44?", "%00", "44%20").map((id) => ({ id })),
    fc
      .array(fc.tuple(names.length > 0 ? fc.oneof(fc.constantFrom(...names), oddText) : oddText, oddText), {
        minLength: 1,
        maxLength: 3,
      })
      .map((pairs) => ({ query: pairs })),
    fc
      .constantFrom<Record<string, string>[]>(
        {},
        { authorization: "Bearer wrong" },
        { authorization: "Bearer" },
        { authorization: "Basic c2VjcmV0" },
        { authorization: "" },
      )
      .map((authorization) => ({ authorization })),
  ];
  if (method === "GET") return fc.oneof(...inUrl, fc.constant({ text: Buffer.from("{}") }));
  const members = [...Object.keys(properties), "webhook_created", "webhook_updated", "made_up", "__proto__"];
  return fc.oneof(
    ...inUrl,
    ...Array<fc.Arbitrary<Mistake>>(2).fill(
      fc
        .tuple(fc.constantFrom(...members), fc.oneof(oddValue, fc.constant(undefined)))
        .map(([name, value]) => ({ members: { [name]: value } })),
    ),
    fc
      .constantFrom("text/plain", "application/xml", "application/json; charset=x", "x")
      .map((contentType) => ({ contentType })),
    fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ text: Buffer.from(bytes) })),
      fc.jsonValue().map((value) => ({ text: Buffer.from(JSON.stringify(value)) })),
      fc
        .constantFrom(
          ...["", "{", "null", "[]", '"x"', "{}{}", "\ufeff{}", '{"format":1e999}', "[".repeat(50_000)],
          `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
        )
        .map((text) => ({ text: Buffer.from(text) })),
    ),
    fc.constant({ text: Buffer.alloc(1_500_000, " ") }),
  );
}

/**
 * Generates values that conform to a schema.
 *
 * @param special arbitraries for members with these names
 */
function arbitraryOf(
  schema: unknown,
  special: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<unknown> {
  const { $ref, type, enum: values, minLength = 0, pattern, ...rest } = schemaOf.parse(schema);
  if ($ref !== undefined) return arbitraryOf(resolve($ref), special);
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
      return fc.array(arbitraryOf(rest.items, special), { maxLength: 4 });
    case "object": {
      const { properties = {}, required = [], minProperties = 0 } = rest;
      const members = Object.entries(properties)
        // OpenAPI 3.1, "readOnly": is not sent.
        .filter(([, member]) => !schemaOf.parse(member).readOnly)
        .map(([name, member]) => [name, special[name] ?? arbitraryOf(member, special)] as const);
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
