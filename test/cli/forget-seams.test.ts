import { chmodSync, chownSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startRowService, TOKEN } from "../support/call-service.ts";
import { findTraces, spell } from "../support/forgettable.ts";
import { calltally } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { readRows } from "../support/warehouse.ts";
import { skipped, uid, unlessSkipped } from "./other-user.ts";

// The interaction of `forget` with everything else that stores calls.

const DAY_MS = 86_400_000;
const NUMBER = "+12145550123";
const OTHER = "+12145550124";
const PERSON = { number: NUMBER, callIds: [], traces: [...spell(NUMBER), "gusher"] };

interface Row {
  call_id: number;
  caller_id: string;
  call_started?: string;
  [member: string]: unknown;
}

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

/** A row as sent by the service; rows of the person have personal data in all places. */
function toRow({ dni_data = {}, ...row }: Row): string {
  const said = `A gusher, call me at ${NUMBER} or (214) 555-0123.`;
  return JSON.stringify({
    call_started: daysAgo(row.call_id),
    duration: 90,
    disposition: "ANSWERED",
    tracking_number: "+19725550100",
    ...(row.caller_id === NUMBER && { transcription: said, summary: said, callback: NUMBER }),
    dni_data: { utm_source: "google", utm_medium: "cpc", utm_campaign: "spring", ...(dni_data as object) },
    ...row,
  });
}

