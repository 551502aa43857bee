import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { makeCall } from "../support/calls.ts";
import { makeWarehouse } from "../support/produce-files.ts";
import { calltally, type Finished, HAS_PROCESSES } from "../support/run.ts";
import { listFiles } from "../support/temp-folder.ts";
import { writeAccounts } from "./agency.ts";

type Record_ = Record<string, string>;
const tableOf = (text: string): Record_[] => parse(text, { columns: true, bom: true });

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

async function run(args: string[], cwd: string, code = 0): Promise<Finished> {
  const finished = await calltally(args, { cwd });
  if (finished.code !== code) throw new Error(`Exit ${finished.code}: ${finished.stdout}${finished.stderr}`);
  return finished;
}

describe("calltally spend import and export --spend", () => {
  it("reports what an import replaces, and suggests the campaign that was probably meant", async () => {
    using warehouse = makeWarehouse(CALLS);
    const cwd = join(warehouse.folder, "..");
    const db = ["--database", warehouse.database];
    const header = "day,cost,source,medium,campaign,currency";
    writeFileSync(join(cwd, "own.csv"), `${header}\n2026-10-02,12.50,fb,paid_social,Sprang Tune-Up,USD\n`);
    expect((await run(["spend", "import", "own.csv", ...db], cwd)).stdout).not.toContain("in place of");
    const many = Array.from({ length: 7 }, (_, index) => `2026-10-02,1,fb,paid_social,C${index},USD\n`);
    writeFileSync(join(cwd, "many.csv"), `${header}\n${many.join("")}2026-10-02,1,fb,paid_social,,USD\n`);
    expect((await run(["spend", "import", "many.csv", ...db], cwd)).stdout).toContain(
      "fb  1 day, 2026-10-02, 8 rows, 8.00 USD, replacing 1 earlier row\n  before: 12.50 USD, Sprang Tune-Up\n  now: 8.00 USD, C0, C1, C2, C3, C4, and 3 more\n",
    );
    expect((await run(["spend", "import", "own.csv", ...db], cwd)).stdout).toContain(
      "1 day, 2026-10-02, 1 row, 12.50 USD, replacing 8 earlier rows\n  before: 8.00 USD, C0,",
    );
    writeFileSync(join(cwd, "empty.csv"), `${header}\n`);
    expect((await run(["spend", "import", "empty.csv", ...db], cwd)).stdout).toBe(
      "empty.csv  columns by calltally's names, 1 line: 0 rows, 1 header\n  nothing changes: it has no rows to import\n",
    );
    const range = ["--from", "2026-10-01", "--to", "2026-10-31"];
    await run(["export", "campaign", "--spend", ...range, ...db, "--out", "out"], cwd);
    expect(tableOf(readFileSync(join(cwd, "out/spend-unmatched.csv"), "utf8"))).toMatchObject([
      { campaign: "Sprang Tune-Up", cost: "12.50", nearest_campaign: "Spring  Tune-Up" },
    ]);
  });

  it("names unused columns and a guessed encoding, and refuses a currency that differs from the file's", async () => {
    using warehouse = makeWarehouse(CALLS);
    const cwd = join(warehouse.folder, "..");
    writeFileSync(
      join(cwd, "own.csv"),
      "Date;Campaign;Amount;Currency;M\xe4rkte\n2026-10-02;M\xfcnchen;150,75;EUR;DE\n",
      "latin1",
    );
    const args = ["spend", "import", "own.csv", "--map", "day=Date,cost=Amount", "--source", "google"];
    const flags = ["--medium", "cpc", "--database", warehouse.database];
    const refused = await calltally([...args, ...flags, "--currency", "USD"], { cwd });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      "calltally: Cannot import spend in two currencies: --currency is in USD, and own.csv, line 2 in EUR\nNothing was imported. An account has one currency: convert the report, or keep another account for it.\n",
    ]);
    expect((await run([...args, ...flags], cwd)).stdout).toBe(
      "own.csv  columns by --map, read as Windows-1252, 2 lines: 1 row, 1 header\n  not used: Märkte\ngoogle  1 day, 2026-10-02, 1 row, 150.75 EUR\n",
    );
  });

  it("lists imports, and removes one with a wrong source", async () => {
    using warehouse = makeWarehouse(CALLS);
    const cwd = join(warehouse.folder, "..");
    const db = ["--database", warehouse.database];
    expect((await run(["spend", "list", ...db], cwd)).stdout).toBe("No spend has been imported.\n");
    writeFileSync(join(cwd, "own.csv"), "day,cost,medium,currency\n2026-10-02,12.50,cpc,EUR\n");
    await run(["spend", "import", "own.csv", "--source", "gogle", ...db], cwd);
    await run(["spend", "import", "own.csv", "--source", "google", ...db], cwd);
    const list = async () =>
      (await run(["spend", "list", ...db], cwd)).stdout.replaceAll(/\d{4}-\d\d-\d\dT\S+/g, "TIME");
    const heads = "number  imported_at               file     source  days        rows  cost       state\n";
    const google = "     2  TIME  own.csv  google  2026-10-02     1  12.50 EUR  in use\n";
    const gogle = "     1  TIME  own.csv  gogle   2026-10-02     1  12.50 EUR  in use\n";
    expect(await list()).toBe(`${heads}${google}${gogle}`);
    expect((await run(["spend", "remove", "1", ...db], cwd)).stdout).toBe(
      "Removed 1 row of gogle from own.csv: 2026-10-02, 12.50 EUR\n",
    );
    writeFileSync(join(cwd, "new.csv"), "day,cost,medium,currency\n2026-10-02,9,cpc,EUR\n");
    await run(["spend", "import", "new.csv", "--source", "google", ...db], cwd);
    expect((await list()).split("\n").slice(1, -1)).toEqual([
      "     3  TIME  new.csv  google  2026-10-02     1  9.00 EUR  in use",
      "     2  TIME  own.csv  google  2026-10-02     0  0.00 EUR  replaced by 3; had 1 row, 12.50 EUR",
      "     1  TIME  own.csv  gogle   2026-10-02     0  0.00 EUR  removed; had 1 row, 12.50 EUR",
    ]);
    expect(await calltally(["spend", "remove", "2", ...db], { cwd })).toMatchObject({
      code: 2,
      stderr:
        "calltally: Cannot remove import 2: import 3 has replaced all its rows\ncalltally spend list shows all.\n",
    });
    expect((await run(["spend", "remove", "3", ...db], cwd)).stdout).toBe(
      "Removed 1 row of google from new.csv: 2026-10-02, 9.00 EUR\nWhat it had replaced does not come back, import 2 (own.csv): import that file again.\n",
    );
    await run(["spend", "import", "own.csv", "--source", "google", ...db], cwd);
    const removed = JSON.parse((await run(["spend", "remove", "4", "--json", ...db], cwd)).stdout);
    expect(removed).toMatchObject({
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
      using warehouse = makeWarehouse(CALLS);
      const cwd = join(warehouse.folder, "..");
      const db = ["--database", warehouse.database];
      const bad = Array.from({ length: 25 }, (_, index) => `2026-10-01,x${index}`);
      writeFileSync(join(cwd, "some.csv"), `day,cost\n2026-10-01,1.50\n${bad.join("\n")}\n`);
      writeFileSync(join(cwd, "none.csv"), "a,b\n1,2\n");
      const flags = ["--source", "google", "--medium", "cpc"];
      const refused = await calltally(["spend", "import", "some.csv", "none.csv", ...flags, ...db], { cwd });
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain(
        "Cannot import none.csv: none of its first 60 lines is the header of a known report",
      );
      const noCurrency = await calltally(["spend", "import", "some.csv", ...flags, ...db], { cwd });
      expect([noCurrency.code, noCurrency.stderr]).toEqual([
        2,
        "calltally: Cannot import spend: its currency is unknown\nPass --currency, such as --currency USD, or give it as the setting currency.\n",
      ]);
      const count = () => run(["query", "SELECT count(*) AS n FROM spend", "--format", "csv", ...db], cwd);
      expect((await count()).stdout).toBe("n\r\n0\r\n");
      const partly = await run(["spend", "import", "some.csv", ...flags, "--currency", "usd", ...db], cwd, 3);
      const lines = partly.stdout.split("\n");
      expect(lines.slice(0, 4)).toEqual([
        "some.csv  columns by calltally's names, 27 lines: 1 row, 25 left out, 1 header",
        "google  1 day, 2026-10-01, 1 row, 1.50 USD",
        "Left out: 25 rows",
        '  some.csv:3  the cost "x0" is not a number',
      ]);
      expect(lines.at(-2)).toBe("  and 5 more: --json has all");
      expect((await count()).stdout).toBe("n\r\n1\r\n");
      const usd = ["--currency", "usd", "--json"];
      const asJson = await run(["spend", "import", "some.csv", ...flags, ...usd, ...db], cwd, 3);
      expect(JSON.parse(asJson.stdout).files).toMatchObject([{ left_out: Array(25).fill({}) }]);
      writeFileSync(
        join(cwd, "crlf.csv"),
        "day,cost,currency\r\n2026-10-01,1.50,USD\r\n2026-10-02,2,USD\r\n",
      );
      writeFileSync(join(cwd, "lf.csv"), "day,cost,currency\n2026-10-01,1.50,USD\n");
      const both = ["spend", "import", "crlf.csv", "lf.csv", ...flags, ...db];
      const twice = await run(both, cwd, 3);
      expect(twice.stdout.split("\n").slice(1, -1)).toEqual([
        "lf.csv  columns by calltally's names, 2 lines: 0 rows, 1 left out, 1 header",
        "  nothing changes: it has no rows to import",
        "google  2 days, 2026-10-01 to 2026-10-02, 2 rows, 3.50 USD, replacing 1 earlier row",
        "  before: 1.50 USD, no campaign",
        "  now: 3.50 USD, no campaign",
        "Left out: 1 row",
        "  lf.csv:2  the same as line 2 of crlf.csv; --add adds it",
      ]);
      const added = await run([...both, "--add"], cwd, 0);
      expect(added.stdout).toContain("google  2 days, 2026-10-01 to 2026-10-02, 3 rows, 5.00 USD");
    },
  );

  it("reports missing spend with blank columns; a report shows costs only if there are any or on request", async () => {
    using warehouse = makeWarehouse(CALLS);
    const cwd = join(warehouse.folder, "..");
    const db = ["--database", warehouse.database];
    const { stdout } = await run(["export", "source", "--spend", "--out", "out", ...db], cwd);
    expect(stdout).toContain(
      "No spend has been imported: calltally spend import reads the reports of ad platforms.",
    );
    expect(tableOf(readFileSync(join(cwd, "out/source.csv"), "utf8"))[0]).toMatchObject({
      cost: "",
      cost_per_call: "",
    });
    const days = ["--from", "2026-10-01", "--to", "2026-10-31", ...db];
    await run(["report", ...days, "--out", "page"], cwd);
    const page = () => readFileSync(join(cwd, "page/report.html"), "utf8");
    expect(page()).not.toMatch(/spend/i);
    await run(["report", ...days, "--out", "page", "--spend"], cwd);
    expect(page()).toContain("<h2>No spend was imported for these days</h2>");
  });

  it("is a column of several accounts with one currency, and of named reports", async () => {
    using warehouse = makeWarehouse([]);
    const cwd = join(warehouse.folder, "..");
    await using acme = await startSandbox({ calls: 60, seed: 1, token: "t0ken-of-acme" });
    await using beta = await startSandbox({ calls: 40, seed: 2, token: "t0ken-of-beta" });
    writeAccounts(cwd, { acme, beta }, { more: { beta: "currency: EUR" } });
    appendFileSync(
      join(cwd, "calltally.yaml"),
      "reports:\n  costs:\n    contents: [campaign]\n    spend: true\n    folder: reports/{account}/costs\n",
    );
    expect((await calltally(["sync"], { cwd })).code).toBe(0);
    writeFileSync(
      join(cwd, "own.csv"),
      "day,cost,source,medium,campaign\n2026-10-01,1.25,google,cpc,Unheard of\n",
    );
    const load = (account: string, ...flags: string[]) =>
      run(["spend", "import", "own.csv", "--account", account, ...flags], cwd);
    await load("acme", "--currency", "USD");
    await load("beta");
    const by = ["export", "--by", "account,channel,source", "--spend", "--stdout"];
    const refused = await calltally(by, { cwd });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      "calltally: Cannot put amounts of several currencies into one file: acme has USD, and beta EUR\nName accounts of one currency with --account, or leave out --spend and --outcomes.\n",
    ]);
    await load("acme", "--currency", "EUR");
    const rows = tableOf((await run(by, cwd)).stdout).filter(({ cost }) => cost !== "");
    expect(rows.map(({ account, source, cost }) => [account, source, cost])).toEqual([
      ["acme", "google", "1.25"],
      ["beta", "google", "1.25"],
    ]);
    await run(["run", "costs"], cwd);
    expect(listFiles(join(cwd, "reports/beta/costs"))).toEqual([
      "campaign.csv",
      "manifest.json",
      "spend-unmatched.csv",
    ]);
    expect(readFileSync(join(cwd, "reports/beta/costs/spend-unmatched.csv"), "utf8")).toBe(
      "campaign,campaign_id,source,cost,days,nearest_campaign\r\nUnheard of,,google,1.25,1,\r\n",
    );
  });
});
