import { existsSync, readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import {
  CalltallyError,
  type ExportRequest,
  openWarehouse,
  type RollupQuestion,
  type SyncOptions,
  syncWarehouse,
} from "../../src/library/index.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { calltally } from "../support/run.ts";
import { openIn } from "../support/small-warehouse.ts";
import { listFiles, makeTempFolder } from "../support/temp-folder.ts";

const folder = makeTempFolder();
const database = join(folder.path, "calls.db");
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ calls: 200, seed: 1, now: new Date("2026-10-31T23:00:00Z") });
  await syncWarehouse({ database, baseUrl: sandbox.url, token: sandbox.token });
});
afterAll(async () => {
  await sandbox.close();
  folder[Symbol.dispose]();
});

async function otherWarehouse(path: string): Promise<string> {
  await syncWarehouse({ database: path, baseUrl: sandbox.url, token: sandbox.token });
  return path;
}

const AS_TYPED = "Correct this option, or leave it out.";
const CONFLICT = "Change or leave out one of these options.";

/** What a work ends with: message, hint and exit code, of an error that a caller can expect. */
function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return describeFailure(error);
  }
  return undefined;
}

function describeFailure(error: unknown) {
  return error instanceof CalltallyError
    ? { exitCode: error.exitCode, message: error.message, hint: error.hint }
    : error;
}

