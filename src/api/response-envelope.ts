import { z } from "zod";
import { toPrintable } from "../base/printable.ts";
import { type ApiError, contractError } from "./api-errors.ts";
import { parseJson, TooDeepError, TooManyValuesError } from "./parse-json.ts";

/** A UUID has 36. */
const MAX_ID_LENGTH = 200;

/** The service's id of a request, as one printable line. */
export const requestId = z.string().transform((id) => toPrintable(id.slice(0, MAX_ID_LENGTH)));

const envelopeSchema = z.object({
  code: z.literal(200),
  message: z.string().nullish(),
  // PHP writes an object without members as a list.
  data: z.union([z.tuple([]), z.record(z.string(), z.unknown())]),
  request_id: requestId.nullish(),
  timestamp: z.string().nullish(),
});

/** The envelope of every successful response (API v3 § 1). */
export type Envelope = z.infer<typeof envelopeSchema>;

const failureSchema = z.object({ code: z.int().min(400).max(599) });

/**
 * @param toError returns the error of a status; some services send 200 with the status of the failure in the envelope
 * @throws ApiError if the body is not the envelope of a success
 */
export function parseEnvelope(body: string, toError: (status: number) => ApiError): Envelope {
  let json: unknown;
  try {
    json = parseJson(body);
  } catch (error) {
    if (error instanceof TooDeepError)
      throw contractError("The API response is nested too deeply to be read");
    if (error instanceof TooManyValuesError) {
      throw contractError(`The API response is too large to be read: it has ${error.message}`, {
        transient: false,
        hint: "API v3 § 8 allows 1000 calls at most on a page: ask the service's support.",
      });
    }
    // The parser's message quotes the body, which may hold personal data.
    throw contractError("The API response is not JSON, though its status is 200");
  }
  const failure = failureSchema.safeParse(json);
  if (failure.success) throw toError(failure.data.code);
  return parseContract(envelopeSchema, json, "The API response is not the documented envelope");
}

/** Parses a served value. @throws ApiError that names the wrong member, never its value */
export function parseContract<T>(schema: z.ZodType<T>, value: unknown, message: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw contractError(`${message}: ${path}${issue?.message ?? "unreadable"}`);
}
