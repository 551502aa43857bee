import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXIT } from "../../../src/base/errors.ts";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { parseClusterUrl } from "../../../src/config/cluster-url.ts";
import { readCluster } from "../../../src/features/cluster/cluster-session.ts";
import { SPEND_DIMENSIONS } from "../../../src/figures/dimensions.ts";
import { OTHER } from "../../../src/figures/reserved-keys.ts";
import type { FigureSession } from "../../../src/sources/figure-session.ts";
import { questions, resolve } from "../../sources/questions.ts";
import { draws } from "../../support/draws.ts";
import { calltally, startCalltally } from "../../support/run.ts";
import {
  CLICKHOUSE,
  type ClickhouseServers,
  startClickhouse,
} from "../../support/services/clickhouse-servers.ts";
import { makeTempFolder, readFiles } from "../../support/temp-folder.ts";
import { startProxy } from "./cutting-proxy.ts";
import { askBoth, everyQuestion, rollup } from "./engine-questions.ts";
import { makeOddAccount, makeOddAccounts, type OddAccount, publishAccount } from "./odd-accounts.ts";

// For any question, the cluster's answer equals that of SQLite, row for row and byte for byte, or there is none.

const DATABASE = "agency";
/** 20,000 in chdb-engine.ts. */
const CALLS = 4000;