describe("syncWarehouse", () => {
  it.each<[unknown, string]>([
    [{ database: "" }, "database: Too small: expected string to have >=1 characters"],
    [{ token: "" }, "token: Too small: expected string to have >=1 characters"],
    [{ baseUrl: undefined }, "baseUrl: Invalid input: expected string, received undefined"],
    [{ mode: "quick" }, 'mode: Invalid option: expected one of "full"|"incremental"'],
    [{ orgUnitId: 1.5 }, "orgUnitId: Invalid input: expected string, received number"],
    [{ orgUnitId: "no rth" }, "orgUnitId: must be without white space and control characters"],
    [{ onprogress: () => {} }, 'Unrecognized key: "onprogress"'],
    [
      { settings: { CALLTALLY_LOOKBAK_HOURS: "1" } },
      "settings: CALLTALLY_LOOKBAK_HOURS is not a setting; did you mean CALLTALLY_LOOKBACK_HOURS?",
    ],
    ...[
      "TOKEN_FILE token",
      "TOKEN token",
      "BASE_URL baseUrl",
      "DATABASE database",
      "ORG_UNIT_ID orgUnitId",
    ].map((pair): [unknown, string] => {
      const [name, option] = pair.split(" ");
      return [
        { settings: { [`CALLTALLY_${name}`]: "t" } },
        `settings: CALLTALLY_${name} is not allowed here: use ${option}`,
      ];
    }),
    [{ onProgress: 7 }, "onProgress: Invalid input"],
    [{ baseUrl: "api.example.com" }, "baseUrl: is not a URL"],
    [{ token: "two\nlines" }, "token: holds more than one line"],
    [{ database: "calls/" }, "database: must be a file, but ends like a folder"],
    [
      { settings: { CALLTALLY_LOOKBACK_HOURS: 1 } },
      "settings.CALLTALLY_LOOKBACK_HOURS: Invalid input: expected string, received number",
    ],
  ])("refuses %j, and makes nothing", async (changes, message) => {
    const options = { database: join(folder.path, "none.db"), baseUrl: sandbox.url, token: sandbox.token };
    const sync = syncWarehouse({ ...options, ...(changes as Partial<SyncOptions>) });
    expect(await sync.catch(describeFailure)).toEqual({ exitCode: 2, message, hint: AS_TYPED });
    expect(failureOf(() => openWarehouse(options.database))).toMatchObject({ exitCode: 7 });
  });

  it("reads no environment, and ends with the exit code that the program would end with", async () => {
    const options = { database, baseUrl: sandbox.url, token: "another" };
    expect(await syncWarehouse(options).catch(describeFailure)).toMatchObject({ exitCode: 4 });
    const { CALLTALLY_TOKEN } = process.env;
    process.env.CALLTALLY_TOKEN = sandbox.token;
    try {
      expect(await syncWarehouse(options).catch(describeFailure)).toMatchObject({ exitCode: 4 });
    } finally {
      if (CALLTALLY_TOKEN === undefined) delete process.env.CALLTALLY_TOKEN;
      else process.env.CALLTALLY_TOKEN = CALLTALLY_TOKEN;
    }
  });

  it("has hints that name its options", async () => {
    const hintOf = async (work: () => unknown) => {
      const error = await Promise.resolve()
        .then(work)
        .catch((thrown: unknown) => thrown);
      return error instanceof CalltallyError ? error.hint : error;
    };
    using own = makeTempFolder();
    const file = join(own.path, "calls.db");
    const options = { database: file, baseUrl: sandbox.url, token: sandbox.token };
    const none = await hintOf(() => openWarehouse(file));
    expect(none).toBe("Run `syncWarehouse` first, or set `database`.");
    const unread = await hintOf(() => syncWarehouse({ ...options, mode: "incremental" }));
    expect(unread).toBe('Run `syncWarehouse` with `mode: "full"`.');
    const retried = { CALLTALLY_RETRY_SECONDS: "1" };
    const nobody = { ...options, baseUrl: "http://127.0.0.1:9", settings: retried };
    expect(await hintOf(() => syncWarehouse(nobody))).toBe(
      "Check `baseUrl` and the network, and try again later.",
    );
    const other = await hintOf(() => syncWarehouse({ ...options, database, orgUnitId: 12 }));
    expect(other).toContain("`orgUnitId`");
    using warehouse = openWarehouse(database);
    await warehouse.export(own.path, { contents: ["channel"] });
    using second = openWarehouse(await otherWarehouse(join(own.path, "other.db")));
    const taken = await hintOf(() => second.export(own.path, { contents: ["channel"] }));
    expect(taken).toBe("Give each warehouse a folder of its own as `folder`.");
    const wrongSql = await hintOf(() => warehouse.query("DELETE FROM calls").next());
    expect(wrongSql).toBe("Write one statement that reads, such as SELECT * FROM rollup_campaign LIMIT 5");
  });

  it.each([12, "north"])("reads the calls of organization unit %j", async (orgUnitId) => {
    const database = join(folder.path, `unit-${orgUnitId}.db`);
    const before = sandbox.requests.length;
    await syncWarehouse({ database, baseUrl: sandbox.url, token: sandbox.token, orgUnitId });
    const asked = sandbox.requests.slice(before).map(({ query }) => query.org_unit_id);
    expect(new Set(asked)).toEqual(new Set([String(orgUnitId)]));
  });

  it("ends with the reason of its signal, and goes on where it was", async () => {
    const options = { database: join(folder.path, "stopped.db"), baseUrl: sandbox.url, token: sandbox.token };
    const stop = new AbortController();
    const enough = new Error("enough");
    const small = { ...options, signal: stop.signal, settings: { CALLTALLY_LIMIT: "20" } };
    const sync = syncWarehouse({ ...small, onProgress: () => stop.abort(enough) });
    expect(await sync.catch((error: unknown) => error)).toBe(enough);
    expect(await syncWarehouse(options)).toMatchObject({ run_id: 1, verdict: "exact", calls_read: 200 });
  });
});

