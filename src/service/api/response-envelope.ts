import { z } from "zod";
import { describeError } from "../../base/errors.ts";
import { isObject, parseJson, TooDeepError, TooManyValuesError } from "../../base/text/parse-json.ts";
import { toPrintable } from "../../base/text/printable.ts";
import type { Hint } from "../../base/text/words.ts";
import { type ApiError, CHECK_ADDRESS, contractError } from "./api-errors.ts";

/** A UUID has 36. */
const MAX_ID_LENGTH = 200;

/** The service's id of a request, as one printable line. */
export const requestId = z.string().transform((id) => toPrintable(id.slice(0, MAX_ID_LENGTH)));

export const envelopeSchema = z.object({
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
    throw notJson(body, describeError(error));
  }
  const failure = failureSchema.safeParse(json);
  if (failure.success) throw toError(failure.data.code);
  const reported = isObject(json)
    ? ERROR_MEMBERS.find((name) => name in json && !("code" in json))
    : undefined;
  if (reported !== undefined) {
    const state = `The API reports an error with status 200: its response has \`${reported}\` instead of the documented envelope`;
    throw contractError(state, { hint: ASK_SUPPORT });
  }
  return parseContract(
    envelopeSchema,
    json,
    "The API response is not the documented envelope",
    CHECK_ADDRESS,
  );
}

/** How services name an error outside of the envelope. */
const ERROR_MEMBERS = ["error", "errors", "fault", "exception"];

/** For responses of the API that are not as it documents them. */
const ASK_SUPPORT = "Try again later; if it stays so, report it to the service's support.";

/** A text, or a word of another language in the place of a value. */
const FOREIGN_WORD = /"(?:[^"\\]|\\.)*"|(?<word>-?Infinity|NaN|undefined|None|True|False)\b/gs;

/** Names what was received without quoting it, as the parser's message does: it may hold personal data. */
function notJson(body: string, problem: string): ApiError {
  const state = "The API response is not JSON, though its status is 200";
  if (!/^\s*[[{]/.test(body)) {
    const what =
      body.trim() === "" ? "it is empty" : /^\s*</.test(body) ? "it is HTML or XML" : "it is other text";
    return contractError(`${state}: ${what}`);
  }
  const foreign = [...body.matchAll(FOREIGN_WORD)].find(({ groups }) => groups?.word !== undefined);
  const isCut = /^Unterminated|end of JSON/.test(problem) || problem.includes(`at position ${body.length}`);
  const what =
    foreign !== undefined
      ? `it has ${foreign.groups?.word} at character ${foreign.index + 1}, which no JSON may have`
      : isCut
        ? `it ends too early, after ${body.length} characters`
        : "it begins like JSON, but breaks its rules";
  return contractError(`${state}: ${what}`, { hint: ASK_SUPPORT });
}

/** Parses a served value. @throws ApiError that names the wrong member, never its value */
export function parseContract<T>(
  schema: z.ZodType<T>,
  value: unknown,
  message: string,
  hint: Hint = ASK_SUPPORT,
): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw contractError(`${message}: ${path}${issue?.message ?? "unreadable"}`, { hint });
}
