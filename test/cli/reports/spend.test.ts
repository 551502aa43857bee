import { describe, expect, it } from "vitest";
import { startSandbox } from "../../../src/sandbox/server.ts";
import { readCsv } from "../../support/page.ts";
import { HAS_PROCESSES } from "../../support/run.ts";
import { readText } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { makeAgencyFolder, writeAccounts } from "../accounts/agency.ts";
import { makeCallsFolder, makeFolder } from "../folder.ts";

/** Calls of October: two campaigns of Google, one of Meta, and one without spend. */
const CALLS = Array.from({ length: 40 }, (_, index) =>
  makeCall({
    call_id: index + 1,
    call_started: `2026-10-${String((index % 31) + 1).padStart(2, "0")}T12:00:00.000Z`,
    caller_id: `+49${index % 25}`,
    duration: index % 3 === 0 ? 10 : 90,
    disposition: index % 5 === 0 ? "busy" : "answered",
    ...[
      { utm_source: "google", utm_medium: "cpc", campaign_name: "Brand", campaign_id: "111" },
      { utm_source: "google", utm_medium: "cpc", campaign_name: "Generic", campaign_id: "222" },
      { utm_source: "fb", utm_medium: "paid_social", campaign_name: "Spring  Tune-Up" },
      { utm_source: "newsletter", utm_medium: "email", utm_campaign: "win-back" },
    ][index % 4],
  }),
);

const OCTOBER = "--from 2026-10-01 --to 2026-10-31";