describe("syncWarehouse, with an onProgress that rejects,", () => {
  it("ends with its very error, and goes on where it was", async () => {
    using own = makeTempFolder();
    const options = {
      ...{ database: join(own.path, "calls.db"), baseUrl: sandbox.url, token: sandbox.token },
      settings: { CALLTALLY_LIMIT: "20" },
    };
    const rejection = writeFile(own.path, "a folder");
    const theirs = await rejection.catch((error: unknown) => error);
    expect(theirs).toMatchObject({ code: "EISDIR" });
    const sync = syncWarehouse({ ...options, onProgress: () => rejection });
    expect(await sync.catch((error: unknown) => error)).toBe(theirs);
    expect(await syncWarehouse(options)).toMatchObject({ run_id: 1, verdict: "exact", calls_read: 200 });
  });
});

describe("the library, given what cannot be,", () => {
  it("says so by the exit code of the program", async () => {
    const wrong = (given: unknown) => given as never;
    for (const given of [undefined, null, 7, ""]) {
      expect(failureOf(() => openWarehouse(wrong(given)))).toMatchObject({ exitCode: 2 });
      expect(await syncWarehouse(wrong(given)).catch(describeFailure)).toMatchObject({ exitCode: 2 });
      using warehouse = openWarehouse(database);
      expect(await warehouse.rollup(wrong(given)).catch(describeFailure)).toMatchObject({ exitCode: 2 });
    }
    expect(failureOf(() => openWarehouse(wrong(undefined)))).toMatchObject({
      message: "path: Invalid input: expected string, received undefined",
    });
    const inFile = { database: join(database, "calls.db"), baseUrl: sandbox.url, token: sandbox.token };
    expect(await syncWarehouse(inFile).catch(describeFailure)).toMatchObject({ exitCode: 7 });
  });

  it("reads what a warehouse holds, and what its last run was worth", async () => {
    using warehouse = openWarehouse(database);
    expect(await warehouse.readBasis()).toMatchObject({
      calls: 200,
      total: 200,
      rejected: 0,
      newest_call: expect.stringMatching(/^2026-/),
      run: { run_id: 1, verdict: "exact" },
    });
  });

  it("refuses to read a warehouse that was disposed of, which may be done twice", async () => {
    const warehouse = openWarehouse(database);
    warehouse[Symbol.dispose]();
    warehouse[Symbol.dispose]();
    const says = {
      exitCode: 2,
      message: `Cannot read ${database}: it is closed`,
      hint: "Open it again.",
    };
    expect(await warehouse.rollup({ by: [] }).catch(describeFailure)).toEqual(says);
    expect(await warehouse.readBasis().catch(describeFailure)).toEqual(says);
    expect(await warehouse.query("SELECT 1").next().catch(describeFailure)).toEqual(says);
  });
});

