import fc from "fast-check";
import { z } from "zod";
import openApi from "../../src/sandbox/openapi.json" with { type: "json" };
import { ENDPOINT_CASES } from "../webhooks/endpoint-cases.ts";

/** A schema of the OpenAPI document, as far as requests are made from it. */
const schemaOf = z.looseObject({
  $ref: z.string().optional(),
  type: z.string().optional(),
  enum: z.array(z.string()).optional(),
  maximum: z.number().optional(),
  items: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
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
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** Without a Content-Length. */
  readonly isChunked: boolean;
  /** It fits the document, and names what is there. */
  readonly isValid: boolean;
}

export interface FuzzOperation {
  readonly name: string;
  readonly request: fc.Arbitrary<FuzzRequest>;
  /** The schemas of the bodies by the status that they come with; undefined where the document shows none. */
  readonly responses: ReadonlyMap<number, z.ZodType | undefined>;
}

/** What a test needs to know beside the document: ids that are there, and additions that it names in words alone. */
interface Known {
  readonly ids: readonly number[];
  readonly token: string;
}

const ADDITIONS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  method: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE"),
  format: fc.constantFrom("JSON", "json"),
  webhook_name: fc.string({ minLength: 1 }),
  webhook_endpoint: fc.constantFrom(
    ...ENDPOINT_CASES.filter(({ url, isTaken }) => isTaken && url.includes(".example")).map(({ url }) => url),
  ),
  limit: fc.integer({ min: 1, max: 1000 }),
};

const ODD_TEXTS = [
  "",
  " ",
  "-1",
  "0",
  "1.5",
  "1e3",
  "0x10",
  "9007199254740992",
  "NaN",
  "null",
  "true",
  "[]",
  "__proto__",
  "constructor",
  "../..",
  "..%2f..",
  "a b",
  "ä\u0000\u202e",
  "🌞",
  "' OR 1=1",
  "x".repeat(3000),
];
const oddText = fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: "binary", maxLength: 20 }));
const oddValue = fc.oneof(
  fc.jsonValue(),
  oddText,
  ...ENDPOINT_CASES.map(({ url }) => fc.constant(url)),
  fc.constantFrom<unknown>("CONNECT", "TRACE", "XML", 44, 45, null, [], {}, 1e308),
);

/** Makes requests for each operation of the document, in which mostly one thing is wrong, if any. */
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
        request: requestOf(operationId, method.toUpperCase(), path, parameters, schema, known(path)),
      };
    }),
  );
}

type Parameter = z.output<typeof operationOf>["parameters"][number];

function requestOf(
  operation: string,
  method: string,
  path: string,
  parameters: readonly Parameter[],
  schema: unknown,
  { ids, token }: Known,
): fc.Arbitrary<FuzzRequest> {
  const query = parameters.filter((parameter) => parameter.in === "query");
  const right = fc.record({
    id: fc.constantFrom(...ids, 0).map(String),
    query: fc.record(
      Object.fromEntries(
        query.map((parameter) => [parameter.name, arbitraryOf(parameter.schema, parameter.name)]),
      ),
      { requiredKeys: [] },
    ),
    body: schema === undefined ? fc.constant(undefined) : arbitraryOf(schema),
    isChunked: fc.boolean(),
  });
  return fc
    .tuple(right, fc.option(mistakeOf(method, query)))
    .map(([{ id, query, body, isChunked }, mistake]) => {
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
        isValid: mistake === null && !(path.includes("{id}") && id === "0"),
      };
    });
}

interface Mistake {
  readonly id?: string;
  readonly query?: readonly (readonly [string, string])[];
  readonly members?: Readonly<Record<string, unknown>>;
  readonly text?: Buffer;
  readonly authorization?: Readonly<Record<string, string>>;
  readonly contentType?: string;
}

function mistakeOf(method: string, query: readonly Parameter[]): fc.Arbitrary<Mistake> {
  const names = query.map(({ name }) => name);
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
    fc
      .tuple(fc.constantFrom(...members), fc.oneof(oddValue, fc.constant(undefined)))
      .map(([name, value]) => ({ members: { [name]: value } })),
    fc
      .tuple(fc.constantFrom(...members), fc.oneof(oddValue, fc.constant(undefined)))
      .map(([name, value]) => ({ members: { [name]: value } })),
    fc
      .constantFrom(
        "text/plain",
        "application/xml",
        "multipart/form-data; boundary=x",
        "application/json; charset=x",
        "x",
      )
      .map((contentType) => ({ contentType })),
    fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ text: Buffer.from(bytes) })),
      fc.jsonValue().map((value) => ({ text: Buffer.from(JSON.stringify(value)) })),
      fc
        .constantFrom(
          "",
          "{",
          "null",
          "[]",
          '"x"',
          "{}{}",
          "\ufeff{}",
          '{"format":1e999}',
          `${"[".repeat(50_000)}`,
          `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
        )
        .map((text) => ({ text: Buffer.from(text) })),
    ),
    fc.constant({ text: Buffer.alloc(1_500_000, " ") }),
  );
}

/** Makes values that fit a schema. */
function arbitraryOf(schema: unknown, name = ""): fc.Arbitrary<unknown> {
  const { $ref, type, enum: values, maximum, items, properties, required } = schemaOf.parse(schema);
  if ($ref !== undefined) return arbitraryOf(resolve($ref), name);
  const addition = ADDITIONS[name];
  if (addition !== undefined) return addition;
  if (values !== undefined) return fc.constantFrom(...values);
  switch (type) {
    case "integer":
      return fc.nat({ max: maximum ?? 10_000 });
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(arbitraryOf(items), { maxLength: 4 });
    case "object":
      return fc.record(
        Object.fromEntries(
          Object.entries(properties ?? {})
            // Right only when it is the id of the path; in a PATCH never.
            .filter(([member]) => member !== "webhook_id")
            .map(([member, value]) => [member, arbitraryOf(value, member)]),
        ),
        { requiredKeys: required ?? ["method"] },
      );
    default:
      return fc.string({ unit: "grapheme", maxLength: 30 });
  }
}

function resolve(ref: string): unknown {
  const { schemas } = openApi.components;
  return z.record(z.string(), z.unknown()).parse(schemas)[ref.replace("#/components/schemas/", "")];
}

/** Makes what judges a response body by its schema. */
function toZod(schema: unknown): z.ZodType {
  const { schemas } = openApi.components;
  const whole = JSON.stringify({ ...z.looseObject({}).parse(schema), $defs: schemas });
  return z.fromJSONSchema(JSON.parse(whole.replaceAll("#/components/schemas/", "#/$defs/")));
}
