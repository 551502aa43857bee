import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openJournal } from "../../src/schedule/job-journal.ts";
import { openWarehouse } from "../../src/warehouse/file/open.ts";
import type { JobEnd } from "../../src/warehouse/runs/job-table.ts";
import { keepLines } from "../support/log-lines.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const end: JobEnd = {
  job: "sync",
  startedAt: "2026-11-20T12:07:00.000Z",
  finishedAt: "2026-11-20T12:08:00.000Z",
  exitCode: 7,
  result: "failure",
  error: "Cannot write x",
};

describe("openJournal", () => {
  it("records start and end of a job without a log line", () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    openWarehouse(database)[Symbol.dispose]();
    const { log, lines } = keepLines();
    const journal = openJournal(database, log);
    expect(journal.read()).toEqual([]);
    journal.start("sync", end.startedAt);
    expect(journal.read()).toMatchObject([{ started_at: end.startedAt, finished_at: null }]);
    journal.end(end);
    expect(journal.read()).toMatchObject([{ finished_at: end.finishedAt, exit_code: 7, failed_runs: 1 }]);
    expect(lines).toEqual([]);
  });

  it("creates no warehouse", () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    const { log, lines } = keepLines();
    const journal = openJournal(database, log);
    journal.start("sync", end.startedAt);
    journal.end(end);
    expect([journal.read(), existsSync(database), lines]).toEqual([[], false, []]);
  });

  it("logs why it cannot record a job: the start at debug level, the end as a warning", () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    writeFileSync(database, "no warehouse");
    const { log, lines } = keepLines();
    const journal = openJournal(database, log);
    journal.start("sync", end.startedAt);
    journal.end(end);
    expect(journal.read()).toEqual([]);
    const msg = `cannot record jobs in the warehouse: Cannot use ${database} as the warehouse: it is not an SQLite database`;
    expect(lines).toEqual([
      { level: 20, msg },
      { level: 40, msg },
      { level: 20, msg },
    ]);
    expect(readFileSync(database, "utf8")).toBe("no warehouse");
  });
});
