import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { calltally, type Finished, type RunOptions, settingsFor, startCalltally } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { readColumn } from "../support/warehouse.ts";

interface Sync extends Finished {
  /** The run as `--json` prints it. */
  run: Record<string, unknown>;
  requests: number;
}

async function sync(sandbox: Sandbox, options: RunOptions, ...flags: string[]): Promise<Sync> {
  const before = sandbox.requests.length;
  const finished = await calltally(["sync", "--json", ...flags], options);
  return {
    ...finished,
    run: finished.stdout ? JSON.parse(finished.stdout) : {},
    requests: sandbox.requests.length - before,
  };
}

const query = (folder: string, sql: string) => readColumn(join(folder, "data/calltally.db"), sql)[0];

describe("sync, the second time", () => {
  it.each(["newest", "oldest"] as const)("of 3,000 calls, %s first, reads the news alone", async (order) => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 3000, order });
    const env = { ...settingsFor(sandbox), CALLTALLY_GONE_AFTER_HOURS: "0", CALLTALLY_LIMIT: "250" };
    const options = { cwd: folder.path, env };
    expect((await sync(sandbox, options)).run).toMatchObject({
      mode: "full",
      verdict: "exact",
      call_order: order,
    });

    const quiet = await sync(sandbox, options);
    expect(quiet).toMatchObject({ code: 0, run: { mode: "incremental", verdict: "probable", calls_new: 0 } });
    expect(quiet.requests).toBeLessThanOrEqual(10);

    for (let call = 0; call < 7; call++) sandbox.calls.insert();
    const news = await sync(sandbox, options);
    expect(news).toMatchObject({ code: 0, run: { mode: "incremental", calls_new: 7 } });
    expect(news.requests).toBeLessThanOrEqual(10);

    const deleted = sandbox.calls.ids.filter((_, index) => index % 500 === 250).slice(0, 5);
    for (const id of deleted) sandbox.calls.remove(id);
    const missing = await sync(sandbox, options);
    expect(missing.run).toMatchObject({
      mode: "full",
      plan_reason: "the books do not balance: 3007 calls here, total 3002",
    });
    expect(missing).toMatchObject({ code: 0, run: { calls_missing: 5, calls_gone: 0 } });
    expect((await sync(sandbox, options, "--full")).run).toMatchObject({ calls_missing: 0, calls_gone: 5 });
    const left = `SELECT count(*) FROM attributed_calls WHERE call_id IN (${deleted.join()})`;
    expect(query(folder.path, left)).toBe(0);
    expect(query(folder.path, left.replace("attributed_calls", "calls"))).toBe(5);
    expect(await sync(sandbox, options)).toMatchObject({
      code: 0,
      run: { mode: "incremental", verdict: "probable" },
    });

    for (const id of sandbox.calls.ids.slice(250, 750)) sandbox.calls.remove(id);
    const braked = await sync(sandbox, options, "--full");
    expect(braked).toMatchObject({
      code: 3,
      run: { verdict: "exact", calls_withheld: 500, calls_missing: 0 },
    });
    expect(
      query(folder.path, "SELECT count(*) FROM calls WHERE missing_since IS NOT NULL AND gone_at IS NULL"),
    ).toBe(0);
    const status = await calltally(["status"], options);
    expect(status.stdout).toMatch(/^Working {4}in doubt: 500 calls went missing at once; see --accept-gone/);
    for (const command of [["export"], ["export", "channel", "--stdout"], ["job", "export"]]) {
      const exported = await calltally(command, options);
      expect(exported).toMatchObject({ code: 3 });
      expect(exported.stdout + exported.stderr).toContain(
        "500 calls went missing at once, over the missing-call threshold",
      );
    }
    const manifest = JSON.parse(readFileSync(join(folder.path, "data/exports/manifest.json"), "utf8"));
    expect(manifest.caveats).toEqual({ withheld_calls: 500 });
    const doctor = await calltally(["doctor"], options);
    expect(doctor).toMatchObject({ code: 3, stdout: expect.stringContaining("--accept-gone 500") });
    const accepted = await sync(sandbox, options, "--full", "--accept-gone", "500");
    expect(accepted).toMatchObject({ code: 0, run: { calls_missing: 500, calls_withheld: 0 } });
    expect(await calltally(["export"], options)).toMatchObject({ code: 0 });
  });

  it("keeps counting what has left a list of the newest calls, and says so wherever figures are", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 300 });
    const options = { cwd: folder.path, env: settingsFor(sandbox) };
    await sync(sandbox, options);
    const oldest = sandbox.calls.ids.slice(-20);
    for (const id of oldest) sandbox.calls.remove(id);
    const { code, stdout } = await calltally(["sync", "--full"], options);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}verdict {3}exact: /m);
    expect(stdout).toMatch(/^ {2}unlisted +20 {3}older than any that the service lists/m);
    const since = String(query(folder.path, "SELECT min(unlisted_since) FROM calls"));
    const status = await calltally(["status"], options);
    expect(status.stdout).toContain(
      `\nUnlisted   20 calls since ${since.slice(0, 10)}, older than any listed; still counted\n`,
    );
    const explained = await calltally(["explain", String(oldest[0])], options);
    expect(explained.stdout).toMatch(/^counted +yes; unlisted since /m);
    expect(await calltally(["export", "channel"], options)).toMatchObject({ code: 0 });
    const manifest = JSON.parse(readFileSync(join(folder.path, "data/exports/manifest.json"), "utf8"));
    expect(manifest).toMatchObject({
      unlisted: { calls: 20, since },
      files: [{ sums: { calls: 300 } }],
    });
    expect(manifest).not.toHaveProperty("caveats");
    const again = await sync(sandbox, options);
    expect(again).toMatchObject({ code: 0, run: { mode: "incremental", verdict: "probable" } });
  });

  it("clears a call that comes back, and says so", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 50 });
    const options = { cwd: folder.path, env: settingsFor(sandbox) };
    await sync(sandbox, options);
    const database = new Database(join(folder.path, "data/calltally.db"));
    database.exec(
      "UPDATE calls SET missing_since = '2026-01-01T00:00:00.000Z', gone_at = '2026-01-02T00:00:00.000Z' WHERE rowid % 10 = 0",
    );
    const marked = database.prepare("SELECT count(*) FROM calls WHERE gone_at IS NOT NULL").pluck().get();
    database.close();
    const { stdout } = await calltally(["sync", "--full"], options);
    expect(stdout).toMatch(new RegExp(`returned +${marked} `));
    expect(
      query(folder.path, "SELECT count(*) FROM calls WHERE missing_since IS NOT NULL OR gone_at IS NOT NULL"),
    ).toBe(0);
  });

  it("says in the verdict what it could not do when a full pass is ruled out", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 3000 });
    const options = { cwd: folder.path, env: settingsFor(sandbox) };
    const first = await sync(sandbox, options, "--incremental");
    expect(first).toMatchObject({ code: 2, stdout: "" });
    expect(first.stderr).toContain("Cannot read incrementally: no full pass has been verified yet");
    await sync(sandbox, options);
    const [old = 0] = sandbox.calls.ids.slice(-1);
    sandbox.calls.remove(old);
    const { code, run } = await sync(sandbox, options, "--incremental");
    expect({ code, run }).toMatchObject({ code: 3, run: { mode: "incremental", verdict: "unverified" } });
    expect(run.verdict_reason).toBe("the books do not balance: 3000 calls here, total 2999");
  });

  it("reads all when the calls come in no order of time", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 1200, order: "shuffled" });
    const options = { cwd: folder.path, env: settingsFor(sandbox) };
    await sync(sandbox, options);
    expect((await sync(sandbox, options)).run).toMatchObject({
      mode: "full",
      plan_reason: "no full pass has been verified yet",
      verdict: "probable",
      order_key: null,
    });
  });
});