describe("calltally spend import and export --spend", () => {
  it("reports what an import replaces, and suggests the campaign that was probably meant", async () => {
    using folder = makeCallsFolder(CALLS);
    const { say, write } = folder;
    const header = "day,cost,source,medium,campaign,currency";
    write("own.csv", `${header}\n2026-10-02,12.50,fb,paid_social,Sprang Tune-Up,USD\n`);
    expect(await say("spend import own.csv")).not.toContain("in place of");
    const many = Array.from({ length: 7 }, (_, index) => `2026-10-02,1,fb,paid_social,C${index},USD\n`);
    write("many.csv", `${header}\n${many.join("")}2026-10-02,1,fb,paid_social,,USD\n`);
    expect(await say("spend import many.csv")).toContain(
      "fb  1 day, 2026-10-02, 8 rows, 8.00 USD, replacing 1 earlier row\n  before: 12.50 USD, Sprang Tune-Up\n  now: 8.00 USD, C0, C1, C2, C3, C4, and 3 more\n",
    );
    expect(await say("spend import own.csv")).toContain(
      "1 day, 2026-10-02, 1 row, 12.50 USD, replacing 8 earlier rows\n  before: 8.00 USD, C0,",
    );
    write("empty.csv", `${header}\n`);
    expect(await say("spend import empty.csv")).toBe(
      "empty.csv  columns by calltally's names, 1 line: 0 rows, 1 header\n  nothing changes: it has no rows to import\n",
    );
    await say(`export campaign --spend ${OCTOBER} --out out`);
    expect(readCsv(readText(folder.path, "out/spend-unmatched.csv"))).toMatchObject([
      { campaign: "Sprang Tune-Up", cost: 12.5, nearest_campaign: "Spring  Tune-Up" },
    ]);
  });

  it("names unused columns and a guessed encoding, and refuses a currency that differs from the file's", async () => {
    using folder = makeCallsFolder(CALLS);
    const report = "Date;Campaign;Amount;Currency;M\xe4rkte\n2026-10-02;M\xfcnchen;150,75;EUR;DE\n";
    folder.write("own.csv", Buffer.from(report, "latin1"));
    const line = "spend import own.csv --map day=Date,cost=Amount --source google --medium cpc";
    expect(await folder.run(`${line} --currency USD`)).toMatchObject({
      code: 2,
      stderr:
        "calltally: Cannot import spend in two currencies: --currency is in USD, and own.csv, line 2 in EUR\nNothing was imported. An account has one currency: convert the report, or keep another account for it.\n",
    });
    expect(await folder.say(line)).toBe(
      "own.csv  columns by --map, read as Windows-1252, 2 lines: 1 row, 1 header\n  not used: Märkte\ngoogle  1 day, 2026-10-02, 1 row, 150.75 EUR\n",
    );
  });

  it("lists imports, and removes one with a wrong source", async () => {
    using folder = makeCallsFolder(CALLS);
    const { say, write } = folder;
    const list = async () => (await say("spend list")).replaceAll(/\d{4}-\d\d-\d\dT\S+/g, "TIME");
    expect(await list()).toBe("No spend has been imported.\n");
    write("own.csv", "day,cost,medium,currency\n2026-10-02,12.50,cpc,EUR\n");
    await say("spend import own.csv --source gogle");
    await say("spend import own.csv --source google");
    expect(await list()).toBe(
      `number  imported_at               file     source  days        rows  cost       state
     2  TIME  own.csv  google  2026-10-02     1  12.50 EUR  in use
     1  TIME  own.csv  gogle   2026-10-02     1  12.50 EUR  in use
`,
    );
    expect(await say("spend remove 1")).toBe("Removed 1 row of gogle from own.csv: 2026-10-02, 12.50 EUR\n");
    write("new.csv", "day,cost,medium,currency\n2026-10-02,9,cpc,EUR\n");
    await say("spend import new.csv --source google");
    expect((await list()).split("\n").slice(1, -1)).toEqual([
      "     3  TIME  new.csv  google  2026-10-02     1  9.00 EUR  in use",
      "     2  TIME  own.csv  google  2026-10-02     0  0.00 EUR  replaced by 3; had 1 row, 12.50 EUR",
      "     1  TIME  own.csv  gogle   2026-10-02     0  0.00 EUR  removed; had 1 row, 12.50 EUR",
    ]);
    expect(await folder.run("spend remove 2")).toMatchObject({
      code: 2,
      stderr:
        "calltally: Cannot remove import 2: import 3 has replaced all its rows\ncalltally spend list shows all.\n",
    });
    expect(await say("spend remove 3")).toBe(
      "Removed 1 row of google from new.csv: 2026-10-02, 9.00 EUR\nWhat it had replaced does not come back, import 2 (own.csv): import that file again.\n",
    );
    await say("spend import own.csv --source google");
    expect(JSON.parse(await say("spend remove 4 --json"))).toMatchObject({
      number: 4,
      source: "google",
      rows: 1,
      cost: 12.5,
      currency: "EUR",
      does_not_come_back: [{ number: 2, file: "own.csv", had_rows: 1, had_cost: 12.5 }],
    });
  });

  it.skipIf(!HAS_PROCESSES)(
    "skips rows with reasons (3), and imports nothing if one of the files cannot be used (2)",
    async () => {
      using folder = makeCallsFolder(CALLS);
      const { run, write } = folder;
      const stored = () => folder.read("SELECT 1 FROM spend").length;
      const bad = Array.from({ length: 25 }, (_, index) => `2026-10-01,x${index}`);
      write("some.csv", `day,cost\n2026-10-01,1.50\n${bad.join("\n")}\n`);
      write("none.csv", "a,b\n1,2\n");
      const flags = "--source google --medium cpc";
      expect(await run(`spend import some.csv none.csv ${flags}`)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(
          "Cannot import none.csv: none of its first 60 lines is the header of a known report",
        ),
      });
      expect(await run(`spend import some.csv ${flags}`)).toMatchObject({
        code: 2,
        stderr:
          "calltally: Cannot import spend: its currency is unknown\nPass --currency, such as --currency USD, or give it as the setting currency.\n",
      });
      expect(stored()).toBe(0);
      const partly = await run(`spend import some.csv ${flags} --currency usd`);
      expect(partly.code).toBe(3);
      const lines = partly.stdout.split("\n");
      expect(lines.slice(0, 4)).toEqual([
        "some.csv  columns by calltally's names, 27 lines: 1 row, 25 left out, 1 header",
        "google  1 day, 2026-10-01, 1 row, 1.50 USD",
        "Left out: 25 rows",
        '  some.csv:3  the cost "x0" is not a number',
      ]);
      expect(lines.at(-2)).toBe("  and 5 more: --json has all");
      expect(stored()).toBe(1);
      const asJson = await run(`spend import some.csv ${flags} --currency usd --json`);
      expect(JSON.parse(asJson.stdout).files).toMatchObject([{ left_out: Array(25).fill({}) }]);
      write("crlf.csv", "day,cost,currency\r\n2026-10-01,1.50,USD\r\n2026-10-02,2,USD\r\n");
      write("lf.csv", "day,cost,currency\n2026-10-01,1.50,USD\n");
      const twice = await run(`spend import crlf.csv lf.csv ${flags}`);
      expect(twice.code).toBe(3);
      expect(twice.stdout.split("\n").slice(1, -1)).toEqual([
        "lf.csv  columns by calltally's names, 2 lines: 0 rows, 1 left out, 1 header",
        "  nothing changes: it has no rows to import",
        "google  2 days, 2026-10-01 to 2026-10-02, 2 rows, 3.50 USD, replacing 1 earlier row",
        "  before: 1.50 USD, no campaign",
        "  now: 3.50 USD, no campaign",
        "Left out: 1 row, 1.50 USD",
        "  lf.csv:2  the same as line 2 of crlf.csv; --lines add adds it",
      ]);
      expect(await folder.say(`spend import crlf.csv lf.csv ${flags} --lines add`)).toContain(
        "google  2 days, 2026-10-01 to 2026-10-02, 3 rows, 5.00 USD",
      );
    },
  );

  it("reports missing spend with blank columns; a report shows costs only if there are any or on request", async () => {
    using folder = makeCallsFolder(CALLS);
    expect(await folder.say("export source --spend --out out")).toContain(
      "No spend has been imported: calltally spend import reads the reports of ad platforms.",
    );
    const [first] = readCsv(readText(folder.path, "out/source.csv"));
    expect(first).toMatchObject({ cost: null, cost_per_call: null });
    const pageOf = async (flags: string) => {
      await folder.say(`report ${OCTOBER} --out page ${flags}`.trimEnd());
      return readText(folder.path, "page/report.html");
    };
    expect(await pageOf("")).not.toMatch(/spend/i);
    expect(await pageOf("--spend")).toContain("<h2>No spend was imported for these days</h2>");
  });

  it("adds a column for several accounts with one currency", async () => {
    using folder = makeFolder();
    const { say } = folder;
    await using acme = await startSandbox({ calls: 60, seed: 1, token: "t0ken-of-acme" });
    await using beta = await startSandbox({ calls: 40, seed: 2, token: "t0ken-of-beta" });
    writeAccounts(folder.path, { acme, beta }, { more: { beta: "currency: EUR" } });
    await say("sync");
    folder.write("own.csv", "day,cost,source,medium,campaign\n2026-10-01,1.25,google,cpc,Unheard of\n");
    await say("spend import own.csv --account acme --currency USD");
    await say("spend import own.csv --account beta");
    const by = "export --by account,channel,source --spend --stdout";
    expect(await folder.run(by)).toMatchObject({
      code: 2,
      stderr:
        "calltally: Cannot put amounts of several currencies into one file: acme has USD, and beta EUR\nName accounts of one currency with --account, or leave out --spend and --outcomes.\n",
    });
    await say("spend import own.csv --account acme --currency EUR");
    const rows = readCsv(await say(by)).filter(({ cost }) => cost !== null);
    expect(rows.map(({ account, source, cost }) => [account, source, cost])).toEqual([
      ["acme", "google", 1.25],
      ["beta", "google", 1.25],
    ]);
  });

  it("imports a file of each account by {account}", async () => {
    await using folder = await makeAgencyFolder({ acme: { calls: 20 }, beta: { calls: 30 } });
    await folder.say("sync");
    folder.write(
      "acme.csv",
      "day,source,medium,campaign,cost,currency\n2026-10-01,google,cpc,Brand,12,USD\n",
    );
    const imported = await folder.run("spend import {account}.csv");
    expect(imported).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/^acme\n.*\n.* 12\.00 USD\n$/),
    });
    expect(imported.stderr).toMatch(/^beta: Cannot read beta\.csv: no such file or directory$/m);
  });

  it("a file of channels gives imported costs their own channel, except by a referrer", async () => {
    const call = { call_id: 1, call_started: "2026-10-01T00:00:00.000Z", utm_medium: "cpc" };
    using folder = makeCallsFolder(
      [makeCall({ ...call, utm_source: "partner-north", utm_campaign: "generic" })],
      { CALLTALLY_CHANNELS: "channels.csv" },
    );
    folder.write(
      "channels.csv",
      "channel,source,medium,campaign,referrer\nElsewhere,,,,*\nPartners,partner-*,,,\n",
    );
    folder.write(
      "spend.csv",
      "day,cost,source,medium,campaign,currency\n2026-10-01,4,partner-north,cpc,generic,EUR\n",
    );
    await folder.say("spend import spend.csv");
    const { stdout, stderr } = await folder.run(
      "export channel --spend --columns calls,cost --stdout --from 2026-10-01 --to 2026-10-01 --channel Partners",
    );
    expect([stderr, stdout]).toEqual([expect.any(String), "channel,calls,cost\r\nPartners,1,4.00\r\n"]);
  });
});