describe("rollup", () => {
  it("has a column that is named twice once", async () => {
    using warehouse = openWarehouse(database);
    const { columns } = await warehouse.rollup({
      by: ["channel"],
      columns: ["calls", "answer_rate", "calls"],
    });
    expect(columns.map(({ name }) => name)).toEqual(["channel", "calls", "answer_rate"]);
  });

  it.each<[unknown, string, string?]>([
    [{ by: ["chanel"] }, 'by.0: Invalid option: expected one of "utm_source"|'],
    [{}, "by: Invalid input: expected array, received undefined"],
    [{ by: ["channel", "source", "channel"] }, "by has channel twice", CONFLICT],
    [{ by: [], range: { from: "2026-13-01" } }, 'range.from: "2026-13-01" is not a date'],
    [
      { by: [], range: { from: "2026-11-02", to: "2026-11-01" } },
      "range: from 2026-11-02 is after to 2026-11-01",
    ],
    [{ by: [], timezone: "PST" }, "timezone: PST is not an IANA time zone"],
    [{ by: [], grain: "decade" }, 'grain: Invalid option: expected one of "day"|"week"|"month"|"quarter"'],
    [{ by: [], fill: true }, "fill needs grain", CONFLICT],
    [
      { by: [], compare: "previous", range: { from: "2026-10-01" } },
      "compare needs range.from and range.to, or range.last: it compares",
      CONFLICT,
    ],
    [
      { by: ["gclid"], spend: true },
      "spend applies only to source, medium, campaign, channel, not to gclid",
      CONFLICT,
    ],
    [{ by: ["channel"], top: 0 }, "top: Too small: expected number to be >=1"],
    [{ by: [], top: 2 }, "top needs by: it keeps keys of dimensions", CONFLICT],
    [{ by: [], filter: { chanel: ["Email"] } }, 'filter: Unrecognized key: "chanel"'],
    [
      { by: [], filter: { channel: ["Emial"] } },
      "Cannot use filter.channel Emial: no call in the warehouse has this value",
      "Did you mean Email?",
    ],
    [{ by: [], filter: { min_duration_seconds: -1 } }, "filter.min_duration_seconds: Too small"],
    [
      { by: [], filter: { exclude_callers: ["+49 30 123456", "hello"] } },
      "filter.exclude_callers.1: is not a phone number with its country code",
    ],
  ])("refuses %j", async (question, message, hint = AS_TYPED) => {
    using warehouse = openWarehouse(database);
    const failure = await warehouse.rollup(question as RollupQuestion).catch(describeFailure);
    expect(failure).toEqual({ exitCode: 2, message: expect.stringContaining(message), hint });
  });

  it("answers several that are asked at once as it does one by one", async () => {
    using warehouse = openWarehouse(database);
    const questions: RollupQuestion[] = [
      { by: ["channel"], spend: true, total: true },
      { by: ["source"], filter: { channel: ["paid search"] }, grain: "month", fill: true },
      { by: ["weekday", "hour"], timezone: "Europe/Berlin" },
    ];
    const atOnce = await Promise.all(questions.map((question) => warehouse.rollup(question)));
    for (const [index, question] of questions.entries()) {
      expect(atOnce[index]).toEqual(await warehouse.rollup(question));
      expect(atOnce[index]?.rows.length).toBeGreaterThan(2);
    }
  });

  it("answers one that has everything", async () => {
    using warehouse = openWarehouse(database);
    const { columns, rows } = await warehouse.rollup({
      ...{ by: ["channel"], range: { from: "2026-10-01", to: "2026-10-31" }, timezone: "Europe/Berlin" },
      ...{ grain: "month", compare: "previous", fill: true, top: 1, spend: true, total: true },
      filter: { channel: ["paid search", "email"], first_time: true },
    });
    const names = columns.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["period", "calls", "calls_previous", "clicks"]));
    expect(rows.map(({ period, channel, calls }) => ({ period, channel, calls }))).toEqual([
      { period: "2026-10", channel: "Paid Search", calls: 31 },
      { period: "2026-10", channel: "(other)", calls: 5 },
      { period: "(total)", channel: null, calls: 36 },
      { period: "(with spend)", channel: null, calls: 0 },
    ]);
    for (const row of rows) expect(Object.keys(row)).toEqual(names);
  });

  it.each<[string, Partial<RollupQuestion>]>([
    ["alone", {}],
    ["beside the stretch before", { compare: "previous" }],
  ])(
    "answers with one row without dimensions, which is the total and has no other below it, %s",
    async (_, more) => {
      using warehouse = openWarehouse(database);
      const question = { by: [], range: { from: "2026-10-01", to: "2026-10-31" }, ...more };
      const { columns, rows, statements } = await warehouse.rollup({ ...question, total: true });
      const byChannel = await warehouse.rollup({ ...question, by: ["channel"], total: true });
      const { channel: _channel, ...total } = byChannel.rows.at(-1) ?? {};
      expect(rows).toEqual([total]);
      expect(columns.map(({ name }) => name)).toEqual(Object.keys(total));
      expect(await warehouse.rollup(question)).toEqual({ columns, rows, statements });
    },
  );

  it.each<[string, Partial<RollupQuestion>]>([
    ["alone", {}],
    ["beside the stretch before", { compare: "previous" }],
    ["beside costs", { spend: true, compare: "year" }],
  ])("fills periods without dimensions, and adds their total, %s", async (_, more) => {
    using warehouse = openWarehouse(database);
    const question = {
      by: [],
      range: { from: "2026-10-30", to: "2026-11-02" },
      grain: "day" as const,
      ...more,
    };
    const { rows } = await warehouse.rollup({ ...question, fill: true, total: true });
    const days = ["2026-10-30", "2026-10-31", "2026-11-01", "2026-11-02"];
    expect(rows.map(({ period }) => period)).toEqual([...days, "(total)"]);
    const filled = rows.slice(0, -1);
    expect(filled.slice(2).map(({ calls }) => calls)).toEqual([0, 0]);
    const { rows: unfilled } = await warehouse.rollup(question);
    const periods = unfilled.map(({ period }) => period);
    expect(periods).toEqual(expect.arrayContaining(days.slice(0, 2)));
    expect(filled.filter(({ period }) => periods.includes(period ?? null))).toEqual(unfilled);
    const { period: _period, previous_period: _previous, ...total } = Object(rows.at(-1));
    const { rows: whole } = await warehouse.rollup({ ...question, grain: undefined });
    expect([total]).toEqual(whole);
  });

  it("leaves out callers by their numbers, however they are written", async () => {
    using warehouse = openWarehouse(database);
    const sqlite = new Database(database, { readonly: true });
    const most =
      "SELECT caller, count(*) AS calls FROM call_facts JOIN callers USING (caller_id) GROUP BY 1 ORDER BY 2 DESC";
    const { caller, calls: its } = sqlite.prepare<[], { caller: string; calls: number }>(most).get() ?? {};
    sqlite.close();
    const digits = caller?.slice(1) ?? "";
    const ask = async (number: string) => {
      const { rows } = await warehouse.rollup({ by: [], filter: { exclude_callers: [number] } });
      return rows.map(({ calls }) => calls);
    };
    expect(await ask("+1 (999) 555-0000")).toEqual([200]);
    expect(its).toBeGreaterThan(1);
    expect(await ask(`+${digits}`)).toEqual([200 - Number(its)]);
    expect(await ask(`00${digits.slice(0, 1)} ${digits.slice(1, 4)}/${digits.slice(4)}`)).toEqual(
      await ask(`+${digits}`),
    );
  });
});

