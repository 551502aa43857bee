import { type RouteConfig, z } from "@hono/zod-openapi";

/** A whole number as it stands in a path or a query. */
export const digits = z
  .string()
  .regex(/^\d+$/, "must be a whole number")
  .transform(Number)
  .pipe(z.int({ error: "must be a whole number" }));

/** What of {@link digits} stands in the document. */
export const WHOLE_NUMBER = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;

/** The path parameter of an insight or a webhook. */
export const idParams = z.object({
  id: digits.openapi({
    ...WHOLE_NUMBER,
    description:
      "Identifier. Not documented: its format beyond a whole-number example. The sandbox returns 400 for anything but a whole number of 0 or more that a double holds exactly.",
  }),
});

/** The common response envelope around an operation's data (API v3 § 1). */
function envelopeOf<Data extends z.ZodType>(data: Data) {
  return z.object({
    code: z.int().openapi({ description: "Status code, 200 on success." }),
    message: z.string().openapi({ description: "Text such as a success label." }),
    data,
    request_id: z.uuid().openapi({ description: "Identifier of the request." }),
    timestamp: z.iso
      .datetime({ precision: 3 })
      .openapi({ description: "Time of the response, ISO 8601 UTC with milliseconds." }),
  });
}

interface ResponseTexts {
  readonly 200: string;
  readonly 400: string;
  /** Left out where the API lists no 404. */
  readonly 404?: string;
}

/** The responses of an operation, with the error statuses the API lists for it (§ 7). */
export function responsesOf(data: z.ZodType, texts: ResponseTexts): RouteConfig["responses"] {
  return {
    200: {
      description: texts[200],
      content: { "application/json": { schema: envelopeOf(data) } },
    },
    400: { description: `${texts[400]} ${ERROR_BODY}` },
    401: { description: `Missing or invalid bearer token. ${ERROR_BODY}` },
    ...(texts[404] !== undefined && { 404: { description: `${texts[404]} ${ERROR_BODY}` } }),
    500: { description: `Server error. ${ERROR_BODY}` },
  };
}

const ERROR_BODY = "Not documented: the shape of the body.";

/** Every operation requires a bearer token (API v3 § 5). */
export const BEARER_NAME = "bearer";
export const BEARER_SECURITY = [{ [BEARER_NAME]: [] }];
