import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { readBySheetJs } from "../export/workbook-readers.ts";
import { makeCall } from "../support/calls.ts";
import { makeWarehouse } from "../support/produce-files.ts";
import { calltally, type Finished, HAS_PROCESSES } from "../support/run.ts";
import { listFiles } from "../support/temp-folder.ts";
import { writeAccounts } from "./agency.ts";

type Record_ = Record<string, string>;
const tableOf = (text: string): Record_[] => parse(text, { columns: true, bom: true });

/** Cents of an amount as it is written, exactly. */
function toCents(amount = ""): bigint {
  const [, sign = "", whole = "", cents = ""] = /^(-?)(\d+)\.(\d{2})$/.exec(amount) ?? [];
  if (whole === "") throw new Error(`${JSON.stringify(amount)} is no amount of cents`);
  return BigInt(`${sign}${whole}${cents}`);
}

const sumCents = (rows: readonly Record_[]) =>
  rows.reduce((sum, { cost = "" }) => (cost === "" ? sum : sum + toCents(cost)), 0n);

/** Calls of October: two campaigns of Google, one of Meta, and one that nobody paid for. */
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

const CAMPAIGNS = [
  { name: "Brand (old name)", id: "111" },
  { name: "Generic", id: "222" },
  { name: "spring tune-up", id: "999" },
  { name: "Sprang Tune-Up", id: "1000" },
  { name: "Nobody calls, ever", id: "1001" },
] as const;

/** Whole amounts of cents that are the same each time, up to 5,000. */
function* amounts(seed: number): Generator<bigint> {
  for (
    let state = BigInt(seed);
    ;
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn
  ) {
    yield (state >> 33n) % 500_000n;
  }
}

type Style = (cents: bigint) => string;
const plain: Style = (cents) => `${cents / 100n}.${String(cents % 100n).padStart(2, "0")}`;
const grouped: Style = (cents) => plain(cents).replace(/\B(?=(\d{3})+\.)/g, ",");
const european: Style = (cents) => grouped(cents).replaceAll(",", " ").replace(".", ",").replaceAll(" ", ".");

/** Rows of a report of October, and what they cost in cents. */
function makeRows(
  count: number,
  {
    seed,
    firstDay = 1,
    days = 31,
    toRow,
  }: {
    seed: number;
    firstDay?: number;
    days?: number;
    toRow: (row: { day: number; name: string; id: string; cents: bigint }) => string;
  },
): { lines: string[]; cents: bigint } {
  const lines: string[] = [];
  let total = 0n;
  for (const cents of amounts(seed).take(count)) {
    const { name, id } = CAMPAIGNS[lines.length % CAMPAIGNS.length] ?? CAMPAIGNS[0];
    lines.push(toRow({ day: firstDay + (lines.length % days), name, id, cents }));
    total += cents;
  }
  return { lines, cents: total };
}

const two = (number: number) => String(number).padStart(2, "0");

async function run(args: string[], cwd: string, code = 0): Promise<Finished> {
  const finished = await calltally(args, { cwd });
  if (finished.code !== code) throw new Error(`Exit ${finished.code}: ${finished.stdout}${finished.stderr}`);
  return finished;
}

