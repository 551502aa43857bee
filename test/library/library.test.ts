import { existsSync, readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Agent } from "undici";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import type {
  ExportRequest,
  RollupColumn,
  RollupQuestion,
  SyncOptions,
  Warehouse,
} from "../../src/library/index.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { CalltallyError, openWarehouse, syncWarehouse } from "../support/library.ts";
import { calltally } from "../support/run.ts";
import { listFiles, makeTempFolder } from "../support/temp-folder.ts";
import { openIn } from "../support/warehouses/small-warehouse.ts";

const folder = makeTempFolder();
const database = join(folder.path, "calls.db");
let sandbox: Sandbox;
/** Open for most tests, since a thread takes a while to start. */
let open: Warehouse;

beforeAll(async () => {
  sandbox = await startSandbox({ calls: 200, seed: 1, now: new Date("2026-10-31T23:00:00Z") });
  await syncWarehouse(into(database));
  open = openWarehouse(database);
});
afterAll(async () => {
  await open[Symbol.asyncDispose]();
  await sandbox.close();
  folder[Symbol.dispose]();
});

/** The options of a sync into a file. */
const into = (file: string) => ({ database: file, baseUrl: sandbox.url, token: sandbox.token });

async function otherWarehouse(path: string): Promise<string> {
  await syncWarehouse(into(path));
  return path;
}

const AS_TYPED = "Correct this option.";
const CONFLICT = "Change or leave out one of these options.";

