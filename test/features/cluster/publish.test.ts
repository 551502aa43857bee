import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CalltallyError, EXIT } from "../../../src/base/errors.ts";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { parseClusterUrl } from "../../../src/config/cluster-url.ts";
import { Claim } from "../../../src/features/cluster/claim.ts";
import { openCluster } from "../../../src/features/cluster/cluster.ts";
import { readCluster } from "../../../src/features/cluster/cluster-session.ts";
import { parseAbout, readPublished } from "../../../src/features/cluster/published.ts";
import { forgetCallers } from "../../../src/operate/forget/forget-callers.ts";
import { settleCallers } from "../../../src/warehouse/calls/first-load.ts";
import { openExistingWarehouse, openReader } from "../../../src/warehouse/file/open.ts";
import { readPublication, readPublications } from "../../../src/warehouse/publication-table.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import { makeWarehouse } from "../../support/figures/produce-files.ts";
import { calltally, startCalltally } from "../../support/run.ts";
import {
  CLICKHOUSE,
  type ClickhouseServers,
  startClickhouse,
} from "../../support/services/clickhouse-servers.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { locked, markGone, setRules, storeCalls } from "../../support/warehouses/warehouse.ts";
import { type Fate, startProxy } from "./cutting-proxy.ts";
import { type AccountPublication, publishAccount as publish } from "./publish-account.ts";
import { makeCalls, readExpected, readFound } from "./published-calls.ts";

// Whatever the cluster holds, and whatever interrupted a publication: one that ends leaves the rows of the warehouse.

const KILLS = 10;
/** For background work of ClickHouse. */
const PATIENCE_MS = 600_000;