describe.skipIf(CLICKHOUSE.isMissing)(`ClickHouse engine${CLICKHOUSE.note}`, () => {
  let servers: ClickhouseServers;
  let accounts: OddAccount[];

  const engineUrl = (hosts = servers.hosts) => servers.url(DATABASE, hosts, "reader");
  const accessBy = (url: string) => ({
    address: parseClusterUrl(url),
    passwordFile: servers.passwordFile,
  });
  const accessOf = () => accessBy(engineUrl());
  const send = (account: OddAccount) => publishAccount(accessBy(servers.url(DATABASE)), account);

  beforeAll(async () => {
    servers = await startClickhouse();
    accounts = makeOddAccounts(CALLS);
    for (const account of accounts) await send(account);
  });
  afterAll(async () => {
    for (const { warehouse } of accounts) warehouse[Symbol.dispose]();
    await servers[Symbol.asyncDispose]();
  });

  it("agrees with SQLite on every kind of rollup: dimensions, periods, comparisons, other keys, filters, spend", async () => {
    let compared = 0;
    await readCluster(accessOf(), undefined, async (published) => {
      for (const [nth, account] of accounts.entries()) {
        const zones = account.name === "north" ? undefined : [account.zone];
        for (const [index, question] of [...everyQuestion(account, zones)].entries()) {
          // The others differ in their rules, and in their retention: chdb-engine.ts asks all three everything.
          if (nth > 0 && index % 2 !== nth % 2) continue;
          const { expected, found } = await askBoth(account, published, question);
          expect(found).toEqual(expected);
          compared++;
        }
      }
    });
    expect(compared).toBeGreaterThan(110);
  });

  it("agrees with SQLite on any question", async () => {
    const seen = { rows: 0, filled: 0, compared: 0, other: 0, spend: 0 };
    const own = fc.record({
      index: fc.constantFrom(0, 1, 2),
      minCell: fc.option(fc.integer({ min: 2, max: 40 }), { nil: undefined, freq: 2 }),
      isGone: fc.boolean(),
      spendDimensions: fc.option(fc.subarray([...SPEND_DIMENSIONS], { minLength: 1 }), {
        nil: undefined,
        freq: 2,
      }),
    });
    await readCluster(accessOf(), undefined, async (published) => {
      await fc.assert(
        fc.asyncProperty(
          questions,
          own,
          async ({ ...question }, { index, minCell, isGone, spendDimensions }) => {
            const account = accounts[index];
            if (account === undefined) throw new Error("There is no such account");
            const dimensions = spendDimensions ?? question.dimensions;
            if (dimensions.includes("gclid") && !account.isPersonal) return;
            const { query } = resolve({ ...question, dimensions, raw: false });
            const cells =
              minCell !== undefined && spendDimensions === undefined
                ? { minCell, top: undefined, fill: false }
                : {};
            const asked = { ...query, ...cells };
            const filter = { ...question.filter, ...(isGone && { include_gone: true as const }) };
            const hasSpend = spendDimensions !== undefined;
            const ask = rollup(asked, question.zone, hasSpend);
            const { expected: rows, found } = await askBoth(account, published, { filter, ask });
            expect(found).toEqual(rows);
            const isThere = Array.isArray(rows) && rows.length > 0;
            if (isThere) seen.rows++;
            if (isThere && asked.fill) seen.filled++;
            if (isThere && asked.compared) seen.compared++;
            if (isThere && hasSpend) seen.spend++;
            if (isThere && JSON.stringify(rows).includes(`"${OTHER}"`)) seen.other++;
          },
        ),
        { numRuns: draws(63) },
      );
    });
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
  });

  it("repeats a read during which the account was published again, and returns figures of one moment", async () => {
    const [, south, west] = accounts;
    if (south === undefined || west === undefined) throw new Error("There is no such account");
    const found: unknown[] = [];
    const calls = await readCluster(accessOf(), ["west"], async ([account]) => {
      const session = await account?.openSession({}, west.warehouse.database);
      await send(south); // which gets no questions
      if (found.length === 0) {
        west.warehouse.execute("UPDATE call_facts SET utm_term_folded = 'moved' WHERE call_id % 2 = 0");
        await send(west);
      }
      found.push("asked");
      const { rows = [] } = (await session?.rollup({ dimensions: ["utm_term"] })) ?? {};
      return [...rows].find(([term]) => term === "moved")?.[1];
    });
    expect(found).toEqual(["asked", "asked"]);
    expect(Number(calls)).toBeGreaterThan(CALLS / 20);
  });

  it("reads spend as last published, completely or not at all", async () => {
    const ads = makeOddAccount("ads", 300, 5, { isPersonal: false, zone: "UTC", rules: DEFAULT_RULES });
    using warehouse = ads.warehouse;
    await send(ads);
    const question = {
      filter: {},
      ask: async (session: FigureSession) => {
        const spend = await session.loadSpend("UTC");
        return [...spend.sums(), spend.days()];
      },
    };
    const read = () =>
      readCluster(accessOf(), ["ads"], async (published) => askBoth(ads, published, question));
    warehouse.execute("UPDATE spend SET cost_micros = cost_micros + 1000000 WHERE spend_id % 3 = 0");
    warehouse.execute("DELETE FROM spend WHERE spend_id % 3 = 1");
    await send(ads); // all calls are unchanged
    const { expected, found } = await read();
    expect(found).toEqual(expected);

    const local = `${DATABASE}.spend_local`;
    const row = `SELECT account, spend_id, version + 1, 1 FROM ${local} WHERE account = 'ads' AND spend_id % 3 = 2 LIMIT 1`;
    await servers.ask(0, `INSERT INTO ${local} (account, spend_id, version, is_deleted) ${row}`);
    await expect(read()).rejects.toMatchObject({
      exitCode: EXIT.unverified,
      message: expect.stringMatching(/has (\d+) rows of spend over all shards, and (?!\1)\d+ were published/),
    });
  });

  it("sends one question after another, each once, while rows are being read", async () => {
    const [own = "", other = ""] = servers.hosts;
    let statements: string[] = [];
    await using proxy = await startProxy(own, (statement) => {
      statements.push(statement);
      return "pass";
    });
    await readCluster(accessBy(engineUrl([proxy.host, other])), ["north"], async ([account]) => {
      const session = (await account?.openSession({}, "")) ?? unreachable();
      const read = () => session.rollup({ dimensions: ["utm_term"] });
      const all = [...(await read()).rows];
      const reading = Iterator.from((await read()).rows);
      const first = reading.next().value;
      statements = [];
      const [spend, extent, sameSpend] = await Promise.all([
        session.loadSpend("UTC"),
        session.readExtent(),
        session.loadSpend("UTC"),
        session.countSmallCells({ dimensions: ["source"], minCell: 3 }),
        session.rollup({ dimensions: ["source"], minCell: 3 }),
        read(),
      ]);
      expect([first, ...reading]).toEqual(all);
      expect(all.length).toBeGreaterThan(2);
      expect(sameSpend).toBe(spend);
      expect(extent).toEqual(await session.readExtent());
      const isCheck = (statement: string) => statement.includes("max(version)");
      // Each is followed by a look at what is published, before the next one.
      expect(statements.map(isCheck)).toEqual(statements.map((_, index) => index % 2 === 1));
      const asked = statements.filter((statement) => !isCheck(statement));
      expect(new Set(asked).size).toBe(asked.length);
      expect(asked.length).toBeGreaterThan(4);
    });
  });

  it("accepts long lists", async () => {
    const north = accounts[0] ?? unreachable();
    const callers = Array.from({ length: 60_000 }, (_, index) => `+49${index * 2}`);
    await readCluster(accessOf(), ["north"], async (published) => {
      const ask = rollup({ dimensions: [] }, north.zone);
      const { expected, found } = await askBoth(north, published, {
        filter: { exclude_callers: callers },
        ask,
      });
      expect(found).toEqual(expected);
    });
  });

  it("stops immediately during a statement of the cluster, and leaves no temporary file", async () => {
    using temp = makeTempFolder();
    const [own = "", other = ""] = servers.hosts;
    const asked = Promise.withResolvers<void>();
    await using proxy = await startProxy(own, (statement) => {
      if (!statement.includes("GROUP BY key_1")) return "pass";
      asked.resolve();
      return new Promise(() => {}); // never ends
    });
    const temporary = join(temp.path, "tmp");
    mkdirSync(temporary);
    const env = { CALLTALLY_PUBLISH_PASSWORD_FILE: servers.passwordFile, TMPDIR: temporary };
    const args = ["export", "channel", "--account", "north", "--engine", engineUrl([proxy.host, other])];
    const stopped = startCalltally(args, { cwd: temp.path, env });
    await asked.promise;
    stopped.kill("SIGINT");
    const { code, stderr } = await stopped.done;
    expect({ code, stderr }).toEqual({
      code: EXIT.sigint,
      stderr: "calltally: Stopped by SIGINT\nRun it again; a sync resumes where it stopped.\n",
    });
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("writes the same files by export and report as the warehouse, for one account and for all", async () => {
    using temp = makeTempFolder();
    const [north, south, west] = accounts;
    for (const name of ["north", "south", "west"])
      writeFileSync(join(temp.path, `${name}.token`), `token-of-${name}\n`, { mode: 0o600 });
    writeFileSync(
      join(temp.path, "calltally.yaml"),
      JSON.stringify({
        reports: Object.fromEntries(
          ["ours", "theirs"].map((report) => [
            report,
            {
              accounts: ["north"],
              contents: ["channel", "campaign", "gclid"],
              total: true,
              grain: "month",
              range: { from: "2026-01-01", to: "2026-06-30" },
              folder: `reports/${report}`,
              ...(report === "theirs" && { engine: engineUrl() }),
            },
          ]),
        ),
        accounts: Object.fromEntries(
          [north, south, west].flatMap((account) =>
            account === undefined
              ? []
              : [
                  [
                    account === south ? "south" : account.name,
                    {
                      base_url: "https://api.example.com",
                      token_file: `${account === south ? "south" : account.name}.token`,
                      timezone: account.zone,
                      database: account.warehouse.database,
                      ...(account.rules.duration_unit === "milliseconds" && {
                        duration_unit: "milliseconds",
                      }),
                    },
                  ],
                ],
          ),
        ),
      }),
      { mode: 0o600 },
    );
    const env = { CALLTALLY_PUBLISH_PASSWORD_FILE: servers.passwordFile };
    const run = async (...args: string[]) => {
      const { code, stderr } = await calltally(args, { cwd: temp.path, env });
      return { code, stderr };
    };
    const commands = [
      [
        "export",
        "--by",
        "source,medium",
        "--grain",
        "week",
        "--from",
        "2026-01-01",
        "--to",
        "2026-06-30",
        "--compare",
        "year",
        "--fill",
        "--total",
        "--account",
        "north",
      ],
      [
        "export",
        "source",
        "campaign",
        "--spend",
        "--grain",
        "month",
        "--from",
        "2025-12-01",
        "--to",
        "2026-12-31",
        "--total",
        "--top",
        "3",
        "--account",
        "north",
      ],
      [
        "export",
        "channel",
        "weekday",
        "--min-cell",
        "20",
        "--include-gone",
        "--format",
        "xlsx",
        "--account",
        "west",
      ],
      // A page with a filter lists no tags; a cluster has no list of them.
      ["report", "--from", "2026-03-01", "--to", "2026-05-31", "--min-duration", "0", "--account", "north"],
      [
        "export",
        "--by",
        "account,disposition",
        "--format",
        "parquet",
        "--grain",
        "month",
        "--from",
        "2026-01-01",
        "--to",
        "2026-12-31",
        "--account",
        "north",
        "--account",
        "west",
      ],
      ["export", "--by", "source,account", "--spend", "--account", "north", "--account", "west"],
    ];
    const readShown = (folder: string) => {
      const { "manifest.json": manifest, ...files } = readFiles(join(temp.path, folder));
      return { files, manifest: withoutPublication(manifest) };
    };
    const named = run("run", "ours", "theirs", "--account", "north");
    const ended = await Promise.all(
      commands.map(async (command, index) => [
        await run(...command, "--out", `ours-${index}`),
        await run(...command, "--engine", engineUrl(), "--out", `theirs-${index}`),
      ]),
    );
    expect(await named).toEqual({ code: 0, stderr: "" });
    expect(readShown("reports/theirs")).toEqual(readShown("reports/ours"));
    for (const [index, both] of ended.entries()) {
      expect(both).toEqual([1, 2].map(() => ({ code: 0, stderr: "" })));
      expect(readShown(`theirs-${index}`)).toEqual(readShown(`ours-${index}`));
    }
  });

  it("refuses questions that the cluster cannot answer, and rejects incomplete responses", async () => {
    using temp = makeTempFolder();
    const env = { CALLTALLY_PUBLISH_PASSWORD_FILE: servers.passwordFile };
    const run = async (...args: string[]) => {
      const engine = ["--engine", engineUrl()];
      const { code, stdout, stderr } = await calltally([...args, ...engine], { cwd: temp.path, env });
      return { code, stdout, stderr };
    };
    const refusals: [args: string[], message: string][] = [
      [["export", "calls", "--account", "north"], "calls cannot be read with --engine"],
      [["export", "google-ads", "--account", "north"], "google-ads cannot be read with --engine"],
      [["export", "utm_source", "--raw", "--account", "north"], "--raw cannot be used with --engine"],
      [["export", "gclid", "--account", "west"], "keyed digests of click ids were published"],
      [["export", "channel", "--account", "nrth"], "Did you mean north?"],
      [["export", "channel"], "The cluster has several accounts: "],
    ];
    await Promise.all(
      refusals.map(async ([args, message]) => {
        const { code, stderr } = await run(...args);
        expect({ args, code }).toEqual({ args, code: EXIT.usage });
        expect(stderr).toContain(message);
      }),
    );
    writeFileSync(join(temp.path, "test-numbers.txt"), "+491\n");
    const exclude = await run(
      "export",
      "channel",
      "--account",
      "west",
      "--exclude-callers",
      "test-numbers.txt",
    );
    expect(exclude.code).toBe(EXIT.usage);
    expect(exclude.stderr).toContain("the warehouse with the key is not here");

    const east = makeOddAccount("east", 300, 4, { isPersonal: false, zone: "UTC", rules: DEFAULT_RULES });
    using warehouse = east.warehouse;
    await send(east);
    expect(await run("export", "channel", "--account", "east")).toMatchObject({ code: 0 });
    const before = readFiles(join(temp.path, "data/exports"));

    await servers.stop(1);
    const down = await run("export", "channel", "--account", "east");
    expect(down.code).toBe(EXIT.unreachable);
    expect(down.stderr).toContain(`Cannot reach ${servers.hosts[1]} of the cluster`);
    expect(readFiles(join(temp.path, "data/exports"))).toEqual(before);
    await servers.start(1);
    expect(await run("export", "channel", "--account", "east")).toMatchObject({ code: 0 });

    const local = `${DATABASE}.calls_local`;
    const [id, version] = (
      await servers.ask(
        0,
        `SELECT call_id, toString(version) FROM ${local} FINAL WHERE account = 'east' AND is_deleted = 0 LIMIT 1`,
      )
    ).split(/\s/);
    await servers.ask(
      0,
      `INSERT INTO ${local} (account, call_id, version, is_deleted) VALUES ('east', ${id}, ${version} + 1, 1)`,
    );
    const lost = await run("export", "channel", "--account", "east");
    expect(lost.code).toBe(EXIT.unverified);
    expect(lost.stderr).toContain("it has 299 calls over all shards, and 300 were published");

    await send(east);
    const [published] = (
      await servers.ask(0, `SELECT toString(max(version)) FROM ${DATABASE}.published WHERE account = 'east'`)
    ).split("\n");
    await servers.ask(
      0,
      `INSERT INTO ${DATABASE}.published_local SELECT account, warehouse_id, ${published} + 1, published_at, '2026-11-01T00:00:00.000Z', about FROM ${DATABASE}.published WHERE account = 'east' ORDER BY version DESC LIMIT 1`,
    );
    const waits: number[] = [];
    const clock = { now: () => 0, sleep: async (ms: number) => void waits.push(ms) };
    await expect(readCluster(accessOf(), ["east"], async () => {}, { clock })).rejects.toMatchObject({
      exitCode: EXIT.unreachable,
      message: expect.stringContaining("its publication has not ended; it began 2026-11-01T00:00:00.000Z"),
    });
    expect(waits).toEqual([1000, 2000, 4000, 8000]);
    expect(warehouse.database).toBe(east.warehouse.database);
  });
});

function unreachable(): never {
  throw new Error("There is no such account");
}

/** The manifest without parts that only the warehouse records, and those that only an export from a cluster has. */
function withoutPublication(manifest = "{}"): unknown {
  const own = ["published", "restatements"];
  return JSON.parse(manifest, (key: string, value: unknown) => (own.includes(key) ? undefined : value));
}
