import { expect, it } from "vitest";
import { hasHistory, isCovered } from "../../../src/base/calendar/history.ts";

it.each([
  ["2026-07-01T00:00:00.000Z", "2026-04-02T00:00:00.000Z", true],
  ["2026-07-01T00:00:00.000Z", "2026-04-02T00:00:00.001Z", false],
  ["2026-07-01T00:00:00.000Z", "2026-07-02T00:00:00.000Z", false],
  ["2026-07-01T00:00:00.000Z", "0000-01-01T00:00:00.000Z", true],
  ["2026-07-01T00:00:00.000Z", null, false],
  [undefined, "2026-01-01T00:00:00.000Z", false],
])("hasHistory of %s with the first call at %s is %s", (startsAt, firstStart, has) => {
  expect(hasHistory(startsAt, firstStart)).toBe(has);
});

it.each([
  ["2026-07-01T00:00:00.000Z", "2026-06-30T23:59:59.999Z", true],
  ["2026-07-01T00:00:00.000Z", "2026-07-01T00:00:00.000Z", true],
  ["2026-07-01T00:00:00.000Z", "2026-07-01T00:00:00.001Z", false],
  ["2026-07-01T00:00:00.000Z", null, false],
  [undefined, "2026-01-01T00:00:00.000Z", false],
])("isCovered of %s with the first call at %s is %s", (startsAt, firstStart, is) => {
  expect(isCovered(startsAt, firstStart)).toBe(is);
});