describe.skipIf(CLICKHOUSE.isMissing)(`publish${CLICKHOUSE.note}`, () => {
  let servers: ClickhouseServers;
  beforeAll(async () => {
    servers = await startClickhouse();
  });
  afterAll(async () => {
    await servers[Symbol.asyncDispose]();
  });

  const optionsFor = (database: string, account: string, to: string) => ({
    database,
    account,
    to: parseClusterUrl(to),
    passwordFile: servers.passwordFile,
    isPersonal: false,
    timezone: "UTC",
    lookbackHours: 72,
  });

  async function expectSame(database: string, name: string, account: string, options = {}): Promise<void> {
    const [expected, found] = [readExpected(database, options), await readFound(servers, name, account)];
    const different = [...new Set([...expected.keys(), ...found.keys()])].filter(
      (id) => expected.get(id) !== found.get(id),
    );
    expect(different.slice(0, 3).map((id) => [id, expected.get(id), found.get(id)])).toEqual([]);
    expect(found.size).toBe(expected.size);
  }

  const readAbout = (name: string, account: string) =>
    servers.ask(
      0,
      `SELECT published_at, unfinished_since FROM ${name}.published WHERE account = '${account}' ORDER BY version DESC LIMIT 1`,
    );

  it("makes the rows of three accounts equal to their warehouses, even after changes, and sends nothing without any", async () => {
    const accounts = { north: makeCalls(9000, 1), south: makeCalls(7000, 2), west: makeCalls(4000, 3) };
    for (const [account, calls] of Object.entries(accounts)) {
      using warehouse = makeWarehouse(calls);
      warehouse.execute(
        `INSERT INTO spend (day, source, medium, campaign, cost_micros, currency, clicks, file, imported_at)
        SELECT '2026-06-0' || (value % 9 + 1), 'google', 'cpc', 'Campaign ' || value, value * 1000003, 'EUR', nullif(value % 4, 0), 'ads.csv', '2026-07-01T00:00:00.000Z'
        FROM generate_series(1, 300)`.replace(
          "generate_series(1, 300)",
          "(WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 300) SELECT value FROM n)",
        ),
      );
      const options = optionsFor(warehouse.database, account, servers.url("three"));

      const first = await publish(options);
      expect(first.sent).toEqual({
        calls: { rows: calls.length, removed: 0 },
        spend: { rows: 300, removed: 0 },
      });
      await expectSame(warehouse.database, "three", account);

      change(warehouse.database, calls.length);
      const second = await publish(options);
      expect(second.sent.calls.removed).toBeGreaterThan(calls.length / 50);
      expect(second.sent.calls.rows).toBeLessThan(calls.length / 2);
      expect(second.sent.spend).toEqual({ rows: 20, removed: 10 });
      await expectSame(warehouse.database, "three", account);

      const third = await publish(options);
      expect([third.sent, third.totals]).toEqual([
        { calls: { rows: 0, removed: 0 }, spend: { rows: 0, removed: 0 } },
        second.totals,
      ]);
      if (account !== "west") continue;
      {
        using open = openExistingWarehouse(warehouse.database);
        setRules(open, { ...DEFAULT_RULES, answered: ["busy"], qualified_seconds: 5 });
      }
      await publish(options);
      await expectSame(warehouse.database, "three", account);
    }
    // A later version takes precedence, in any order of merges.
    const above =
      "SELECT (SELECT max(version) FROM three.published WHERE published_at IS NOT NULL) - max(version)";
    const rows = await servers.ask(0, `${above} FROM three.calls`);
    const others = await servers.ask(0, `${above} FROM three.published WHERE published_at IS NULL`);
    expect([Number(rows) > 0, Number(others) > 0]).toEqual([true, true]);
  });

  /** Callers corrected, calls gone, back, new and removed, first calls moved, spend imported again. */
  function change(database: string, count: number): void {
    using warehouse = openExistingWarehouse(database);
    storeCalls(
      warehouse,
      [
        ...makeCalls(count, 9)
          .filter((_, index) => index % 20 === 3)
          .map((call) => ({ ...call, caller_id: `+1${call.call_id + 600}` })),
        makeCall({ call_id: 1_000_001, caller_id: "+491000001", call_started: "2020-01-01T00:00:00.000Z" }),
      ],
      { runId: 2 },
    );
    const ids = Array.from({ length: count - 600 }, (_, index) => index);
    markGone(
      warehouse,
      ids.filter((id) => id % 31 === 0),
    );
    warehouse.sqlite.exec(`DELETE FROM calls WHERE call_id % 53 = 5;
      UPDATE spend SET cost_micros = cost_micros + 1 WHERE spend_id <= 20;
      DELETE FROM spend WHERE spend_id > 290`);
    writeTransaction(warehouse, (tx) => settleCallers(tx));
  }

  it(`results in the rows of the warehouse after ${KILLS} kills, next to the publication of another account`, async () => {
    using warehouse = makeWarehouse(makeCalls(2500, 4));
    using other = makeWarehouse(makeCalls(1500, 5));
    const counts = { killed: 0, unfinished: 0 };
    // A server may finish what a killed process began: then the next one has less to do, and may end before its kill.
    for (let kill = 0; counts.killed < KILLS; kill++) {
      expect(kill).toBeLessThan(2 * KILLS);
      {
        using open = openExistingWarehouse(warehouse.database);
        setRules(open, { ...DEFAULT_RULES, qualified_seconds: 10 * kill });
      }
      // In addition to reading requests: between the requests that write, and those that confirm.
      let writes = 0;
      const stopAt = kill % 5;
      let child: ReturnType<typeof startCalltally> | undefined;
      await using proxy = await startProxy(servers.hosts[0] ?? "", (statement) => {
        if (statement.startsWith("INSERT") || writes > 0) writes++;
        if (writes === stopAt + 1) child?.kill("SIGKILL");
        return writes === stopAt + 1 && kill >= KILLS / 2 ? "swallow" : "pass";
      });
      const start = (database: string, hosts: readonly string[], name: string) =>
        startCalltally(["publish", "--quiet", "--database", database, "--to", servers.url(name, hosts)], {
          cwd: servers.folder,
          env: {
            CALLTALLY_PUBLISH_PASSWORD_FILE: servers.passwordFile,
            CALLTALLY_QUALIFIED_SECONDS: String(10 * kill),
          },
        });
      child = start(warehouse.database, [proxy.host, servers.hosts[1] ?? ""], "killed");
      const alongside = kill === 0 ? start(other.database, servers.hosts, "alongside").done : undefined;
      const ended = await child.done;
      if (alongside !== undefined) expect(await alongside).toMatchObject({ code: 0, stderr: "" });
      if (ended.code === null) counts.killed++;
      else expect(ended).toMatchObject({ code: 0 });
      // A process that is killed at its last request may have finished its publication.
      if (!/Z\t\\N$/.test(await readAbout("killed", "default"))) counts.unfinished++;
    }
    expect(counts.unfinished).toBeGreaterThan(0);
    await publish({ ...optionsFor(warehouse.database, "", servers.url("killed")), account: undefined });
    await expectSame(warehouse.database, "killed", "default");
    await expectSame(other.database, "alongside", "default");
    expect(await readAbout("killed", "default")).toMatch(/Z\t\\N$/);
  });

  it("results in the rows of a restored backup, and then of later changes", async () => {
    using warehouse = makeWarehouse(makeCalls(800, 6));
    const options = optionsFor(warehouse.database, "acme", servers.url("restored"));
    const backup = join(servers.folder, "backup.db");
    copyFileSync(warehouse.database, backup);
    await publish(options);
    const key = `${warehouse.database}.caller-key`;
    copyFileSync(key, `${backup}.caller-key`);
    change(warehouse.database, 800);
    await publish(options);
    await publish({ ...options, database: backup });
    await expectSame(backup, "restored", "acme");
    await publish(options);
    await expectSame(warehouse.database, "restored", "acme");
  });

  it("repairs rows that others changed, removed, duplicated or moved to another server", async () => {
    using warehouse = makeWarehouse(makeCalls(500, 7));
    const options = optionsFor(warehouse.database, "acme", servers.url("mended"));
    await publish(options);
    const columns = "account, call_id, is_live, outcome, channel, version";
    for (const server of [0, 1]) {
      await servers.ask(
        server,
        `INSERT INTO mended.calls_local (${columns}) SELECT account, call_id, 1, 'other', 'Direct', 900 FROM mended.calls WHERE call_id % 50 = ${server}`,
      );
    }
    await servers.ask(
      0,
      "INSERT INTO mended.calls_local (account, call_id, version, is_deleted) SELECT account, call_id, 900, 1 FROM mended.calls WHERE call_id % 50 = 7",
    );
    await publish(options);
    await expectSame(warehouse.database, "mended", "acme");
  });

  it("exits with 3 and names the months that keep differing in the cluster, and claims no success", async () => {
    using warehouse = makeWarehouse(makeCalls(300, 8));
    await using proxy = await startProxy(servers.hosts[1] ?? "", (statement) =>
      statement.startsWith("INSERT INTO `lossy`.`calls_local`") ? "swallow" : "pass",
    );
    const hosts = [servers.hosts[0] ?? "", proxy.host];
    const options = optionsFor(warehouse.database, "acme", servers.url("lossy", hosts));
    const error = await publish(options).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ exitCode: EXIT.unverified });
    expect(String(error)).toContain(
      "has the calls of acme: they differ in no month, 2026-06, 2026-07, and did so after these were sent again",
    );
    expect(await readAbout("lossy", "acme")).toMatch(/^\\N\t2/);
    using reader = openReader(warehouse.database);
    expect(readPublications(reader)).toMatchObject([
      { account: "acme", published_at: null, run_id: null, error: String(error).replace(/^\w+: /, "") },
    ]);
    await publish({ ...options, to: parseClusterUrl(servers.url("lossy")) });
    await expectSame(warehouse.database, "lossy", "acme");
  });

  it("exits with 3 if a server does not record changed texts", async () => {
    using warehouse = makeWarehouse(makeCalls(300, 22));
    const options = optionsFor(warehouse.database, "acme", servers.url("texts"));
    await publish(options);
    warehouse.execute("UPDATE call_facts SET topic = 'Prices' WHERE call_started LIKE '2026-07%'");
    await using proxy = await startProxy(servers.hosts[1] ?? "", (statement) =>
      statement.startsWith("INSERT INTO `texts`.`calls_local`") ? "swallow" : "pass",
    );
    const lossy = parseClusterUrl(servers.url("texts", [servers.hosts[0] ?? "", proxy.host]));
    await expect(publish({ ...options, to: lossy })).rejects.toMatchObject({
      exitCode: EXIT.unverified,
      message: expect.stringContaining("they differ in 2026-07, and did so"),
    });
    await publish(options);
    await expectSame(warehouse.database, "texts", "acme");
  });

  it.each([
    ["it announces its start", "INSERT INTO `at_once`.`published_local`", 1],
    ["it sends rows", "INSERT INTO `at_once`.`calls_local`", 1],
    ["it announces its end", "INSERT INTO `at_once`.`published_local`", 2],
  ])(
    "exits with 6 if a copy of its warehouse is published as %s, and warns that rows may be of both",
    async (_, statement, nth) => {
      using warehouse = makeWarehouse(makeCalls(300, 14));
      const copy = join(servers.folder, "copy.db");
      copyFileSync(warehouse.database, copy);
      change(copy, 900);
      let met = 0;
      const decide = async (text: string): Promise<Fate> => {
        if (text.startsWith(statement) && ++met === nth)
          await publish(optionsFor(copy, "acme", servers.url("at_once")));
        return "pass";
      };
      await using one = await startProxy(servers.hosts[0] ?? "", decide);
      await using two = await startProxy(servers.hosts[1] ?? "", decide);
      const hosts = [one.host, two.host];
      const publication = publish(optionsFor(warehouse.database, "acme", servers.url("at_once", hosts)));
      await expect(publication).rejects.toMatchObject({ exitCode: EXIT.locked });
      expect(await readAbout("at_once", "acme")).toMatch(/Z$/);
      await publish(optionsFor(warehouse.database, "acme", servers.url("at_once")));
      await expectSame(warehouse.database, "at_once", "acme");
      await servers.ask(0, "DROP DATABASE at_once");
      await servers.ask(1, "DROP DATABASE at_once");
    },
  );

  it("does not change what a copy of its warehouse published meanwhile, if it has nothing to send", async () => {
    using warehouse = makeWarehouse(makeCalls(100, 20));
    await publish(optionsFor(warehouse.database, "acme", servers.url("left")));
    const copy = join(servers.folder, "left.db");
    copyFileSync(warehouse.database, copy);
    change(copy, 700);
    await using proxy = await startProxy(servers.hosts[0] ?? "", async (text): Promise<Fate> => {
      if (text.includes("`spend_local` FINAL")) await publish(optionsFor(copy, "acme", servers.url("left")));
      return "pass";
    });
    const hosts = [proxy.host, servers.hosts[1] ?? ""];
    const publication = publish(optionsFor(warehouse.database, "acme", servers.url("left", hosts)));
    await expect(publication).rejects.toMatchObject({ exitCode: EXIT.locked });
    expect(await readAbout("left", "acme")).toMatch(/Z\t\\N$/);
    await expectSame(copy, "left", "acme");
  });

  it("Claim: provides no version for rows before the cluster shows the account as unfinished or after confirmation", async () => {
    using warehouse = makeWarehouse(makeCalls(50, 19));
    const options = optionsFor(warehouse.database, "acme", servers.url("claimed"));
    await publish(options);
    await using cluster = await openCluster({ address: options.to, passwordFile: servers.passwordFile });
    const read = async () => {
      const [published] = await readPublished(cluster);
      if (published === undefined) throw new Error("It is published");
      return published;
    };
    const before = await read();
    const { warehouse_id } = before;
    const claim = await Claim.take(cluster, { account: "acme", warehouse_id, startedMs: 0 });
    expect(await read()).toEqual(before);
    const version = await claim.hold();
    const unfinished_since = "1970-01-01T00:00:00.000Z";
    expect(await read()).toEqual({ ...before, version, unfinished_since });
    expect(await claim.hold()).toBe(version);

    const published_at = "2026-11-01T00:00:00.000Z";
    const about = parseAbout(await read());
    expect(claim.before).toEqual(before);
    await claim.confirm(published_at, about);
    const after = await read();
    expect(after).toMatchObject({ published_at, unfinished_since: null, version: version + 2 });
    await expect(claim.hold()).rejects.toThrow("The publication of acme is confirmed");
    await expect(claim.confirm(published_at, about)).rejects.toThrow("The publication of acme is confirmed");
    expect(await read()).toEqual(after);
  });

  it("rejects a success that has content, is truncated, or was not recorded", async () => {
    using warehouse = makeWarehouse(makeCalls(100, 15));
    const full =
      "Code: 241, e.displayText() = DB::Exception: Memory limit exceeded, e.what() = DB::Exception";
    const lies: [RegExp, Fate, number, string][] = [
      [
        /^INSERT INTO .*calls_local/,
        { said: full },
        EXIT.unreachable,
        "says Memory limit exceeded (code 241)",
      ],
      [/AS month/, { said: full }, EXIT.unreachable, "says Memory limit exceeded (code 241)"],
      [
        /^CREATE TABLE/,
        { said: "<html>" },
        EXIT.contract,
        "the response, status 200, is not from ClickHouse",
      ],
      [/AS month/, { said: '{"data":[["2026-06","2","3"]],' }, EXIT.contract, "is not from Click"],
      [/^INSERT INTO .*published/, "swallow", EXIT.unverified, "the cluster has not recorded it"],
    ];
    for (const [index, [statement, fate, exitCode, message]] of lies.entries()) {
      await using one = await startProxy(servers.hosts[0] ?? "", (text) =>
        statement.test(text) ? fate : "pass",
      );
      await using two = await startProxy(servers.hosts[1] ?? "", (text) =>
        statement.test(text) ? fate : "pass",
      );
      const options = optionsFor(
        warehouse.database,
        "acme",
        servers.url(`lied_${index}`, [one.host, two.host]),
      );
      const error = await publish(options).catch((thrown: unknown) => thrown);
      expect(error, message).toMatchObject({ exitCode });
      expect(String(error)).toContain(message);
    }
  });

  it("refuses a warehouse that is published under another name, and explains how to remove that", async () => {
    using warehouse = makeWarehouse(makeCalls(20, 16));
    await publish(optionsFor(warehouse.database, "acme", servers.url("renamed")));
    const again = optionsFor(warehouse.database, "acme-inc", servers.url("renamed"));
    const error = await publish(again).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ exitCode: EXIT.usage });
    expect(String(error)).toContain(
      "its warehouse is already published there as acme, and would count twice",
    );
    const { hint = "" } = error instanceof CalltallyError ? error : {};
    for (const statement of hint.slice(hint.indexOf("ALTER")).split("; ")) {
      for (const server of [0, 1])
        await servers.ask(server, statement.replace("ALTER TABLE ", "ALTER TABLE renamed."));
    }
    await expect
      .poll(() => servers.ask(0, "SELECT count() FROM renamed.calls WHERE account = 'acme'"), {
        timeout: PATIENCE_MS,
      })
      .toBe("0");
    await expect
      .poll(() => servers.ask(0, "SELECT count() FROM renamed.published"), { timeout: PATIENCE_MS })
      .toBe("0");
    await publish(again);
    await expectSame(warehouse.database, "renamed", "acme-inc");
  });

  it("results in the same rows when it sends only changes, and compares everything in doubt", async () => {
    using warehouse = makeWarehouse(makeCalls(1200, 17));
    const { database } = warehouse;
    const startMs = Date.parse("2026-11-01T00:00:00.000Z");
    let nowMs = startMs;
    const options = {
      ...optionsFor(database, "acme", servers.url("brief")),
      clock: { now: () => nowMs, sleep: () => Promise.resolve() },
    };
    const publishAgain = async (own: Partial<AccountPublication> = {}) => {
      nowMs += 60_000;
      await publish({ ...options, ...own });
      await expectSame(database, "brief", "acme", own);
      using reader = openReader(database);
      const hashedAt = readPublication(reader, options.to.name)?.hashed_at ?? "";
      return Date.parse(hashedAt) === nowMs ? "all" : "changed";
    };
    const execute = (sql: string) => {
      using open = openExistingWarehouse(database);
      open.sqlite.exec(sql);
    };
    expect(await publishAgain()).toBe("all");
    expect(await publishAgain()).toBe("changed");
    change(database, 1200);
    expect(await publishAgain()).toBe("changed");
    {
      using open = openExistingWarehouse(database);
      setRules(open, { ...DEFAULT_RULES, qualified_seconds: 5 });
      const caller = open.sqlite
        .prepare<[], string>(
          "SELECT caller FROM call_facts JOIN callers USING (caller_id) WHERE caller LIKE '+%'",
        )
        .pluck();
      forgetCallers(locked(open), [{ caller: caller.get() ?? "" }], { nowMs });
    }
    expect(await publishAgain()).toBe("all");
    expect(await publishAgain({ isPersonal: true })).toBe("all");
    expect(await publishAgain()).toBe("all");
    expect(await publishAgain()).toBe("changed");
    // Changes by others.
    for (const server of [0, 1]) await servers.ask(server, "TRUNCATE TABLE brief.calls_local");
    expect(await publishAgain()).toBe("changed");
    await servers.ask(
      0,
      "ALTER TABLE brief.calls_local UPDATE campaign = 'by hand' WHERE toString(call_started) LIKE '2026-07%'",
    );
    expect(await publishAgain()).toBe("changed");
    // Changes that no trigger saw.
    execute("DROP TRIGGER mark_changed_call; UPDATE call_facts SET campaign = 'unseen' WHERE call_id = 7");
    expect(await publishAgain()).toBe("all");
    expect(await publishAgain()).toBe("changed");
    expect(await publishAgain({ isThorough: true })).toBe("all");
  });

  it("removes numbers, click ids and forgotten callers from every row of the servers on request", async () => {
    using warehouse = makeWarehouse(makeCalls(400, 18));
    const to = servers.url("erased");
    const run = async (...args: string[]) => {
      const env = {
        CALLTALLY_PUBLISH_PASSWORD_FILE: servers.passwordFile,
        CALLTALLY_PUBLISH_PERSONAL_DATA: "true",
      };
      const ended = await calltally([...args, "--database", warehouse.database], {
        cwd: servers.folder,
        env,
      });
      expect(ended.code).toBe(0);
      return ended.stdout + ended.stderr;
    };
    const countWhere = async (condition: string) => {
      const counts = await Promise.all(
        [0, 1].map((server) =>
          servers.ask(server, `SELECT count() FROM erased.calls_local WHERE ${condition}`),
        ),
      );
      return counts.map(Number).reduce((sum, count) => sum + count);
    };
    await run("publish", "--to", to);
    const number = await servers.ask(0, "SELECT any(caller) FROM erased.calls WHERE caller LIKE '+%'");
    const isTheirs = `caller = '${number}'`;
    expect(await countWhere(isTheirs)).toBeGreaterThan(0);
    const target = parseClusterUrl(to).name;
    expect(await run("status")).toContain("as here");
    expect(await run("forget", number)).toContain(
      `Clusters that contain them until the next publication, which erases them:\n  ${target}`,
    );
    expect(await run("status")).toContain("and is behind");
    expect(await run("publish", "--to", to)).toContain("the servers have merged their parts");
    expect(await countWhere(isTheirs)).toBe(0);
    expect(await run("status")).toContain("as here");
    expect(await run("publish", "--to", to)).not.toContain("merged");

    expect(await countWhere("caller LIKE '+%' OR gclid LIKE 'Cj%'")).toBeGreaterThan(0);
    const { erased } = await publish({ ...optionsFor(warehouse.database, "", to), account: undefined });
    expect(erased).toBe(true);
    expect(await countWhere("caller LIKE '+%' OR gclid LIKE 'Cj%'")).toBe(0);
  });

  it("sends numbers and click ids only if allowed, and publishes everything again when that changes", async () => {
    using warehouse = makeWarehouse(makeCalls(400, 10));
    const options = optionsFor(warehouse.database, "acme", servers.url("personal"));
    const countPersonal = () =>
      servers.ask(
        0,
        "SELECT countIf(caller LIKE '+%'), countIf(gclid LIKE 'Cj%') FROM personal.calls FINAL WHERE is_deleted = 0",
      );
    await publish(options);
    expect(await countPersonal()).toBe("0\t0");
    const { sent } = await publish({ ...options, isPersonal: true });
    expect(sent.calls.rows).toBeGreaterThan(300);
    expect(await countPersonal()).toBe("363\t100");
    await expectSame(warehouse.database, "personal", "acme", { isPersonal: true });
    await publish(options);
    expect(await countPersonal()).toBe("0\t0");
  });

  it("names a server that is down, keeps what is published, and continues when it is back", async () => {
    using warehouse = makeWarehouse(makeCalls(300, 11));
    const options = optionsFor(warehouse.database, "acme", servers.url("stopped"));
    await publish(options);
    const before = await readAbout("stopped", "acme");
    change(warehouse.database, 300 + 600);
    await servers.stop(1);
    try {
      const error = await publish(options).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ exitCode: EXIT.unreachable });
      expect(String(error)).toContain(
        `Cannot reach ${servers.hosts[1]} of the cluster: connect ECONNREFUSED`,
      );
    } finally {
      await servers.start(1);
    }
    expect(await readAbout("stopped", "acme")).toBe(before);
    await publish(options);
    await expectSame(warehouse.database, "stopped", "acme");
  });

  it("reads all shards or names the one that is down, whatever the profile of the servers", async () => {
    using warehouse = makeWarehouse(makeCalls(100, 13));
    const options = optionsFor(warehouse.database, "acme", servers.url("seen"));
    await publish(options);
    await using cluster = await openCluster({ address: options.to, passwordFile: servers.passwordFile });
    const count = () =>
      cluster.select(`SELECT count() AS calls FROM ${cluster.table("calls")} FINAL`, {
        doing: "count calls",
      });
    expect(await count()).toEqual([["100"]]);
    await servers.stop(1);
    try {
      const error = await count().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ exitCode: EXIT.unreachable });
      expect(String(error)).toContain(`Cannot reach ${servers.hosts[1]} of the cluster`);
    } finally {
      await servers.start(1);
    }
    expect(await count()).toEqual([["100"]]);
  });

  it("gives each replica of a shard all rows, and repairs one that differs", async () => {
    using warehouse = makeWarehouse(makeCalls(400, 21));
    const to = `${servers.url("copied")}?cluster=copies`;
    const options = optionsFor(warehouse.database, "acme", to);
    const readBoth = () =>
      Promise.all(
        [0, 1].map((server) => readFound(servers, "copied", "acme", { table: "calls_local", server })),
      );
    const expectBoth = async () => {
      const expected = readExpected(warehouse.database);
      expect(await readBoth()).toEqual([expected, expected]);
      expect(await readFound(servers, "copied", "acme")).toEqual(expected);
    };
    await publish(options);
    await expectBoth();
    change(warehouse.database, 400 + 600);
    await publish(options);
    await expectBoth();
    await servers.ask(
      1,
      "ALTER TABLE copied.calls_local DELETE WHERE account = 'acme' AND toString(call_started) LIKE '2026-07%'",
    );
    await expect.poll(async () => (await readBoth())[1]?.size, { timeout: PATIENCE_MS }).toBeLessThan(300);
    const { sent, shards } = await publish(options);
    expect(sent.calls.rows).toBeGreaterThan(20);
    expect(shards).toBe(1);
    await expectBoth();

    change(warehouse.database, 400 + 900);
    await using forgetful = await startProxy(servers.hosts[1] ?? "", (statement) =>
      statement.startsWith("INSERT INTO `copied`.`published_local`") ? "swallow" : "pass",
    );
    const half = `${servers.url("copied", [servers.hosts[0] ?? "", forgetful.host])}?cluster=copies`;
    await expect(publish({ ...options, to: parseClusterUrl(half) })).rejects.toMatchObject({
      exitCode: EXIT.unverified,
    });
    await publish(options);
    await expectBoth();

    // The first server does not have the replaced rows.
    await servers.ask(0, "OPTIMIZE TABLE copied.calls_local FINAL");
    const access = { address: parseClusterUrl(to), passwordFile: servers.passwordFile };
    const calls = await readCluster(access, ["acme"], async ([account]) => {
      const session = await account?.openSession({ include_gone: true }, warehouse.database);
      return [...((await session?.rollup({ dimensions: [] }))?.rows ?? [])][0]?.[0];
    });
    expect(calls).toBe(readExpected(warehouse.database).size);

    await servers.stop(1);
    try {
      await expect(publish(options)).rejects.toMatchObject({ exitCode: EXIT.unreachable });
      // SQL clients ask the other one.
      const shown = await servers.ask(0, "SELECT count() FROM copied.attributed_calls");
      expect(Number(shown)).toBeGreaterThan(300);
    } finally {
      await servers.start(1);
    }
  });

  it("refuses unsuitable servers by name", async () => {
    using warehouse = makeWarehouse(makeCalls(20, 12));
    using other = makeWarehouse(makeCalls(20, 12));
    const [one = "", two = ""] = servers.hosts;
    const options = optionsFor(warehouse.database, "acme", servers.url("refused"));
    await publish(options);
    await servers.ask(1, "CREATE DATABASE foreign");
    await servers.ask(1, "CREATE TABLE foreign.spend_local (account String) ENGINE = Memory");
    await using stranger = await startProxy(one, () => ({ said: "" }));
    const at = (to: string) => ({ ...options, to: parseClusterUrl(to) });
    const refusals: [AccountPublication, number, string][] = [
      [
        at(`clickhouse://nobody@${one},${two}/refused`),
        EXIT.refused,
        `at ${one}: ClickHouse says Unknown user nobody (code 192)`,
      ],
      [at(servers.url("refused", [one])), EXIT.usage, `${one} has 2 servers in it, but the address names 1`],
      [
        at(`${servers.url("refused")}?cluster=nowhere`),
        EXIT.usage,
        `Cannot use the cluster nowhere: ${one} has no cluster of that name`,
      ],
      [
        at(`${servers.url("refused", [two])}?cluster=first`),
        EXIT.usage,
        `${two} does not belong to it, by its own configuration`,
      ],
      [
        at(servers.url("refused", [one, stranger.host])),
        EXIT.contract,
        `at ${stranger.host}: the response, status 200, is not from ClickHouse`,
      ],
      [
        at(servers.url("foreign")),
        EXIT.usage,
        `Cannot use the table spend_local in foreign at ${two}: it has no column spend_id Int64`,
      ],
      [
        { ...options, database: other.database },
        EXIT.usage,
        "an account of that name is published from another warehouse",
      ],
    ];
    for (const [given, exitCode, message] of refusals) {
      const error = await publish(given).catch((thrown: unknown) => thrown);
      expect(error, message).toBeInstanceOf(CalltallyError);
      expect(error).toMatchObject({ exitCode });
      expect(String(error)).toContain(message);
    }
    expect(await readFound(servers, "refused", "acme")).toEqual(readExpected(warehouse.database));
  });
});
