import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SandboxOptions } from "../../../src/sandbox/server.ts";
import { beginWarehouse } from "../../../src/warehouse/file/begin.ts";
import { startCalltally } from "../../support/run.ts";
import { readRows } from "../../support/warehouses/warehouse.ts";
import { makeAgencyFolder } from "../accounts/agency.ts";
import { until } from "../until.ts";

const SCHEDULED = { status: "done", scheduled_for: expect.stringMatching(/T07:00:00\.000Z$/) };

/** A working folder with an account and its report of each Monday, with calls no older than two hours. */
async function makePlace(acme: SandboxOptions, { limit = 1000, contents = "[channel]" } = {}) {
  const folder = await makeAgencyFolder({ acme }, { more: { acme: `limit: ${limit}` } });
  const report = `contents: ${contents}, range: { last: 4w }, cron: "0 7 * * 1", fresh: 2h`;
  appendFileSync(join(folder.path, "calltally.yaml"), `reports: { weekly: { ${report} } }\n`);
  const database = join(folder.path, "data/acme/calltally.db");
  const rowsOf = (table: "report_runs" | "jobs" | "sync_runs") =>
    readRows(database, `SELECT * FROM ${table}`);
  return { ...folder, rowsOf };
}

it("a report stops with the sync that it waits for, and is made later for the same slot", async () => {
  await using folder = await makePlace({ calls: 400, latencyMs: 300 }, { limit: 100 });
  const { options, say, acme, rowsOf } = folder;
  beginWarehouse(join(folder.path, "data/acme/calltally.db"));
  const job = startCalltally(["job", "report:weekly"], options);
  await until(() => acme.requests.length >= 3);
  job.kill("SIGTERM");
  expect((await job.done).code).toBe(143);
  expect(rowsOf("report_runs")).toEqual([]);
  expect(rowsOf("sync_runs")).toMatchObject([{ status: "interrupted" }]);
  expect(rowsOf("jobs")).toMatchObject([{ job: "report:weekly", exit_code: 143, failing_since: null }]);
  expect(await say("schedule --list --json")).toMatch(/"report:weekly"[^}]*"is_behind": ?true/);
  await say("job report:weekly");
  expect(rowsOf("report_runs")).toMatchObject([SCHEDULED]);
});

it("a report that is killed while it writes leaves no partial set of files, and is resumed under the same number", async () => {
  await using folder = await makePlace({ calls: 300 }, { contents: "[channel, source, calls]" });
  const { options, say, rowsOf } = folder;
  const target = join(folder.path, "reports/acme/weekly");
  mkdirSync(target, { recursive: true });
  await say("sync");
  const seen = new Set<string>();
  // Each file appears under a temporary name, and is renamed at the end.
  for (let changes = 1; changes <= 13; changes += 4) {
    const job = startCalltally(["job", "report:weekly"], options);
    let left = changes;
    const watcher = watch(target, () => {
      if (--left === 0) job.kill("SIGKILL");
    });
    const { code } = await job.done;
    watcher.close();
    seen.add(`${code ?? "killed"}: ${checkSet(target)}`);
    expect(rowsOf("report_runs")).toMatchObject([{ report_run_id: 1 }]);
    if (code !== null) break;
  }
  expect(seen).toContain("killed: nothing");
  await say("job report:weekly");
  expect(rowsOf("report_runs")).toMatchObject([{ report_run_id: 1, ...SCHEDULED }]);
  expect(checkSet(target)).toBe("3 files");
});

/** Describes a folder of exports by its manifest, whose files must match. */
function checkSet(folder: string): string {
  const path = join(folder, "manifest.json");
  if (!existsSync(path)) {
    expect(readdirSync(folder).filter((name) => !name.startsWith("."))).toEqual([]);
    return "nothing";
  }
  const manifest: { unfinished?: boolean; files: { file: string; sha256: string }[] } = JSON.parse(
    readFileSync(path, "utf8"),
  );
  if (manifest.unfinished) expect(manifest.files).toEqual([]);
  for (const { file, sha256 } of manifest.files) {
    const bytes = readFileSync(join(folder, file));
    expect({ file, sha256: createHash("sha256").update(bytes).digest("hex") }).toEqual({ file, sha256 });
  }
  return manifest.unfinished ? "unfinished" : `${manifest.files.length} files`;
}
