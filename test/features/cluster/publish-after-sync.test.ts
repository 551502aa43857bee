import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../../src/sandbox/server.ts";
import { writeAccounts } from "../../cli/accounts/agency.ts";
import { calltally } from "../../support/run.ts";
import { CLICKHOUSE, PUBLISHER, startClickhouse } from "../../support/services/clickhouse-servers.ts";

describe.skipIf(CLICKHOUSE.isMissing)(`publish: in calltally.yaml${CLICKHOUSE.note}`, () => {
  it("publishes each account after its sync, by hand and as a job, which status and doctor show", async () => {
    await using servers = await startClickhouse();
    await using north = await startSandbox({ calls: 150, seed: 1 });
    await using south = await startSandbox({ calls: 100, seed: 2 });
    const cwd = servers.folder;
    copyFileSync(servers.passwordFile, join(cwd, "clickhouse.password"));
    writeAccounts(
      cwd,
      { north, south },
      {
        top: `publish: { to: "${servers.url("agency")}", password_file: clickhouse.password }\n`,
        more: { south: "publish: { personal_data: true }" },
      },
    );
    const run = async (...args: string[]) => {
      const ended = await calltally(args, { cwd });
      expect(ended.stdout + ended.stderr).not.toContain(PUBLISHER.password);
      return ended;
    };
    const countRows = () =>
      servers.ask(
        1,
        "SELECT account, count(), countIf(caller LIKE '+%') > 0 FROM agency.calls FINAL WHERE is_deleted = 0 GROUP BY account ORDER BY account",
      );

    const first = await run("sync");
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toMatch(/Published north, .* to clickhouse:\/\/127.*sent +150\n/s);
    expect(await countRows()).toBe("north\t150\t0\nsouth\t100\t1");

    const json = await run("sync", "--json", "--account", "north");
    expect(JSON.parse(json.stdout)).toMatchObject({
      status: "done",
      publication: { account: "north", run_id: 2, sent: { calls: { rows: 0, removed: 0 } } },
    });
    const status = await run("status", "--account", "north");
    expect(status.stdout).toMatch(/^Published {2}just now, 150 calls, as here; clickhouse:\/\/127/m);

    north.calls.insert();
    await servers.stop(1);
    const apart = await run("sync");
    expect(apart.code).toBe(5);
    expect(apart.stderr).toContain(
      `north: Synced, but not published: Cannot reach ${servers.hosts[1]} of the cluster: connect ECONNREFUSED`,
    );
    const job = await run("job", "sync", "--account", "north");
    expect(job.code).toBe(5);
    expect(job.stderr).toMatch(/"msg":"synced".*Cannot reach 127/s);
    const doctor = await run("doctor", "--account", "north");
    expect(doctor.stdout).toMatch(/^warn {2}published +just now; the last attempt failed: Cannot reach 127/m);
    const table = await run("status");
    expect(table.stdout).toMatch(/north: not published: Cannot reach 127/);

    await servers.start(1);
    const back = await run("job", "sync", "--account", "north");
    expect(back.code).toBe(0);
    expect(back.stderr).toMatch(/"calls":151,.*"msg":"published"/);
    const counted = await countRows();
    expect(counted).toBe("north\t151\t0\nsouth\t100\t1");
    const healed = await run("doctor", "--account", "north", "--json");
    const checks: { name: string; state: string }[] = JSON.parse(healed.stdout).checks;
    expect(checks.filter(({ name }) => name === "published")).toMatchObject([{ state: "ok" }]);
    const log = readFileSync(join(cwd, "data/north/calltally.db")).toString("latin1");
    expect(log).not.toContain(PUBLISHER.password);
  });
});
