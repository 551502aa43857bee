import { expect, it } from "vitest";
import { PLAIN } from "../../../src/export/letterhead/letterhead.ts";
import { clockAt, makeWarehouse, RUN_FINISHED_AT } from "../../support/figures/produce-files.ts";
import { readText } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";

it.each([
  { timezone: "Pacific/Honolulu", written: "2026-10-02T09:59:59.000Z", day: "1 Oct 2026" },
  { timezone: "Pacific/Honolulu", written: "2026-10-02T10:00:00.000Z", day: "2 Oct 2026" },
  { timezone: "Australia/Lord_Howe", written: "2026-10-02T13:29:59.000Z", day: "2 Oct 2026" },
  { timezone: "Australia/Lord_Howe", written: "2026-10-02T13:30:00.000Z", day: "3 Oct 2026" },
])(
  "the page that was written at $written says what changed since $day in $timezone",
  async ({ timezone, written, day }) => {
    const calls = [1, 2].map((call_id) => makeCall({ call_id, call_started: "2026-09-08T12:00:00.000Z" }));
    using warehouse = makeWarehouse(calls);
    const write = (now: string) =>
      warehouse.export({
        targets: [{ kind: "page" }],
        ...{ timezone, letterhead: PLAIN, grain: "day", compare: "previous" },
        range: { from: "2026-09-03", to: "2026-09-20" },
        clock: clockAt(Date.parse(now)),
      });
    await write(written);
    expect(readText(warehouse.folder, "report.html")).not.toContain("What changed since");
    warehouse.markGone(2, RUN_FINISHED_AT);
    await write("2026-10-09T12:00:00.000Z");
    const titles = readText(warehouse.folder, "report.html").match(/(?<=<h2>)What changed since [^<]+/g);
    expect(titles).toEqual([`What changed since ${day}`]);
  },
);