/** The error of a function: message, hint and exit code, if a caller can expect it. */
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
  it.each<[unknown, string, string?]>([
    [{ database: "" }, "Cannot use database: is empty"],
    [{ token: 5 }, "Cannot use token: must be a text that is not empty"],
    [{ baseUrl: undefined }, "Cannot continue: baseUrl is missing", "Pass it."],
    [{ mode: "ful" }, 'Cannot use mode: "ful" is not one of full, incremental', "Did you mean full?"],
    [{ orgUnitId: 1.5 }, "Cannot use orgUnitId: must be a text, not 1.5"],
    [{ orgUnitId: "no rth" }, "Cannot use orgUnitId: must be without white space and control characters"],
    [{ onprogress: () => {} }, "Cannot use onprogress: is not a known key", "Did you mean onProgress?"],
    [
      { settings: { CALLTALLY_LOOKBAK_HOURS: "1" } },
      "Cannot use settings.CALLTALLY_LOOKBAK_HOURS: is not a setting",
      "Did you mean CALLTALLY_LOOKBACK_HOURS?",
    ],
    ...[
      "TOKEN_FILE token",
      "TOKEN token",
      "BASE_URL baseUrl",
      "DATABASE database",
      "ORG_UNIT_ID orgUnitId",
    ].map((pair): [unknown, string, string] => {
      const [name, option] = pair.split(" ");
      return [
        { settings: { [`CALLTALLY_${name}`]: "t" } },
        `Cannot use settings.CALLTALLY_${name}: is not allowed here`,
        `Use ${option}`,
      ];
    }),
    [{ onProgress: 7 }, "Cannot use onProgress: must be a function"],
    [{ signal: 7 }, "Cannot use signal: must be an AbortSignal, not 7"],
    [{ dispatcher: 7 }, "Cannot use dispatcher: must be a Dispatcher of undici"],
    [{ baseUrl: "api.example.com" }, "Cannot use baseUrl: is not a URL"],
    [{ token: "two\nlines" }, "Cannot use token: holds more than one line"],
    [{ database: "calls/" }, "Cannot use database: must be a file, but ends like a folder"],
    [
      { settings: { CALLTALLY_LOOKBACK_HOURS: 1 } },
      "Cannot use settings.CALLTALLY_LOOKBACK_HOURS: must be a text, not 1",
    ],
    [
      { settings: { CALLTALLY_QUALIFIED_SECONDS: "long" } },
      "Cannot use settings.CALLTALLY_QUALIFIED_SECONDS: must be a whole number from 0 to 86400",
      expect.stringContaining("Write it like"),
    ],
  ])("refuses %j and creates nothing", async (changes, message, hint = AS_TYPED) => {
    const options = into(join(folder.path, "none.db"));
    const sync = syncWarehouse({ ...options, ...(changes as Partial<SyncOptions>) });
    expect(await sync.catch(describeFailure)).toEqual({ exitCode: 2, message, hint });
    expect(failureOf(() => openWarehouse(options.database))).toMatchObject({ exitCode: 7 });
  });

  it("reads no environment, and throws with the exit code of the program", async () => {
    const options = { ...into(database), token: "another" };
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

  it("an error's hint names the option", async () => {
    const hintOf = async (work: () => unknown) => {
      const error = await new Promise((resolve) => resolve(work())).catch((thrown: unknown) => thrown);
      return error instanceof CalltallyError ? error.hint : error;
    };
    using own = makeTempFolder();
    const file = join(own.path, "calls.db");
    const options = into(file);
    const none = await hintOf(() => openWarehouse(file));
    expect(none).toBe(
      "Run `syncWarehouse` by hand, which begins one, or set the path of the warehouse. If there was one, its disk may not be mounted.",
    );
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
    const denied = await hintOf(() => syncWarehouse({ ...options, token: "other" }));
    expect(denied).toBe("Check `token`: it may be mistyped, expired, or of API v2.");
    const wrongSql = await hintOf(() => warehouse.query("DELETE FROM calls").next());
    expect(wrongSql).toBe("Write one statement that reads, such as SELECT * FROM rollup_campaign LIMIT 5");
  });

  it.each([12, "north"])("reads the calls of organization unit %j", async (orgUnitId) => {
    const database = join(folder.path, `unit-${orgUnitId}.db`);
    const before = sandbox.requests.length;
    await syncWarehouse({ ...into(database), orgUnitId });
    const asked = sandbox.requests.slice(before).map(({ query }) => query.org_unit_id);
    expect(new Set(asked)).toEqual(new Set([String(orgUnitId)]));
  });

  it("makes folders only if asked", async () => {
    using own = makeTempFolder();
    const database = join(own.path, "dta/calls.db");
    const options = into(database);
    expect(await syncWarehouse(options).catch(describeFailure)).toEqual({
      exitCode: 2,
      message: `Cannot make a warehouse in ${dirname(database)}: there is no such folder`,
      hint: "Correct `database`, or pass `createFolders: true`.",
    });
    expect(readdirSync(own.path)).toEqual([]);
    await expect(syncWarehouse({ ...options, createFolders: true, begin: false })).rejects.toMatchObject({
      exitCode: 7,
      message: expect.stringContaining("There is no warehouse at"),
    });
    expect(await syncWarehouse({ ...options, createFolders: true })).toMatchObject({ verdict: "exact" });
    expect(existsSync(database)).toBe(true);
  });

  it("sends its requests through a dispatcher, which stays open", async () => {
    using own = makeTempFolder();
    const paths: string[] = [];
    await using agent = Object.assign(new Agent(), { [Symbol.asyncDispose]: () => agent.close() });
    const dispatcher = agent.compose((dispatch) => (options, handler) => {
      paths.push(options.path.replace(/\?.*/, ""));
      return dispatch(options, handler);
    });
    const options = into(join(own.path, "calls.db"));
    const reads: number[] = [];
    const onProgress = ({ read }: { read: number }) => reads.push(read);
    expect(await syncWarehouse({ ...options, dispatcher, onProgress })).toMatchObject({ calls_read: 200 });
    expect(new Set(paths)).toEqual(new Set(["/v3/conversations/attribution-engine"]));
    expect(reads.at(-1)).toBe(200);
    const denied = await syncWarehouse({ ...options, dispatcher, token: "other" }).catch(describeFailure);
    expect(denied).toMatchObject({ exitCode: 4, hint: expect.stringContaining("`token`") });
    expect(agent.closed).toBe(false);
    await syncWarehouse({ ...options, dispatcher });
  });

  it("keeps the cause of an error", async () => {
    const nobody = { database: join(folder.path, "unread.db"), baseUrl: "http://127.0.0.1:9", token: "t" };
    const settings = { CALLTALLY_RETRY_SECONDS: "0" };
    const error = await syncWarehouse({ ...nobody, settings }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CalltallyError);
    expect(error).toMatchObject({ name: "ApiError", exitCode: 5, cause: { code: "ECONNREFUSED" } });
  });

  it("throws the reason of its signal, and resumes in the next call", async () => {
    const options = into(join(folder.path, "stopped.db"));
    const stop = new AbortController();
    const enough = new Error("enough");
    const small = { ...options, signal: stop.signal, settings: { CALLTALLY_LIMIT: "20" } };
    const sync = syncWarehouse({ ...small, onProgress: () => stop.abort(enough) });
    expect(await sync.catch((error: unknown) => error)).toBe(enough);
    expect(await syncWarehouse(options)).toMatchObject({ run_id: 1, verdict: "exact", calls_read: 200 });
  });

  it("throws the error of a rejecting onProgress, and resumes in the next call", async () => {
    using own = makeTempFolder();
    const options = { ...into(join(own.path, "calls.db")), settings: { CALLTALLY_LIMIT: "20" } };
    const rejection = writeFile(own.path, "a folder");
    const theirs = await rejection.catch((error: unknown) => error);
    expect(theirs).toMatchObject({ code: "EISDIR" });
    const sync = syncWarehouse({ ...options, onProgress: () => rejection });
    expect(await sync.catch((error: unknown) => error)).toBe(theirs);
    expect(await syncWarehouse(options)).toMatchObject({ run_id: 1, verdict: "exact", calls_read: 200 });
  });
});

