import { expect, it } from "vitest";
import { contractError } from "../../src/api/api-errors.ts";
import { parseEnvelope } from "../../src/api/response-envelope.ts";
import { CalltallyError } from "../../src/base/errors.ts";

const NOT_JSON = "The API response is not JSON, though its status is 200";
const NOT_DOCUMENTED = "The API response is not the documented envelope";
const ADDRESS = "Check that CALLTALLY_BASE_URL is the address";
const SUPPORT = "Try again later; if it stays so, report it to the service's support.";

it.each([
  ["", `${NOT_JSON}: it is empty`, ADDRESS],
  ["<!doctype html>", `${NOT_JSON}: it is HTML or XML`, ADDRESS],
  ["Welcome, +15125550117", `${NOT_JSON}: it is other text`, ADDRESS],
  ['{"a": "NaN", "total": NaN}', `${NOT_JSON}: it has NaN at character 23, which no JSON may have`, SUPPORT],
  ["[1, -Infinity]", `${NOT_JSON}: it has -Infinity at character 5, which no JSON may have`, SUPPORT],
  ['{"a": None}', `${NOT_JSON}: it has None at character 7, which no JSON may have`, SUPPORT],
  ['{"caller": "+15125550117', `${NOT_JSON}: it ends too early, after 24 characters`, SUPPORT],
  ['{"a": [', `${NOT_JSON}: it ends too early, after 7 characters`, SUPPORT],
  ['{"caller": +15125550117}', `${NOT_JSON}: it begins like JSON, but breaks its rules`, SUPPORT],
  [
    '{"error": "call +15125550117"}',
    "The API reports an error with status 200: its response has `error`",
    SUPPORT,
  ],
  [
    '{"data": {}, "errors": []}',
    "The API reports an error with status 200: its response has `errors`",
    SUPPORT,
  ],
  ['{"hello": 1}', `${NOT_DOCUMENTED}: code: `, ADDRESS],
  ["[]", NOT_DOCUMENTED, ADDRESS],
])("names what was received, and what to do about it: %s", (body, message, hint) => {
  const parse = () => parseEnvelope(body, (status) => contractError(`status ${status}`));
  expect(parse).toThrow(
    expect.objectContaining({
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    }),
  );
  expect(parse).not.toThrow("5550117");
  expect(parse).toThrow(CalltallyError);
});