describe("calltally spend import and export --spend", () => {
  it("adds up 20,000 rows of three sources in five formats to the cent, in CSV, workbook and report alike", async () => {
    using warehouse = makeWarehouse(CALLS);
    const { database, folder } = warehouse;
    const file = (name: string) => join(folder, "..", name);
    const size = 4000;
    const utf16 = makeRows(size, {
      seed: 1,
      toRow: ({ day, name, id, cents }) =>
        [`Oct ${day}, 2026`, name, id, "USD", `"$${grouped(cents)}"`, '"1,000"', "7"].join("\t"),
    });
    writeFileSync(
      file("google-utf16.csv"),
      `\ufeffCampaign report\n"October 1, 2026 - October 31, 2026"\nDay\tCampaign\tCampaign ID\tCurrency code\tCost\tImpr.\tClicks\n${utf16.lines.join("\n")}\nTotal: Account\t--\t--\tUSD\t"${grouped(utf16.cents)}"\t--\t--\n`,
      "utf16le",
    );
    const google = makeRows(size, {
      seed: 2,
      toRow: ({ day, name, id, cents }) =>
        `2026-10-${two(day)},"${name}",${id},USD,"${grouped(cents)}",--,--`,
    });
    writeFileSync(
      file("google.csv"),
      `Untitled report\n"October 1, 2026 - October 31, 2026"\nDay,Campaign,Campaign ID,Currency code,Cost,Impr.,Clicks\n${google.lines.join("\n")}\nTotal: Campaigns,--,--,USD,"${grouped(google.cents)}",--,--\n`,
    );
    const microsoft = makeRows(size, {
      seed: 3,
      toRow: ({ day, name, id, cents }) =>
        `"10/${day}/2026","${name}","${id}","USD","10","1","${plain(cents)}"`,
    });
    writeFileSync(
      file("microsoft.csv"),
      `"Report Name: October"\r\n\r\n"Gregorian date","Campaign name","Campaign ID","Currency code","Impressions","Clicks","Spend"\r\n${microsoft.lines.join("\r\n")}\r\n\r\n"©2026 Microsoft Corporation. All rights reserved. "\r\n`,
    );
    const meta = makeRows(size, {
      seed: 4,
      days: 15,
      toRow: ({ day, name, id, cents }) => `"${name}",${id},2026-10-${two(day)},${plain(cents)},100,3`,
    });
    writeFileSync(
      file("meta.csv"),
      `\ufeffCampaign name,Campaign ID,Day,Amount spent (USD),Impressions,Link clicks\n,,,${plain(meta.cents)},,\n${meta.lines.join("\n")}\n`,
    );
    const mapped = makeRows(size, {
      seed: 5,
      firstDay: 16,
      days: 16,
      toRow: ({ day, name, id, cents }) =>
        `${two(day)}.10.2026;Facebook;"${name}";${id};${european(cents)} USD`,
    });
    writeFileSync(file("mapped.csv"), `Datum;Quelle;Kampagne;Nr.;Kosten\n${mapped.lines.join("\n")}\n`);
    const all = [utf16, google, microsoft, meta, mapped];
    const cents = all.reduce((sum, each) => sum + each.cents, 0n);

    const cwd = join(folder, "..");
    const db = ["--database", database];
    const first = await run(
      ["spend", "import", "google-utf16.csv", "google.csv", "microsoft.csv", "meta.csv", "--json", ...db],
      cwd,
    );
    const { files, sources } = JSON.parse(first.stdout);
    for (const { lines, rows, title_lines, total_lines, note_lines, blank_lines, left_out } of files) {
      const lists = [title_lines, total_lines, note_lines, blank_lines, left_out];
      expect(rows + lists.reduce((sum, { length }) => sum + length, 1)).toBe(lines);
      expect(rows).toBe(size);
    }
    expect(sources).toEqual([
      {
        source: "google",
        days: 31,
        first_day: "2026-10-01",
        last_day: "2026-10-31",
        rows: 2 * size,
        replaced_rows: 0,
        cost: Number(plain(utf16.cents + google.cents)),
      },
      {
        source: "bing",
        days: 31,
        first_day: "2026-10-01",
        last_day: "2026-10-31",
        rows: size,
        replaced_rows: 0,
        cost: Number(plain(microsoft.cents)),
      },
      {
        source: "facebook",
        days: 15,
        first_day: "2026-10-01",
        last_day: "2026-10-15",
        rows: size,
        replaced_rows: 0,
        cost: Number(plain(meta.cents)),
      },
    ]);
    const map = [
      "--map",
      "day=Datum,cost=Kosten,campaign=Kampagne",
      "--map",
      "campaign_id=Nr.,source=Quelle",
    ];
    const args = ["spend", "import", "mapped.csv", ...map, "--medium", "paid_social", ...db];
    for (const replaced of ["", `, in place of 4,000 earlier rows`]) {
      const { stdout } = await run(args, cwd);
      expect(stdout).toBe(
        `mapped.csv  columns by --map, 4,001 lines: 4,000 rows, 1 header\nfacebook  16 days, 2026-10-16 to 2026-10-31, 4,000 rows, ${plain(mapped.cents)} USD${replaced}\n`,
      );
    }

    writeFileSync(file("aliases.csv"), "raw,value\nfb,facebook\n");
    const options = { cwd, env: { CALLTALLY_ALIASES: "aliases.csv" } };
    const range = ["--from", "2026-10-01", "--to", "2026-10-31", ...db];
    const exported = ["export", "campaign", "source", "channel", "medium", "--spend", "--total", ...range];
    const done = await calltally([...exported, "--grain", "week", "--out", "csv"], options);
    expect(done.code).toBe(0);
    const read = (path: string) => readFileSync(join(cwd, path), "utf8");
    for (const name of ["campaign", "source", "channel", "medium"]) {
      const rows = tableOf(read(`csv/${name}.csv`));
      expect([name, sumCents(rows.slice(0, -1))]).toEqual([name, cents]);
      expect([name, toCents(rows.at(-1)?.cost)]).toEqual([name, cents]);
    }
    const manifest = JSON.parse(read("csv/manifest.json"));
    const [byId, byName, unmatched] = [[0, 1], [2], [3, 4]].map((indexes) => {
      const isOf = (_: unknown, index: number) => indexes.includes(index % CAMPAIGNS.length);
      const amountsOf = (seed: number) => [...amounts(seed).take(size)].filter(isOf);
      const list = [1, 2, 3, 4, 5].flatMap(amountsOf);
      return { rows: list.length, cost: Number(plain(list.reduce((sum, each) => sum + each, 0n))) };
    });
    expect(manifest.spend).toMatchObject({
      currency: "USD",
      rows: 5 * size,
      cost: Number(plain(cents)),
      days: { count: 31, first: "2026-10-01", last: "2026-10-31" },
      campaigns: { id: byId, name: byName, unmatched, unnamed: { rows: 0, cost: 0 } },
    });
    expect(manifest.files.slice(0, 4).map(({ sums }: { sums: Record<string, number> }) => sums.cost)).toEqual(
      Array.from({ length: 4 }, () => Number(plain(cents))),
    );
    // Of the 15 days of the one file of Meta each campaign has three.
    const days = (source: string) => (source === "facebook" ? "19" : "31");
    const aside = tableOf(read("csv/spend-unmatched.csv"));
    expect(
      aside
        .map(({ campaign, source, days, nearest_campaign }) => [campaign, source, days, nearest_campaign])
        .sort(),
    ).toEqual(
      ["bing", "facebook", "google"]
        .flatMap((source) => [
          ["Nobody calls, ever", source, days(source), ""],
          ["Sprang Tune-Up", source, days(source), "Spring  Tune-Up"],
        ])
        .sort(),
    );
    expect(Number(plain(sumCents(aside)))).toBe(unmatched?.cost);

    expect((await calltally([...exported, "--format", "xlsx", "--out", "xlsx"], options)).code).toBe(0);
    const workbook = readBySheetJs(readFileSync(join(cwd, "xlsx/calltally.xlsx")));
    for (const name of ["campaign", "source"]) {
      const [header = [], ...rows] = workbook[name] ?? [];
      const column = header.findIndex((cell) => cell?.shown === "Cost");
      const shown = rows.map((row) => row[column]?.shown).filter((text) => text !== undefined);
      const inCents = shown.map((text) => toCents(text.replaceAll(",", "").replace(/ ?USD$/, "")));
      expect(shown.every((text) => text.includes("USD"))).toBe(true);
      expect(inCents.slice(0, -1).reduce((sum, each) => sum + each, 0n)).toBe(cents);
      expect(inCents.at(-1)).toBe(cents);
    }

    expect((await calltally(["report", ...range, "--out", "page"], options)).code).toBe(0);
    const page = read("page/report.html");
    expect(page).toContain("Spend without calls: 2 campaigns");
    const section = page.slice(page.indexOf("<h2>Cost per qualified call"), page.indexOf("<h2>When calls"));
    const costs = [
      ...section.matchAll(/<\/th><td class="id">[^\n]*<\/td>\s*<td><data value="([\d.]+)">/g),
    ].map(([, value = ""]) => toCents(Number(value).toFixed(2)));
    expect(costs).toHaveLength(5);
    expect(costs.slice(0, -1).reduce((sum, each) => sum + each, 0n)).toBe(cents);
    expect(costs.at(-1)).toBe(cents);
    const counts = [...section.matchAll(/<td><data value="[\d.]+">[^\n]*\n<td><data value="(\d+)">/g)].map(
      ([, value]) => Number(value),
    );
    expect(counts).toHaveLength(5);
    expect(counts.slice(0, -1).reduce((sum, each) => sum + each, 0)).toBe(counts.at(-1));
    expect(JSON.parse(read("page/manifest.json")).files[0].sums.cost).toBe(Number(plain(cents)));
  });

  it("goes to campaigns of its own source first, by id and by name; refunds are no lowest cost", async () => {
    const campaigns = [
      ...Array(4).fill(["google", "Brand", "111"]),
      ...Array(2).fill(["bng", "Brand", "402"]),
      ...Array(4).fill(["google", "Shop", "7"]),
      ...Array(2).fill(["bng", "Offers", "7"]),
    ];
    const calls = campaigns.map(([utm_source, campaign_name, campaign_id], index) =>
      makeCall({
        call_id: index + 1,
        call_started: "2026-10-01T12:00:00.000Z",
        disposition: "answered",
        duration: 90,
        utm_source,
        campaign_name,
        campaign_id,
      }),
    );
    using warehouse = makeWarehouse(calls);
    const cwd = join(warehouse.folder, "..");
    const env = { CALLTALLY_ALIASES: "aliases.csv" };
    const db = ["--database", warehouse.database];
    writeFileSync(join(cwd, "aliases.csv"), "raw,value\nbng,bing\n");
    writeFileSync(
      join(cwd, "own.csv"),
      "day,cost,source,medium,campaign,campaign_id,currency\n2026-10-01,40,google,cpc,Brand,,EUR\n2026-10-01,4,bing,cpc,brand,,EUR\n2026-10-01,-8,google,cpc,Shop,7,EUR\n2026-10-01,6,bing,cpc,Shop,7,EUR\n2026-10-01,1,tiktok,cpc,Brand,,EUR\n",
    );
    await run(["spend", "import", "own.csv", ...db], cwd);
    const exported = await calltally(["export", "campaign", "--spend", "--stdout", ...db], { cwd, env });
    expect(
      tableOf(exported.stdout).map((row) =>
        ["campaign", "campaign_id", "calls", "cost"].map((name) => row[name]),
      ),
    ).toEqual([
      ["Brand", "111", "4", "41.00"],
      ["Shop", "7", "4", "-8.00"],
      ["Brand", "402", "2", "4.00"],
      ["Offers", "7", "2", "6.00"],
    ]);
    const days = ["--from", "2026-10-01", "--to", "2026-10-01", ...db];
    expect((await calltally(["report", ...days, "--out", "page"], { cwd, env })).code).toBe(0);
    const page = readFileSync(join(cwd, "page/report.html"), "utf8");
    expect(/<h2>(Cost per qualified call.*?)<\/h2>/s.exec(page)?.[1]?.replace(/<[^>]*>/g, "")).toBe(
      "Cost per qualified call: lowest for Brand [402], 2.00 EUR",
    );
  });

  it.skipIf(!HAS_PROCESSES)(
    "leaves out rows with their reasons (3), and imports nothing of files of which one cannot be used (2)",
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
        "Cannot import none.csv: none of its first 60 lines is the header of a report that is known",
      );
      const noCurrency = await calltally(["spend", "import", "some.csv", ...flags, ...db], { cwd });
      expect([noCurrency.code, noCurrency.stderr]).toEqual([
        2,
        "calltally: Cannot import spend: nothing says its currency\nGive --currency, such as --currency USD, or set CALLTALLY_CURRENCY.\n",
      ]);
      const count = () => run(["query", "SELECT count(*) AS n FROM spend", "--format", "csv", ...db], cwd);
      expect((await count()).stdout).toBe("n\r\n0\r\n");
      const partly = await run(["spend", "import", "some.csv", ...flags, "--currency", "usd", ...db], cwd, 3);
      const lines = partly.stdout.split("\n");
      expect(lines.slice(0, 4)).toEqual([
        "some.csv  columns by calltally's names, 27 lines: 1 row, 25 left out, 1 header",
        "google  1 day, 2026-10-01, 1 row, 1.50 USD",
        "Left out: 25 rows",
        '  some.csv:3  the cost "x0" is no number',
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
        "google  2 days, 2026-10-01 to 2026-10-02, 2 rows, 3.50 USD, in place of 1 earlier row",
        "Left out: 1 row",
        "  lf.csv:2  the same as line 2 of crlf.csv; --add adds it",
      ]);
      const added = await run([...both, "--add"], cwd, 0);
      expect(added.stdout).toContain("google  2 days, 2026-10-01 to 2026-10-02, 3 rows, 5.00 USD");
    },
  );

  it("counts spend of what the filter says of it, says which filters choose calls alone, and refuses what spend does not have", async () => {
    using warehouse = makeWarehouse(CALLS);
    const cwd = join(warehouse.folder, "..");
    const db = ["--database", warehouse.database];
    writeFileSync(
      join(cwd, "own.csv"),
      "day,cost,source,medium,campaign,campaign_id,currency\n2026-09-30,1,google,cpc,Brand,111,EUR\n2026-10-01,2,google,cpc,Brand,111,EUR\n2026-10-02,4,google,cpc,generic,,EUR\n2026-10-03,8,tiktok,paid_social,New,5,EUR\n2026-11-05,16,google,cpc,Brand,111,EUR\n",
    );
    await run(["spend", "import", "own.csv", ...db], cwd);
    const ask = async (...args: string[]) => {
      const { stdout, stderr } = await run(["export", ...args, "--spend", "--stdout", ...db], cwd);
      return { rows: tableOf(stdout), stderr };
    };
    const pick = (rows: Record_[], ...names: string[]) => rows.map((row) => names.map((name) => row[name]));
    const all = await ask("source");
    expect(pick(all.rows, "source", "calls", "cost", "cost_per_call", "cost_per_qualified_call")).toEqual([
      ["google", "20", "23.00", "1.15", "2.30"],
      ["fb", "10", "", "", ""],
      ["newsletter", "10", "", "", ""],
      ["tiktok", "0", "8.00", "", ""],
    ]);
    expect(pick((await ask("source", "--source", "TikTok")).rows, "source", "cost")).toEqual([
      ["tiktok", "8.00"],
    ]);
    expect(pick((await ask("campaign", "--campaign", "generic")).rows, "campaign", "calls", "cost")).toEqual([
      ["Generic", "10", "4.00"],
    ]);
    expect(pick((await ask("channel", "--channel", "Paid Social")).rows, "channel", "cost")).toEqual([
      ["Paid Social", "8.00"],
    ]);
    const answered = await ask("source", "--disposition", "answered", "--min-duration", "60");
    expect(answered.rows.reduce((sum, { cost = "" }) => sum + Number(cost), 0)).toBe(31);
    expect(answered.stderr).toContain(
      "--disposition, --min-duration choose calls alone: the costs are of all calls.",
    );
    // Days of spend before the first call and after the last have periods as well.
    const months = await ask("source", "--grain", "month", "--source", "google");
    expect(pick(months.rows, "period", "calls", "cost")).toEqual([
      ["2026-09", "0", "1.00"],
      ["2026-10", "20", "6.00"],
      ["2026-11", "0", "16.00"],
    ]);
    const top = await ask("campaign", "--top", "1");
    expect(pick(top.rows, "campaign", "calls", "cost")).toEqual([
      ["Brand", "10", "19.00"],
      ["(other)", "30", "12.00"],
    ]);
    const compared = await ask(
      "source",
      "--from",
      "2026-10-01",
      "--to",
      "2026-10-31",
      "--compare",
      "previous",
    );
    expect(pick(compared.rows, "source", "cost", "cost_previous", "cost_change")[0]).toEqual([
      "google",
      "6.00",
      "1.00",
      "5.0000",
    ]);
    const refusals: [string[], string][] = [
      [["utm_source"], "--spend applies to source, medium, campaign, channel, and not to utm_source"],
      [["--by", "source,weekday"], "and not to weekday"],
      [["calls"], "--spend applies only to rollups, and none was requested"],
      [[], "and not to utm_source"],
    ];
    for (const [args, message] of refusals) {
      const { code, stderr } = await calltally(["export", ...args, "--spend", ...db], { cwd });
      expect([code, stderr.includes(message)]).toEqual([2, true]);
    }
  });

  it("says that nothing was imported, with blank columns; a report shows costs only where there are any, or on request", async () => {
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

  it("is reported without any call, and then the files are not said to have no rows", async () => {
    using warehouse = makeWarehouse([]);
    const cwd = join(warehouse.folder, "..");
    const db = ["--database", warehouse.database];
    writeFileSync(
      join(cwd, "own.csv"),
      "day,cost,source,medium,campaign,currency\n2026-10-01,4,google,cpc,Brand,EUR\n",
    );
    await run(["spend", "import", "own.csv", ...db], cwd);
    const days = ["--from", "2026-10-01", "--to", "2026-10-31", ...db];
    const { stdout } = await run(["report", ...days, "--out", "page"], cwd);
    expect(stdout).not.toContain("have no rows");
    expect(stdout).toContain("Spend of campaigns that no call has: 4.00 EUR of 4.00.");
    expect(readFileSync(join(cwd, "page/report.html"), "utf8")).toContain("Spend without calls: 1 campaign");
    const { stdout: exported } = await run(["export", "campaign", "--spend", "--stdout", ...days], cwd);
    expect(tableOf(exported)).toMatchObject([{ campaign: "Brand", calls: "0", cost: "4.00" }]);
  });

  it("is a column of several accounts in one currency, and of named reports", async () => {
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
      "calltally: Cannot put costs of several currencies into one file: acme has USD, and beta EUR\nName accounts of one currency with --account, or leave out --spend.\n",
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
