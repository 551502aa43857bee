import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Temporal } from "temporal-polyfill";
import { expect, it } from "vitest";
import { EXIT } from "../../src/base/errors.ts";
import { readCalltallyFile } from "../../src/config/calltally-file.ts";
import { loadSettings } from "../../src/config/load-settings.ts";
import { runDue } from "../../src/reports/due-report.ts";
import { chooseReports, ofAccount } from "../../src/reports/report.ts";
import { FULL_CALL } from "../support/calls.ts";
import { keepLines } from "../support/log-lines.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { fillWarehouse, readRows } from "../support/warehouse.ts";

it.each([
  "UTC",
  "Europe/Berlin",
  "America/Los_Angeles",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Kiritimati",
])("runDue makes a report once for its last slot in %s", async (timezone) => {
  using folder = makeTempFolder();
  const cron = "0 7 * * 1";
  writeFileSync(
    join(folder.path, "calltally.yaml"),
    `reports: { weekly: { contents: [channel], range: { last: 1d }, folder: "${folder.path}/{from}", cron: "${cron}" } }`,
  );
  const env = { CALLTALLY_TIMEZONE: timezone };
  const settings = loadSettings({ env, folder: folder.path });
  const database = join(folder.path, "calls.db");
  fillWarehouse(database, [FULL_CALL]);
  const [weekly] = chooseReports(readCalltallyFile("calltally.yaml", folder.path), ["weekly"]);
  const own = weekly && ofAccount(weekly, { name: undefined, sources: { env, folder: folder.path } });
  if (own === undefined) throw new Error("There is no report");
  const report = { ...own, settings: { ...settings, database } };
  const { log, messages } = keepLines();
  const context = { settings: report.settings, log, signal: new AbortController().signal };

  // The slot of the moment before or after it was made: a Monday may begin meanwhile.
  const lastMonday = () => {
    const now = Temporal.Now.zonedDateTimeISO(timezone);
    const monday = now.subtract({ days: now.dayOfWeek - 1 }).with({ hour: 7, minute: 0, second: 0 });
    const whole = monday.round({ smallestUnit: "second", roundingMode: "floor" });
    return Temporal.ZonedDateTime.compare(whole, now) > 0 ? whole.subtract({ weeks: 1 }) : whole;
  };
  const before = lastMonday();
  expect(await runDue(report, cron, folder.path, context)).toBe(EXIT.done);
  const after = lastMonday();
  const slots = [before, after].map((slot) => new Date(slot.epochMilliseconds).toISOString());
  const runs = readRows(database, "SELECT scheduled_for, status, folder FROM report_runs");
  expect(runs).toEqual([
    { scheduled_for: expect.toBeOneOf(slots), status: "done", folder: expect.any(String) },
  ]);
  const sundays = [before, after].map((slot) => slot.subtract({ days: 1 }).toPlainDate().toString());
  expect(runs[0]?.folder).toBeOneOf(sundays.map((day) => join(folder.path, day)));

  expect(await runDue(report, cron, folder.path, context)).toBe(EXIT.done);
  if (before.equals(after)) expect(messages().at(-1)).toBe("this report run is already done");
});