async function serve(rows: readonly Row[], keep: Record<string, string> = {}) {
  await using scope = new AsyncDisposableStack();
  const folder = scope.use({
    temp: makeTempFolder(),
    [Symbol.dispose]() {
      this.temp.remove();
    },
  }).temp.path;
  // Newest first, like the service.
  const service = scope.use(await startRowService(rows.map(toRow)));
  const env: Record<string, string> = {
    CALLTALLY_BASE_URL: service.url.href,
    CALLTALLY_TOKEN: TOKEN,
    CALLTALLY_GONE_AFTER_HOURS: "0",
    ...keep,
  };
  const run = (...args: string[]) => calltally(args, { cwd: folder, env });
  const sync = async (...args: string[]) => {
    const { code, stdout, stderr } = await run("sync", "--json", ...args);
    expect([0, 3], stderr).toContain(code);
    return JSON.parse(stdout);
  };
  const kept = scope.move();
  const database = join(folder, "data/calltally.db");
  return {
    folder,
    data: join(folder, "data"),
    database,
    service,
    env,
    run,
    sync,
    read: (sql: string) => readRows(database, sql),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const FIGURES = `SELECT campaign, tracking_number, count(*) AS calls, count(DISTINCT caller_id) AS callers, sum(is_first_call) AS firsts
  FROM call_facts WHERE is_live GROUP BY 1, 2 ORDER BY 1, 2`;

const PEOPLE: Row[] = [
  { call_id: 3, caller_id: NUMBER },
  { call_id: 40, caller_id: OTHER },
  { call_id: 41, caller_id: OTHER, transcription: `Her number is ${NUMBER}.` },
  { call_id: 50, caller_id: NUMBER },
  { call_id: 51, caller_id: NUMBER, duration: [NUMBER] },
];

describe("forget with limited retention of numbers", () => {
  it.each([
    ["never", "NUMBER"],
    ["never", "--caller-hash"],
    ["30d", "--caller-hash"],
  ])(
    "with %s, by %s leaves no trace, and changes neither figures nor the results of syncs and prune",
    async (keepFor, by) => {
      await using made = await serve(PEOPLE, { CALLTALLY_KEEP_CALLER_NUMBERS: keepFor });
      const { run, sync, read, folder, data, env } = made;
      await sync();
      await run("export", "callers", "--out", "list");
      await run("backup", "data/old.db");
      const before = read(FIGURES);
      const [{ hash }] = read(
        "SELECT caller AS hash FROM call_facts JOIN callers USING (caller_id) WHERE call_id = 3",
      ) as [{ hash: string }];
      expect(hash).toMatch(/^[\da-f]{64}$/);
      const whom = {
        NUMBER: [NUMBER],
        "--caller-hash": [by, hash.toUpperCase()],
      };
      const forgotten = await run("forget", ...whom[by as keyof typeof whom], "--json");
      expect(forgotten, forgotten.stderr).toMatchObject({ code: 0 });
      expect(JSON.parse(forgotten.stdout)).toMatchObject({
        forgotten: { callers: 1 },
        exported_files: [{ path: join(folder, "list/callers.csv") }],
        copies: [join(folder, "data/old.db")],
      });
      rmSync(join(folder, "data/old.db"));
      expect(findTraces(data, [PERSON])).toEqual(
        // A number that is not stored is not recognized without its country code.
        [],
      );
      expect(findTraces(data, [{ ...PERSON, traces: [hash] }])).toEqual([]);
      expect(read(FIGURES)).toEqual(before);
      for (const args of [["--full"], []]) {
        expect(await sync(...args)).toMatchObject({ calls_new: 0, calls_changed: 0 });
      }
      expect((await run("prune", "--json")).stdout).toContain('"caller_numbers":0');
      // Changed retention names nobody again, and joins the caller's calls as before.
      for (const keep of ["always", "7d"]) {
        env.CALLTALLY_KEEP_CALLER_NUMBERS = keep;
        await sync("--full");
        expect(findTraces(data, [PERSON]), keep).toEqual([]);
        expect(read(FIGURES), keep).toEqual(before);
      }
      expect(await run("doctor", "--deep")).toMatchObject({ code: expect.toBeOneOf([0, 3]) });
    },
  );

  it("keeps the identity of a forgotten caller when numbers are no longer kept from then on", async () => {
    await using made = await serve(PEOPLE);
    const { run, sync, read, data, env, service } = made;
    await sync();
    const before = read(FIGURES);
    expect(await run("forget", NUMBER)).toMatchObject({ code: 0 });
    const name = () =>
      read("SELECT DISTINCT caller FROM call_facts JOIN callers USING (caller_id) WHERE call_id IN (3, 50)");
    const names = name();
    env.CALLTALLY_KEEP_CALLER_NUMBERS = "never";
    expect(await run("prune")).toMatchObject({ code: 0 });
    expect(await sync("--full")).toMatchObject({ calls_new: 0, calls_changed: 0 });
    expect([read(FIGURES), name()]).toEqual([before, names]);
    service.calls.unshift(toRow({ call_id: 2, caller_id: "1 (214) 555-0123", summary: "A gusher." }));
    expect(await sync()).toMatchObject({ calls_new: 1 });
    expect(
      read(
        "SELECT DISTINCT caller FROM call_facts JOIN callers USING (caller_id) WHERE call_id IN (2, 3, 50)",
      ),
    ).toEqual(names);
    expect(findTraces(data, [PERSON])).toEqual([]);
  });

  it("creates no key in place of a lost one", async () => {
    await using made = await serve(PEOPLE, { CALLTALLY_KEEP_CALLER_NUMBERS: "never" });
    const { run, sync, database } = made;
    await sync();
    rmSync(`${database}.caller-key`);
    expect(await run("forget", NUMBER)).toMatchObject({
      code: 7,
      stderr: expect.stringContaining("is missing"),
    });
    expect(globSync(`${database}.caller-key`)).toEqual([]);
  });
});

describe("forget and exported files", () => {
  it.skipIf(skipped)(
    `finds conversions by hash, text in any spelling, drafts of killed exports, and unreadable files${unlessSkipped}`,
    async () => {
      const said = {
        call_id: 42,
        caller_id: OTHER,
        transcription: "It is 214\u00a0555\u20110123, she said.",
      };
      await using made = await serve([...PEOPLE.slice(0, 3), said, ...PEOPLE.slice(3)]);
      const { run, sync, folder, env } = made;
      await sync("--full");
      await run("export", "google-leads", "--conversion-name", "Call", "--out", "leads");
      await run(
        "export",
        "calls",
        "--with",
        "transcription",
        "--from",
        daysAgo(42).slice(0, 10),
        "--to",
        daysAgo(42).slice(0, 10),
        "--out",
        "said",
      );
      await run("export", "calls", "--with", "caller_id", "--out", "locked");
      await run("export", "calls", "--with", "caller_id", "--out", "moved");
      rmSync(join(folder, "moved"), { recursive: true });
      const draft = join(folder, "leads/.calls.csv.0f3b1c2d-0000-4000-8000-000000000000.tmp");
      writeFileSync(draft, `call_id,caller_id\r\n3,${NUMBER}`);
      if (uid !== undefined) {
        mkdirSync(join(folder, "data"), { recursive: true });
        for (const path of globSync(
          ["", "data", "data/*", "leads", "leads/*", "leads/.*", "said", "said/*"].map((name) =>
            join(folder, name),
          ),
        ))
          chownSync(path, uid, uid);
      }
      chmodSync(join(folder, "locked"), 0o000);
      const forget = (...args: string[]) =>
        calltally(["forget", NUMBER, "--json", ...args], { cwd: folder, env, uid });
      try {
        const found = await forget();
        expect(found, found.stderr).toMatchObject({ code: 0 });
        const list = [
          { path: join(folder, "leads/google-leads.csv"), holds: "yes", removed: false },
          { path: join(folder, "locked/calls.csv"), holds: "perhaps", removed: false },
          { path: join(folder, "said/calls.csv"), holds: "yes", removed: false },
          { path: draft, holds: "yes", removed: false },
        ];
        expect(JSON.parse(found.stdout).exported_files).toEqual(list);
        const removed = await forget("--exports");
        expect(removed).toMatchObject({ code: 7, stdout: "" });
        expect(removed.stderr).toMatch(
          /^calltally: Cannot remove .*locked\/calls\.csv, which may still contain the callers/,
        );
        expect(removed.stderr).not.toMatch(/555|at async/);
        expect(globSync(["{leads,said}/*.csv", "leads/.*.tmp"], { cwd: folder }).sort()).toEqual([
          "leads/google-leads.excluded.csv",
        ]);
      } finally {
        chmodSync(join(folder, "locked"), 0o755);
      }
      expect(await run("forget", NUMBER, "--exports")).toMatchObject({ code: 0 });
      expect(findTraces(folder, [PERSON])).toEqual([]);
    },
  );
});

describe("forget and conversions", () => {
  it("finds files by former values of a caller: client ids, and a number known only by its hash", async () => {
    const dni_data = { google_analytics_cid: "123.456", utm_source: "google" };
    const rows: Row[] = [
      { call_id: 1, caller_id: NUMBER, call_started: daysAgo(0.5), dni_data },
      { call_id: 2, caller_id: OTHER, call_started: daysAgo(1), dni_data: { google_analytics_cid: "7.8" } },
    ];
    await using made = await serve(rows);
    const { run, sync, read, folder, data, env } = made;
    await sync("--full");
    const write = async (contents: string, ...args: string[]) => {
      const { code, stderr } = await run("export", contents, "--conversion-name", "call", ...args);
      expect([0, 3], stderr).toContain(code);
    };
    await write("google-leads");
    await write("ga4-events", "--measurement-id", "G-ABC123");
    await write("ga4-events", "--measurement-id", "G-ABC123", "--out", "again");
    expect(readFileSync(join(folder, "again/ga4-events.csv"), "utf8")).toContain("123.456");
    env.CALLTALLY_KEEP_CALLER_NUMBERS = "never";
    await sync("--full");
    const [{ caller }] = read(
      "SELECT caller FROM call_facts JOIN callers USING (caller_id) WHERE call_id = 1",
    ) as [{ caller: string }];
    const forget = async (...args: string[]) => {
      const { stdout, stderr } = await run("forget", "--caller-hash", caller, "--json", "--quiet", ...args);
      expect(stderr).toBe("");
      return JSON.parse(stdout).exported_files.map(({ path }: { path: string }) => path);
    };
    const files = ["again/ga4-events.csv", "data/exports/ga4-events.csv", "data/exports/google-leads.csv"];
    const paths = files.map((file) => join(folder, file));
    expect(await forget()).toEqual(paths);
    // Files of another caller do not count as files of those forgotten before.
    const other = await run("forget", "+15550001111", "--allow-empty", "--json");
    expect(JSON.parse(other.stdout).exported_files).toEqual([]);
    expect(await forget("--exports")).toEqual(paths);
    await write("ga4-events", "--measurement-id", "G-ABC123");
    expect(await forget()).toEqual([]);
    expect(findTraces(data, [{ ...PERSON, traces: ["123.456", ...PERSON.traces] }])).toEqual([]);
  });
});

describe("output of forget", () => {
  it("contains no number in logs, errors and the log of acts, wherever it stops", async () => {
    await using made = await serve(PEOPLE);
    const { run, sync, folder, env } = made;
    const shown: string[] = [];
    const see = async (...args: string[]) => {
      const { code, stdout, stderr } = await run(...args);
      shown.push(stdout, stderr);
      return code;
    };
    env.CALLTALLY_LOG_FORMAT = "json";
    expect(await see("forget", NUMBER)).toBe(7); // no warehouse
    await sync("--full");
    expect(await see("forget", `${NUMBER}x`)).toBe(2);
    expect(await see("forget", NUMBER.slice(0, 9), NUMBER)).toBe(2);
    expect(await see("forget", "--file", NUMBER)).toBe(2);
    expect(await see("forget", "--caller-hash", NUMBER)).toBe(2);
    expect(await see("forget", "--caller-hash", "f".repeat(64))).toBe(2);
    writeFileSync(join(folder, "bad.txt"), `${NUMBER}\nx${NUMBER}\n`);
    expect(await see("forget", "--file", "bad.txt")).toBe(2);
    expect(await see("forget", NUMBER)).toBe(0);
    expect(await see("sync", "--full")).toBe(3);
    expect(await see("privacy", "log")).toBe(0);
    expect(await see("privacy", "log", "--json")).toBe(0);
    expect(await see("doctor", "--deep", "--json")).not.toBe(7);
    expect(shown.join("\n")).not.toMatch(/2145550|555.?0123/);
  });
});