describe("library with invalid input", () => {
  it("throws with the exit code of the program", async () => {
    const wrong = (given: unknown) => given as never;
    for (const given of [undefined, null, 7, ""]) {
      expect(failureOf(() => openWarehouse(wrong(given)))).toMatchObject({ exitCode: 2 });
      expect(await syncWarehouse(wrong(given)).catch(describeFailure)).toMatchObject({ exitCode: 2 });
      using warehouse = openWarehouse(database);
      expect(await warehouse.rollup(wrong(given)).catch(describeFailure)).toMatchObject({ exitCode: 2 });
    }
    expect(failureOf(() => openWarehouse(wrong(undefined)))).toMatchObject({
      message: "Cannot continue: path is missing",
    });
    expect(await syncWarehouse(into(join(database, "calls.db"))).catch(describeFailure)).toMatchObject({
      exitCode: 7,
    });
  });

  it("reads what a warehouse contains, and the verdict of its last run", async () => {
    using warehouse = openWarehouse(database);
    expect(await warehouse.readBasis()).toMatchObject({
      calls: 200,
      total: 200,
      rejected: 0,
      newest_call: expect.stringMatching(/^2026-/),
      run: { run_id: 1, verdict: "exact" },
    });
  });

  it("refuses to read a disposed warehouse, which may be disposed of twice", async () => {
    const warehouse = openWarehouse(database);
    warehouse[Symbol.dispose]();
    warehouse[Symbol.dispose]();
    const says = { exitCode: 2, message: `Cannot read ${database}: it is closed`, hint: "Open it again." };
    expect(await warehouse.rollup({ by: [] }).catch(describeFailure)).toEqual(says);
    expect(await warehouse.readBasis().catch(describeFailure)).toEqual(says);
    expect(await warehouse.query("SELECT 1").next().catch(describeFailure)).toEqual(says);
  });
});

