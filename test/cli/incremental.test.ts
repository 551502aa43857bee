import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { calltally, type Finished, HAS_PROCESSES, type RunOptions } from "../support/run.ts";
import { readColumn } from "../support/warehouse.ts";
import { makeSandboxFolder } from "./folder.ts";

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

describe("second sync", () => {
  it("of 1,200 calls reads only new calls", async () => {
    await using folder = await makeSandboxFolder(
      { calls: 1200 },
      { CALLTALLY_GONE_AFTER_HOURS: "0", CALLTALLY_LIMIT: "100" },
    );
    const { sandbox, options, run } = folder;
    expect((await sync(sandbox, options)).run).toMatchObject({
      mode: "full",
      verdict: "exact",
      call_order: "newest",
    });

    const quiet = await sync(sandbox, options);
    expect(quiet).toMatchObject({ code: 0, run: { mode: "incremental", verdict: "probable", calls_new: 0 } });
    expect(quiet.requests).toBeLessThanOrEqual(10);

    for (let call = 0; call < 7; call++) sandbox.calls.insert();
    const news = await sync(sandbox, options);
    expect(news).toMatchObject({ code: 0, run: { mode: "incremental", calls_new: 7 } });
    expect(news.requests).toBeLessThanOrEqual(10);

    const deleted = sandbox.calls.ids.filter((_, index) => index % 200 === 100).slice(0, 5);
    for (const id of deleted) sandbox.calls.remove(id);
    const missing = await sync(sandbox, options);
    expect(missing.run).toMatchObject({
      mode: "full",
      plan_reason: "the counts disagree: 1207 calls here, total 1202",
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

    for (const id of sandbox.calls.ids.slice(100, 300)) sandbox.calls.remove(id);
    const braked = await sync(sandbox, options, "--full");
    expect(braked).toMatchObject({
      code: 3,
      run: { verdict: "exact", calls_withheld: 200, calls_missing: 0 },
    });
    expect(
      query(folder.path, "SELECT count(*) FROM calls WHERE missing_since IS NOT NULL AND gone_at IS NULL"),
    ).toBe(0);
    const status = await run("status");
    expect(status.stdout).toMatch(
      /^Complete {3}in doubt: 200 calls went missing in one pass, over the missing-call/m,
    );
    for (const command of [["export"], ["export", "channel", "--stdout"], ["job", "export"]]) {
      const exported = await run(...command);
      expect(exported).toMatchObject({ code: 3 });
      if (command[0] === "job" && !HAS_PROCESSES) continue; // its log is the process's
      expect(exported.stdout + exported.stderr).toContain(
        "200 calls went missing in one pass, over the missing-call threshold",
      );
    }
    const manifest = JSON.parse(readFileSync(join(folder.path, "data/exports/manifest.json"), "utf8"));
    expect(manifest.statements[0]).toMatchObject({
      id: "withheld_calls",
      level: "doubt",
      values: { calls: 200 },
    });
    const doctor = await run("doctor");
    expect(doctor).toMatchObject({ code: 3, stdout: expect.stringContaining("--accept-gone 200") });
    const accepted = await sync(sandbox, options, "--full", "--accept-gone", "200");
    expect(accepted).toMatchObject({ code: 0, run: { calls_missing: 200, calls_withheld: 0 } });
    expect(await run("export")).toMatchObject({ code: 0 });
  });
});
