import { expect, it } from "vitest";
import { logAttribution } from "../../src/schedule/job-log.ts";
import { keepLines } from "../support/log-lines.ts";

it("logAttribution logs once, at the end, how many calls have recomputed facts", () => {
  const { log, lines } = keepLines();
  const note = logAttribution(log);
  for (const read of [250, 500, 600]) note({ read, total: 600 });
  note({ read: 0, total: 0 });
  note({ read: 1, total: 1 });
  expect(lines).toEqual([
    { level: 30, calls: 600, msg: "attributed again" },
    { level: 30, calls: 1, msg: "attributed again" },
  ]);
});