describe("what else a warehouse can be asked", () => {
  it("types rows by their question", async () => {
    using warehouse = openWarehouse(database);
    const { rows } = await warehouse.rollup({
      by: ["channel"],
      grain: "month",
      columns: ["calls", "last_call_at"],
    });
    const [row] = rows;
    expectTypeOf(row?.calls).toEqualTypeOf<number | null | undefined>();
    expectTypeOf(row?.last_call_at).toEqualTypeOf<string | null | undefined>();
    expectTypeOf(row?.period).toEqualTypeOf<string | null | undefined>();
    expect(row).toEqual({
      period: expect.any(String),
      channel: expect.any(String),
      calls: expect.any(Number),
      last_call_at: expect.any(String),
    });
    // @ts-expect-error: no such figure
    await expect(warehouse.rollup({ by: [], columns: ["call"] })).rejects.toThrow("columns.0");
  });

  it("writes the files of an export, and says what it wrote", async () => {
    using warehouse = openWarehouse(database);
    const to = join(folder.path, "files");
    const range = { from: "2026-10-01", to: "2026-10-31" };
    const { files, statements, ...made } = await warehouse.export(to, {
      contents: ["channel", "calls"],
      range,
    });
    expect(made).toEqual({ folder: to, newKey: `${database}.caller-key` });
    expect(statements).toMatchObject([{ id: "short_history", text: expect.stringContaining("First-time") }]);
    expect(files.map(({ file, contents }) => [file, contents])).toEqual([
      ["channel.csv", "channel"],
      ["calls.csv", "calls"],
    ]);
    const { rows } = await warehouse.rollup({ by: [], range });
    expect(files.map((file) => file.rows)[1]).toBe(rows[0]?.calls);
    expect(readdirSync(to).toSorted()).toEqual(["calls.csv", "channel.csv", "manifest.json"]);
    const one = await warehouse.export(to, {
      contents: ["channel"],
      by: ["source", "medium"],
      format: "sqlite",
    });
    expect(one.files.map(({ file }) => file)).toEqual(["calltally.sqlite"]);
  });

  it("writes the same files as the program", async () => {
    using warehouse = openWarehouse(database);
    for (const format of ["csv", "json", "parquet", "sqlite"] as const) {
      const [ours, theirs] = ["ours", "theirs"].map((name) => join(folder.path, `${name}-${format}`));
      if (ours === undefined || theirs === undefined) throw new Error("There are two");
      const { folder: to } = await warehouse.export(ours, { contents: ["channel", "calls"], format });
      const args = [
        "export",
        "channel",
        "calls",
        "--format",
        format,
        "--out",
        theirs,
        "--database",
        database,
      ];
      expect((await calltally(args, { cwd: folder.path })).code).toBe(0);
      expect(listFiles(to)).toEqual(listFiles(theirs));
      for (const file of listFiles(to)) {
        const [made, meant] = [to, theirs].map((each) => readFileSync(join(each, file)));
        expect([file, made?.equals(meant ?? Buffer.of())]).toEqual([file, true]);
      }
    }
  });

  it("closes the file of rows that are still read, which then end with an error", async () => {
    const warehouse = openWarehouse(database);
    const rows = warehouse.query("SELECT * FROM call_facts AS a, call_facts AS b");
    const unread = warehouse.query("SELECT 1");
    expect((await rows.next()).done).toBe(false);
    expect(openIn(folder.path)).not.toEqual([]);
    await warehouse[Symbol.asyncDispose]();
    expect(openIn(folder.path)).toEqual([]);
    const closed = { exitCode: 2, message: `Cannot read ${database}: it is closed`, hint: "Open it again." };
    const drained = async () => {
      for await (const _ of rows);
    };
    expect(await drained().catch(describeFailure)).toEqual(closed);
    expect(await unread.next().catch(describeFailure)).toEqual(closed);
    expect(openIn(folder.path)).toEqual([]);
    await using again = openWarehouse(database);
    for await (const _ of again.calls()) break;
    expect(
      await again
        .query(5 as never)
        .next()
        .catch(describeFailure),
    ).toMatchObject({ exitCode: 2 });
  });

  it.each<[ExportRequest, string]>([
    [{ contents: ["channel"], with: ["caller_id"] }, "with applies only to calls"],
    [{ contents: ["calls"], min_cell: 10 }, "min_cell"],
    [{ by: [] }, "by: Too small"],
  ])("refuses to export %j", async (request, message) => {
    using warehouse = openWarehouse(database);
    const to = join(folder.path, "refused");
    const failure = await warehouse.export(to, request).catch(describeFailure);
    expect(failure).toMatchObject({ exitCode: 2, message: expect.stringContaining(message) });
    expect(existsSync(to)).toBe(false);
  });

  it("reads the calls one by one, and any SQL that only reads", async () => {
    using warehouse = openWarehouse(database);
    const [first, ...others] = await Array.fromAsync(warehouse.calls());
    expect(first).toMatchObject({ call_id: expect.any(Number), outcome: expect.any(String) });
    const [counted] = await Array.fromAsync(
      warehouse.query("SELECT count(*) AS calls, 9007199254740993 AS large FROM attributed_calls"),
    );
    expect(counted).toEqual({ calls: 1 + others.length, large: 9007199254740993n });
    const deleting = warehouse.query("DELETE FROM calls").next();
    expect(await deleting.catch(describeFailure)).toMatchObject({ exitCode: 2 });
  });
});