describe("rollup", () => {
  it("returns a column that is named twice once", async () => {
    const { columns } = await open.rollup({ by: ["channel"], columns: ["calls", "answer_rate", "calls"] });
    expect(columns.map(({ name }) => name)).toEqual(["channel", "calls", "answer_rate"]);
  });

  it.each<[unknown, string, string?]>([
    [{ by: ["chanel"] }, 'Cannot use by.0: "chanel" is not one of utm_source, ', "Did you mean channel?"],
    [{}, "Cannot continue: by is missing", "Pass it."],
    [{ by: ["channel", "source", "channel"] }, "by has channel twice", CONFLICT],
    [{ by: [], range: { from: "2026-13-01" } }, 'Cannot use range.from: "2026-13-01" is not a date'],
    [
      { by: [], range: { from: "2026-11-02", to: "2026-11-01" } },
      "Cannot use range: from 2026-11-02 is after to 2026-11-01",
    ],
    [
      { by: [], timezone: "PST" },
      "Cannot use timezone: PST is not an IANA time zone",
      "Did you mean America/Los_Angeles?",
    ],
    [{ by: [], grain: "decade" }, 'Cannot use grain: "decade" is not one of day, week, month, quarter'],
    [{ by: [], fill: true }, "fill needs grain", CONFLICT],
    [{ by: ["channel"], top: 0 }, "Cannot use top: must be 1 or more"],
    [{ by: [], top: 2 }, "top needs by: it keeps keys of dimensions", CONFLICT],
    [
      { by: [], filter: { chanel: ["Email"] } },
      "Cannot use filter.chanel: is not a known key",
      "Did you mean channel?",
    ],
    [
      { by: [], channel: ["Email"] },
      "Cannot use channel: is not a known key",
      "Did you mean filter.channel?",
    ],
    [
      { by: [], filter: { channel: ["Emial"] } },
      "Cannot use filter.channel Emial: no call in the warehouse has this value",
      "Did you mean Email?",
    ],
    [
      { by: [], filter: { topic: ["zzz"] } },
      "Cannot use filter.topic zzz: no call in the warehouse has this value",
      "The rollup by this dimension has the existing ones.",
    ],
    [
      { by: [], filter: { min_duration_seconds: -1 } },
      "Cannot use filter.min_duration_seconds: must be 0 or more",
    ],
    [
      { by: [], filter: { exclude_callers: ["+49 30 123456", "hello"] } },
      "Cannot use filter.exclude_callers.1: is not a phone number with its country code",
    ],
  ])("refuses %j", async (question, message, hint = AS_TYPED) => {
    const failure = await open.rollup(question as RollupQuestion).catch(describeFailure);
    expect(failure).toEqual({ exitCode: 2, message: expect.stringContaining(message), hint });
  });

  it("answers simultaneous questions like successive ones", async () => {
    const questions: RollupQuestion[] = [
      { by: ["channel"], spend: true, total: true },
      { by: ["source"], filter: { channel: ["paid search"] }, grain: "month", fill: true },
      { by: ["weekday", "hour"], timezone: "Europe/Berlin" },
    ];
    const atOnce = await Promise.all(questions.map((question) => open.rollup(question)));
    for (const [index, question] of questions.entries()) {
      expect(atOnce[index]).toEqual(await open.rollup(question));
      expect(atOnce[index]?.rows.length).toBeGreaterThan(2);
    }
  });

  it("answers a question with every option", async () => {
    const { columns, rows } = await open.rollup({
      by: ["channel"],
      range: { from: "2026-10-01", to: "2026-10-31" },
      timezone: "Europe/Berlin",
      grain: "month",
      compare: "previous",
      fill: true,
      top: 1,
      spend: true,
      total: true,
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
    ["compared with the previous days", { compare: "previous" }],
  ])(
    "returns a single row without dimensions, which is the total and has no other total, %s",
    async (_, more) => {
      const question = { by: [], range: { from: "2026-10-01", to: "2026-10-31" }, ...more };
      const { columns, rows, run, statements } = await open.rollup({ ...question, total: true });
      expect(run).toEqual((await open.readBasis()).run);
      const byChannel = await open.rollup({ ...question, by: ["channel"], total: true });
      const { channel: _channel, ...total } = byChannel.rows.at(-1) ?? {};
      expect(rows).toEqual([total]);
      expect(columns.map(({ name }) => name)).toEqual(Object.keys(total));
      expect(await open.rollup(question)).toEqual({ columns, rows, run, statements });
    },
  );
});

describe("other methods of a warehouse", () => {
  it("type rows by their question", async () => {
    const { rows } = await open.rollup({
      by: ["channel"],
      grain: "month",
      columns: ["calls", "last_call_at"],
    });
    const [row] = rows;
    expectTypeOf(row?.calls).toEqualTypeOf<number | null | undefined>();
    expectTypeOf(row?.last_call_at).toEqualTypeOf<string | null | undefined>();
    expectTypeOf(row?.period).toEqualTypeOf<string | null | undefined>();
    const [text, number] = [expect.any(String), expect.any(Number)];
    expectTypeOf(row?.period_start).toEqualTypeOf<string | null | undefined>();
    const day = `${row?.period}-01`;
    const figures = { channel: text, calls: number, last_call_at: text };
    expect(row).toEqual({ period: text, period_start: day, ...figures });
    // @ts-expect-error: no such figure
    await expect(open.rollup({ by: [], columns: ["call"] })).rejects.toThrow("columns.0");
  });

  it("returns the members that its types have", async () => {
    const { columns, rows } = await open.rollup({
      by: ["campaign", "org_unit"],
      grain: "month",
      compare: "previous",
      chance: true,
      range: { from: "2026-10-01", to: "2026-10-31" },
    });
    const members = [
      "name",
      "type",
      "decimals",
      "currency",
      "isKey",
      "isId",
      "isShare",
      "isAdditive",
      "comparison",
      "help",
    ] as const satisfies (keyof RollupColumn)[];
    expectTypeOf<(typeof members)[number]>().toEqualTypeOf<keyof RollupColumn>();
    const types = ["text", "integer", "decimal", "boolean", "time", "date"] satisfies RollupColumn["type"][];
    for (const column of columns) {
      expect(members).toEqual(expect.arrayContaining(Object.keys(column)));
      expect(types).toContain(column.type);
    }
    const ids = columns.filter(({ isId }) => isId);
    expect(ids.map(({ name }) => name)).toEqual(["campaign_id", "org_unit_id"]);
    const [row] = rows;
    expectTypeOf(row?.campaign_id).toEqualTypeOf<string | null | undefined>();
    expectTypeOf(row?.org_unit_id).toEqualTypeOf<number | null | undefined>();
    expectTypeOf(row?.previous_period).toEqualTypeOf<string | null | undefined>();
    expect(row).toMatchObject({ org_unit_id: expect.any(Number), previous_period: "2026-09" });
    const several = await open.rollup({
      by: [],
      grain: "week",
      compare: ["period-on-period", "52-weeks"],
      columns: ["calls"],
      range: { from: "2026-10-05", to: "2026-10-11" },
    });
    const [week] = several.rows;
    expectTypeOf(week?.period_before).toEqualTypeOf<string | null | undefined>();
    expectTypeOf(week?.period_52_weeks_ago).toEqualTypeOf<string | null | undefined>();
    expect(week).toMatchObject({ period_before: "2026-W40", period_52_weeks_ago: "2025-W41" });
    const to = join(folder.path, "typed");
    const { files } = await open.export(to, { contents: ["channel"], format: "sqlite" });
    const number = expect.any(Number);
    const { rows: channels } = await open.rollup({ by: ["channel"] });
    expect(files).toEqual([
      {
        file: "calltally.sqlite",
        bytes: number,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        contents: "database",
        rows: channels.length,
        sheets: [{ sheet: "channel", contents: "channel", rows: channels.length }],
      },
    ]);
  });

  it("write the files of an export, and return what was written", async () => {
    const to = join(folder.path, "files");
    const range = { from: "2026-10-01", to: "2026-10-31" };
    const { files, run, statements, ...made } = await open.export(to, {
      contents: ["channel", "calls"],
      range,
    });
    expect(made).toEqual({ folder: to, newKey: `${database}.caller-key` });
    expect(run).toEqual((await open.readBasis()).run);
    expect(statements).toMatchObject([{ id: "short_history", text: expect.stringContaining("First-time") }]);
    expect(files.map(({ file, contents }) => [file, contents])).toEqual([
      ["channel.csv", "channel"],
      ["calls.csv", "calls"],
    ]);
    const { rows } = await open.rollup({ by: [], range });
    expect(files.map((file) => file.rows)[1]).toBe(rows[0]?.calls);
    expect(readdirSync(to).toSorted()).toEqual(["calls.csv", "channel.csv", "manifest.json"]);
    const one = await open.export(to, { contents: ["channel"], by: ["source", "medium"], format: "sqlite" });
    expect(one.files.map(({ file }) => file)).toEqual(["calltally.sqlite"]);
  });

  it("write the same files as the program", async () => {
    for (const format of ["csv", "sqlite"] as const) {
      const [ours, theirs] = ["ours", "theirs"].map((name) => join(folder.path, `${name}-${format}`));
      if (ours === undefined || theirs === undefined) throw new Error("There are two");
      const { folder: to } = await open.export(ours, { contents: ["channel", "calls"], format });
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

  it("close the file during iteration, which then throws", async () => {
    using own = makeTempFolder();
    const database = await otherWarehouse(join(own.path, "calls.db"));
    const warehouse = openWarehouse(database);
    const rows = warehouse.query("SELECT * FROM call_facts AS a, call_facts AS b");
    const unread = warehouse.query("SELECT 1");
    expect((await rows.next()).done).toBe(false);
    expect(openIn(own.path)).not.toEqual([]);
    await warehouse[Symbol.asyncDispose]();
    expect(openIn(own.path)).toEqual([]);
    const closed = { exitCode: 2, message: `Cannot read ${database}: it is closed`, hint: "Open it again." };
    const drained = async () => {
      for await (const _ of rows);
    };
    expect(await drained().catch(describeFailure)).toEqual(closed);
    expect(await unread.next().catch(describeFailure)).toEqual(closed);
    expect(openIn(own.path)).toEqual([]);
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
    [{ by: [] }, "Cannot use by: is empty"],
  ])("refuse to export %j", async (request, message) => {
    const to = join(folder.path, "refused");
    const failure = await open.export(to, request).catch(describeFailure);
    expect(failure).toMatchObject({ exitCode: 2, message: expect.stringContaining(message) });
    expect(existsSync(to)).toBe(false);
  });

  it("return the calls one by one, and run any SQL that only reads", async () => {
    const [first, ...others] = await Array.fromAsync(open.calls());
    expect(first).toMatchObject({ call_id: expect.any(Number), outcome: expect.any(String) });
    expect([first?.local_day, first?.local_hour, first?.changed_at, first?.in_hours, first?.revenue]).toEqual(
      [expect.any(String), expect.any(Number), expect.any(String), null, null],
    );
    const [counted] = await Array.fromAsync(
      open.query("SELECT count(*) AS calls, 9007199254740993 AS large FROM attributed_calls"),
    );
    expect(counted).toEqual({ calls: 1 + others.length, large: 9007199254740993n });
    const deleting = open.query("DELETE FROM calls").next();
    expect(await deleting.catch(describeFailure)).toMatchObject({ exitCode: 2 });
  });
});
