import { expect, it } from "vitest";
import { ApiError, contractError } from "../../../src/service/api/api-errors.ts";
import { parseEnvelope } from "../../../src/service/api/response-envelope.ts";

function failureOf(body: string): Pick<ApiError, "message" | "transient"> {
  try {
    parseEnvelope(body, (status) => contractError(`status ${status}`));
  } catch (error) {
    if (error instanceof ApiError) return { message: error.message, transient: error.transient };
  }
  throw new Error("The body was read");
}

it("parseEnvelope says how many values a body has that is too large, and why others cannot be read", () => {
  const values = (count: number) => `[${"1,  ".repeat(count - 1)}1]`;
  expect(failureOf(values(1_500_001))).toEqual({
    message: "The API response is too large to be read: it has 1,500,001 values",
    transient: false,
  });
  expect(failureOf(values(1_500_000)).message).toMatch(/^The API response is not the documented envelope: /);
  expect(failureOf("{")).toEqual({
    message: "The API response is not JSON, though its status is 200: it ends too early, after 1 characters",
    transient: true,
  });
  expect(failureOf('{"code":503}')).toEqual({ message: "status 503", transient: true });
});