describe("sync, at odds with its surroundings", () => {
  it("lets one run at a time, and says who holds the lock", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 2000, latencyMs: 800 });
    const options = { cwd: folder.path, env: settingsFor(sandbox) };
    const first = startCalltally(["sync", "--limit", "200"], options);
    while (sandbox.requests.length < 2) await new Promise(setImmediate);
    const second = await calltally(["sync"], options);
    expect(second).toMatchObject({ code: 6, stdout: "" });
    expect(second.stderr).toMatch(new RegExp(`it is being synced by process ${first.pid} since 2\\d{3}-`));
    expect((await first.done).code).toBe(0);
  });

  it("goes on after a kill from the last page that still joins", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 3000, latencyMs: 150 });
    const options = { cwd: folder.path, env: settingsFor(sandbox) };
    const killed = startCalltally(["sync", "--limit", "100", "--concurrency", "1"], options);
    while (sandbox.requests.length < 20) await new Promise(setImmediate);
    killed.kill("SIGKILL");
    await killed.done;
    const { code, run, requests } = await sync(sandbox, options, "--limit", "100");
    expect({ code, run }).toMatchObject({
      code: 0,
      run: { verdict: "exact", resumed: 1, calls_new: 3000, calls_read: 3000 },
    });
    expect(requests).toBeLessThan(50);
  });

  it.each([1, 2])("reads 4,000 calls through faults in every seventh answer, seed %i", async (seed) => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 4000, seed, faultRate: 0.15, oddTexts: true });
    const { code, run } = await sync(
      sandbox,
      { cwd: folder.path, env: settingsFor(sandbox) },
      "--limit",
      "200",
    );
    expect({ code, run }).toMatchObject({ code: 0, run: { verdict: "exact", calls_read: 4000 } });
    expect(sandbox.requests.filter(({ fault }) => fault !== undefined).length).toBeGreaterThan(0);
  });
});
