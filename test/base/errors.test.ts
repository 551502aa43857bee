import { expect, it } from "vitest";
import { CalltallyError, describeError, EXIT, firstError, worstCode } from "../../src/base/errors.ts";
import { toCalltallyError } from "../../src/base/known-error.ts";
import { nameFile } from "../../src/warehouse/file/sqlite-errors.ts";

/** The error of a failing function when releasing each of its two resources fails, too. */
function failTwice(first: unknown): unknown {
  const release = (name: string) => ({
    [Symbol.dispose]: () => {
      throw new Error(`cannot release ${name}`);
    },
  });
  try {
    using _one = release("one");
    using _other = release("another");
    throw first;
  } catch (error) {
    return error;
  }
}

it("firstError is the original error even if releasing resources fails as well", () => {
  const first = new CalltallyError(EXIT.storage, "Cannot copy calls.db", { hint: "" });
  const thrown = failTwice(first);
  expect(thrown).not.toBe(first);
  expect([firstError(thrown), toCalltallyError(thrown), nameFile(thrown, "calls.db")]).toEqual([
    first,
    first,
    first,
  ]);
  expect(describeError(thrown)).toBe("Cannot copy calls.db");
});

it("describeError adds the cause, unless the message says it already or there is no message", () => {
  const cause = new Error("disk full");
  const described = (isCauseInMessage: boolean) =>
    describeError(new CalltallyError(EXIT.storage, "Cannot write", { cause, isCauseInMessage, hint: "" }));
  expect([described(true), described(false)]).toEqual(["Cannot write", "Cannot write: disk full"]);
  expect(describeError(new Error("odd", { cause: new TypeError("", { cause: 7 }) }))).toBe(
    "odd: TypeError: 7",
  );
  expect([describeError("text"), describeError(null)]).toEqual(["text", "null"]);
});

it("worstCode ranks an interrupt, then what the owner must mend, then what the next run may", () => {
  const {
    sigint,
    sigterm,
    storage,
    usage,
    refused,
    contract,
    unreachable,
    undelivered,
    failed,
    locked,
    unverified,
  } = EXIT;
  const ranked = [
    sigint,
    sigterm,
    storage,
    usage,
    refused,
    contract,
    unreachable,
    undelivered,
    failed,
    locked,
  ];
  for (const [index, code] of ranked.entries())
    expect([code, worstCode([unverified, ...ranked.slice(index).reverse()])]).toEqual([code, code]);
  expect([worstCode([]), worstCode([EXIT.done, unverified])]).toEqual([EXIT.done, unverified]);
});
