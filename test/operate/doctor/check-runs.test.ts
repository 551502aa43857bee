import { describe, expect, it } from "vitest";
import { loadSettings } from "../../../src/config/load-settings.ts";
import { RUN_CHECKS } from "../../../src/operate/doctor/check-runs.ts";
import { upsertPublication } from "../../../src/warehouse/publication-table.ts";
import { startRun, updateRun } from "../../../src/warehouse/runs/runs.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const STARTED_AT = "2026-11-20T11:00:00.000Z";

it.each([
  { error: "The API did not respond", state: "warn", hint: "Run `calltally sync` again." },
  // The file is sound again: otherwise its note of damage is what doctor reports.
  {
    error: "Cannot use calls.db: the file is damaged: database disk image is malformed (SQLITE_CORRUPT)",
    state: "warn",
    hint: "Run `calltally sync` again.",
  },
])("doctor judges the last run as $state after: $error", ({ error, state, hint }) => {
  using warehouse = newWarehouse();
  const id = startRun(warehouse, { started_at: STARTED_AT, mode: "full", plan_reason: "a test", pid: 1 });
  writeTransaction(warehouse, (tx) => updateRun(tx, id, { status: "failed", error }));
  const settings = loadSettings({ env: { CALLTALLY_DATABASE: warehouse.path }, folder: warehouse.folder });
  const checks = RUN_CHECKS.flatMap((check) => check(warehouse, settings, Date.parse(STARTED_AT)));
  expect(checks.find(({ name }) => name === "last run")).toMatchObject({ state, hint });
});

describe("RUN_CHECKS", () => {
  const NOW_MS = Date.parse("2026-11-20T11:00:00.000Z");
  const hoursAgo = (hours: number) => new Date(NOW_MS - hours * 3_600_000).toISOString();
  const ENV = { CALLTALLY_TIMEZONE: "Pacific/Honolulu", CALLTALLY_FULL_EVERY_HOURS: "30" };

  /** A proven pass of this age, and an incremental sync that began 5 hours ago. */
  function openRuns(passHours: number, last: Parameters<typeof updateRun>[2] = {}) {
    const warehouse = newWarehouse();
    const start = (hours: number, mode: "full" | "incremental") =>
      startRun(warehouse, { started_at: hoursAgo(hours), mode, plan_reason: "a test", pid: 1 });
    const pass = start(passHours + 1, "full");
    updateRun(warehouse, pass, { status: "done", verdict: "verified", finished_at: hoursAgo(passHours) });
    const ended = { status: "done", verdict: "probable", finished_at: hoursAgo(4) } as const;
    updateRun(warehouse, start(5, "incremental"), { ...ended, ...last });
    return warehouse;
  }

  function checksOf(warehouse: ReturnType<typeof newWarehouse>, env: Record<string, string> = {}) {
    const sources = { env: { CALLTALLY_DATABASE: warehouse.path, ...ENV, ...env }, folder: warehouse.folder };
    const checks = RUN_CHECKS.flatMap((check) => check(warehouse, loadSettings(sources), NOW_MS));
    return checks.map(({ name, state, message }) => `${state} ${name}: ${message}`);
  }

  it("shows the last run in the account's zone, the last proof, and what is known of the figures", () => {
    using warehouse = openRuns(60);
    expect(checksOf(warehouse)).toEqual([
      "ok last run: run 2 of 19 Nov 2026 20:00 (UTC-10:00) ended probable",
      "ok figures: nothing is known to put them in doubt",
      "ok verified: run 1 read every call, 2 days ago",
    ]);
  });

  it("wants a full pass once the last proof is older than twice its interval", () => {
    using warehouse = openRuns(60);
    const verified = (hours: string) => checksOf(warehouse, { CALLTALLY_FULL_EVERY_HOURS: hours }).at(-1);
    expect(verified("30")).toMatch(/^ok verified: /);
    expect(verified("29")).toMatch(/^warn verified: run 1 read every call, /);
  });

  it.each([
    [
      { status: "interrupted", error: "stopped" },
      "warn last run: run 2 of 19 Nov 2026 20:00 (UTC-10:00) interrupted: stopped",
    ],
    [
      { status: "failed", error: "broke" },
      "warn last run: run 2 of 19 Nov 2026 20:00 (UTC-10:00) failed: broke",
    ],
    [
      { finished_at: "2027-01-01T00:00:00.000Z" },
      "warn last run: run 2 of 19 Nov 2026 20:00 (UTC-10:00) is dated in the future",
    ],
  ] as const)("judges a last run with %j", (last, expected) => {
    using warehouse = openRuns(60, last);
    expect(checksOf(warehouse)[0]).toBe(expected);
  });

  it("names failing jobs, and how old and whole each publication is", () => {
    using warehouse = openRuns(60);
    const insert = warehouse.sqlite.prepare(
      "INSERT INTO jobs (job, started_at, failing_since, exit_code, error) VALUES (?, ?, ?, ?, ?)",
    );
    insert.run("export", hoursAgo(1), hoursAgo(7), 4, "no room");
    insert.run("insights", hoursAgo(2), null, 0, null);
    insert.run("report:weekly", hoursAgo(3), hoursAgo(8), 9, null);
    const publish = (host: string, publication: object) =>
      upsertPublication(warehouse, {
        ...{ target: `clickhouse://${host}:8443/calls?cluster=calltally`, account: "main" },
        ...{ attempted_at: hoursAgo(1), error: null, change_id: 0 },
        ...publication,
      });
    publish("a", { published_at: hoursAgo(9), run_id: 2 });
    publish("b", { published_at: hoursAgo(10), run_id: 1 });
    publish("c", { published_at: hoursAgo(11), run_id: 2, error: "c is full" });
    expect(checksOf(warehouse).slice(3)).toEqual([
      "warn job export: failed 7 hours ago, and has not succeeded since; exit 4: no room",
      "warn job report:weekly: failed 8 hours ago, and has not succeeded since; exit 9",
      "ok published: 9 hours ago, to clickhouse://a:8443/calls?cluster=calltally",
      "warn published: 10 hours ago, and is behind; clickhouse://b:8443/calls?cluster=calltally",
      "warn published: 11 hours ago; the last attempt failed: c is full",
    ]);
    const to = { CALLTALLY_PUBLISH_TO: "clickhouse://b/calls", CALLTALLY_PUBLISH_USER: "anna" };
    expect(checksOf(warehouse, to).slice(5)).toHaveLength(1);
  });
});
