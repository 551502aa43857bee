import { describe, expect, it } from "vitest";
import { toData, toError } from "../../src/library/error-data.ts";

describe("toData", () => {
  it("names a file that the system refuses, with the system's error as its cause", () => {
    const refused = Object.assign(new Error("EACCES: permission denied, open '/srv/calls.db'"), {
      code: "EACCES",
      syscall: "open",
      path: "/srv/calls.db",
    });
    for (const thrown of [refused, new Error("opening", { cause: refused })]) {
      const { cause } = toError(toData(thrown));
      expect(cause).toMatchObject({ code: "EACCES" });
    }
    expect(toError(toData(refused))).toMatchObject({
      exitCode: 7,
      message: expect.stringMatching(/^Cannot open \/srv\/calls\.db/),
    });
  });
});
