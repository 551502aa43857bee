import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadSettings } from "../../src/config/load-settings.ts";
import { readConfiguration } from "../../src/config/read-configuration.ts";
import { reportJobs } from "../../src/operate/jobs/report.ts";
import { updateReportRun } from "../../src/reports/delivery/report-run-table.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { newWarehouse } from "../support/warehouses/warehouse.ts";

const YAML = `base_url: https://api.example.com
accounts:
  austin: { token_file: austin.token, timezone: America/Chicago }
  dallas: { token_file: dallas.token }
sync_cron: "7 * * * *"
reports:
  weekly: { accounts: all, contents: [channel], cron: "0 8 * * 1", fresh: 6h, on_restatement: deliver, deliver: [command: [x]] }
  proven: { accounts: all, contents: [source], require: verified, cron: "0 9 * * 2", deliver: [command: [y]] }
  plain: { contents: [campaign], outcomes: true, revenue_by: call, cron: "0 10 * * 3" }
  by_hand: { contents: [medium] }
  of_dallas: { contents: [medium], accounts: [dallas], cron: "0 11 * * 4" }
`;
const AT = (hour: number) => `2026-11-20T${String(hour).padStart(2, "0")}:00:00.000Z`;

function jobsOf(name: string) {
  using folder = makeTempFolder();
  const file = join(folder.path, "calltally.yaml");
  for (const [path, text] of [
    ["calltally.yaml", YAML],
    ["austin.token", "token-of-austin"],
    ["dallas.token", "token-of-dallas"],
  ] as const)
    writeFileSync(join(folder.path, path), text, { mode: 0o600 });
  const configuration = readConfiguration(file, { env: {}, folder: "/" });
  const account = configuration.accounts.find((each) => each.name === name);
  if (account === undefined) throw new Error(`There is no account ${name}`);
  const settings = loadSettings(account.sources);
  return { settings, jobs: reportJobs(configuration, account, folder.path) };
}

it("an account has a job for each of its scheduled reports, and one more for those delivered again", () => {
  const described = (name: string) => {
    const { settings, jobs } = jobsOf(name);
    return jobs.map((job) => {
      const place = job.cronSetting.replace(/^.*calltally\.yaml:\d+:\d+: /, "");
      return [job.name, job.cron(settings), place, job.asksHost ?? false, job.isSync];
    });
  };
  const shared = [
    ["report:weekly", "0 8 * * 1", "reports.weekly.cron", true, false],
    ["restated:weekly", "7 * * * *", "CALLTALLY_SYNC_CRON", false, false],
    ["report:proven", "0 9 * * 2", "reports.proven.cron", true, false],
    ["report:plain", "0 10 * * 3", "reports.plain.cron", false, false],
  ];
  expect(described("austin")).toEqual(shared);
  expect(described("dallas")).toEqual([
    ...shared,
    ["report:of_dallas", "0 11 * * 4", "reports.of_dallas.cron", false, false],
  ]);
});

it("a job of a report was last done by the due runs of its own report and account", () => {
  using warehouse = newWarehouse();
  const insert = warehouse.sqlite.prepare(
    "INSERT INTO report_runs (report, account, scheduled_for, started_at, finished_at, status, process) VALUES (?, ?, ?, ?, ?, ?, '1')",
  );
  for (const [report, account, due, finished, status] of [
    ["weekly", "austin", AT(1), AT(2), "done"],
    ["weekly", "austin", AT(3), AT(4), "interrupted"],
    ["weekly", "dallas", AT(5), AT(6), "done"],
    ["proven", "austin", AT(7), AT(8), "done"],
    ["weekly", "austin", null, AT(9), "done"],
  ])
    insert.run(report, account, due, AT(0), finished, status);
  warehouse.sqlite
    .prepare("INSERT INTO jobs (job, started_at, succeeded_at) VALUES (?, ?, ?), (?, ?, ?)")
    .run("report:weekly", AT(0), AT(11), "restated:weekly", AT(0), AT(12));
  const { settings, jobs } = jobsOf("austin");
  const states = () =>
    jobs.map((job) => [job.name, job.readLastDone(warehouse, settings), job.isUnfinished?.(warehouse)]);
  expect(states()).toEqual([
    ["report:weekly", AT(2), true],
    ["restated:weekly", AT(12), undefined],
    ["report:proven", AT(8), false],
    ["report:plain", null, false],
  ]);
  updateReportRun(warehouse, 2, { status: "failed" });
  expect(states()[0]).toEqual(["report:weekly", AT(2), false]);
});
