import { describe, expect, it } from "vitest";
import { REQUEST_KEYS } from "../../../src/config/request/export-request.ts";
import { resolve } from "../../../src/config/request/resolve.ts";

const ask = (range: { from?: string; to?: string }) =>
  resolve({ range }, { nowMs: 0, timezone: "UTC", spell: (option) => `<${option}>` });

describe("resolve", () => {
  it("accepts a range of one day, and refuses one that ends before it starts", () => {
    const day = { from: "2026-10-31", to: "2026-10-31" };
    expect(ask(day).range).toEqual(day);
    expect(REQUEST_KEYS.range.parse(day), "in calltally.yaml").toEqual(day);
    expect(() => ask({ from: "2026-11-01", to: "2026-10-31" })).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: "<range.from> 2026-11-01 is after <range.to> 2026-10-31",
        hint: "Did you mean <range.from> 2026-10-31 <range.to> 2026-11-01?",
      }),
    );
  });
});

it.each([
  ["Pacific/Honolulu", "2026-11-20T10:00:00.000Z"],
  ["America/Chicago", "2026-11-20T06:00:00.000Z"],
  ["UTC", "2026-11-20T00:00:00.000Z"],
  ["Australia/Lord_Howe", "2026-11-19T13:00:00.000Z"],
])("resolve lists calls that changed from the start of a day in %s", (timezone, start) => {
  const options = { nowMs: 0, timezone };
  const { changedSince } = resolve({ contents: ["calls"], changed_since: "2026-11-20" }, options);
  expect(changedSince).toEqual({ afterMs: Date.parse(start) - 1 });
  const moment = resolve({ contents: ["calls"], changed_since: "2026-11-20T01:02:03Z" }, options);
  expect(moment.changedSince).toEqual({ afterMs: Date.parse("2026-11-20T01:02:03Z") });
});
