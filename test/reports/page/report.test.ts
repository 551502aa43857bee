import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { hasCommand } from "../../support/commands.ts";
import { readCsv, readHeadline, readTables } from "../../support/page.ts";
import { calltally } from "../../support/run.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const ZONE = "America/New_York";
const SCOPE = ["--last", "4w", "--timezone", ZONE];
const DATABASE = ["--database", "data/demo/calltally.db"];

type Rows = ReturnType<typeof readCsv>;

describe("calltally report, compared with export of the same calls", () => {
  const folder = makeTempFolder();
  let page = "";
  const read = async (...args: string[]): Promise<Rows> => {
    const { code, stdout } = await calltally(
      ["export", ...args, ...SCOPE, ...DATABASE, "--stdout", "--profile", "machine"],
      {
        cwd: folder.path,
      },
    );
    expect(code).toBe(0);
    return readCsv(stdout);
  };
  const tableOf = (label: string) => {
    const found = readTables(page).find((table) => table.label === label);
    if (found === undefined) throw new Error(`The page has no table "${label}"`);
    return found;
  };

  beforeAll(async () => {
    await calltally(["demo"], { cwd: folder.path });
    const { code, stderr } = await calltally(["report", ...SCOPE, ...DATABASE], { cwd: folder.path });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    page = readFileSync(join(folder.path, "data/exports/report/report.html"), "utf8");
    return () => folder[Symbol.dispose]();
  });

  it("shows the headline of the total, compared with the previous days", async () => {
    const total = (await read("channel", "--compare", "previous", "--total")).at(-1) ?? {};
    const tileOf = (row: typeof total, name: string) => [
      row[name],
      row[`${name}_change`],
      row[`${name}_previous`],
    ];
    const tile = (name: string) => tileOf(total, name);
    const earned = (await read("channel", "--outcomes", "--compare", "previous", "--total")).at(-1) ?? {};
    const returned = await read("campaign", "--outcomes", "--spend", "--total");
    const { return_on_ad_spend } = returned.find(({ campaign }) => campaign === "(with spend)") ?? {};
    const spent = await read("campaign", "--spend", "--compare", "previous", "--total");
    const paid = spent.find(({ campaign }) => campaign === "(with spend)") ?? {};
    const cost = (name: string) => [paid[name], paid[`${name}_change`], paid[`${name}_previous`]];
    const [hasSpend, hasJobs] = [hasCommand("spend import"), hasCommand("outcome import")];
    const tiles = [
      ["Calls", tile("calls")],
      ["Cost, USD", cost("cost"), hasSpend],
      ["Qualified calls", tile("qualified_calls")],
      ["Cost per qualified call, USD", [...cost("cost_per_qualified_call"), paid.qualified_calls], hasSpend],
      ["Answer rate", tile("answer_rate")],
      ["Missed calls", tile("missed_calls")],
      ["First-time callers", [total.first_time_callers]], // the demo's calls begin fewer than 90 days before
      ["Cost per call, USD", [...cost("cost_per_call"), paid.calls], hasSpend],
      ["Booked calls", tileOf(earned, "booked_calls"), hasJobs],
      ["Revenue, USD", tileOf(earned, "revenue"), hasJobs],
      ["Return on ad spend", [return_on_ad_spend], hasSpend && hasJobs],
    ] as const;
    expect([...readHeadline(page)]).toEqual(
      tiles.flatMap(([name, values, isThere = true]) => (isThere ? [[name, values]] : [])),
    );
    expect(Number(total.calls)).toBeGreaterThan(1000);
    if (hasJobs) expect(Number(earned.revenue)).toBeGreaterThan(1000);
  });

  it.each(["channel", "source", "campaign"])("shows the rows of %s and their total", async (dimension) => {
    const rows = await read(dimension, "--compare", "previous", "--total");
    const keys = dimension === "campaign" ? ["campaign", "campaign_id"] : [dimension];
    const figures = [
      "calls",
      "calls_change",
      "answer_rate",
      "answer_rate_change",
      "missed_calls",
      "qualified_calls",
      "first_time_callers",
    ];
    const expected = rows
      .filter(({ calls }) => Number(calls) > 0)
      .map((row) => [keys.flatMap((name) => row[name] ?? []).join(" "), ...figures.map((name) => row[name])]);
    const { rows: shown } = tableOf(`Calls by ${dimension}`);
    const ours = shown.filter(([name]) => !name?.text.startsWith("(other)"));
    expect(ours.map((row) => row.map(({ text, value }, index) => (index === 0 ? text : value)))).toEqual(
      expected,
    );
    // Rounded once, from counts, not from the rate in the file.
    const rates = rows
      .filter(({ calls }) => Number(calls) > 0)
      .map(
        (row) => `${(Math.round((1000 * Number(row.answered_calls)) / Number(row.calls)) / 10).toFixed(1)}%`,
      );
    expect(ours.map((cells) => cells[3]?.text)).toEqual(rates);
    expect(shown.length).toBeGreaterThan(4);
  });

  it("shows the calls of each day by outcome, channel, and first-time callers", async () => {
    const days = await read("channel", "--grain", "day");
    const sumsOf = (name: string) =>
      Object.values(Object.groupBy(days, ({ period }) => String(period))).map((rows = []) =>
        rows.reduce((sum, row) => sum + Number(row[name]), 0),
      );
    const column = (title: RegExp, index: number) =>
      readTables(page)
        .find((table) => title.test(table.title) && table.head[0] === "Period")
        ?.rows.map((row) => row[index]?.value);
    expect(column(/calls in 28 days/, 1)).toEqual(sumsOf("calls"));
    expect(column(/calls in 28 days/, 2)).toEqual(sumsOf("answered_calls"));
    expect(column(/calls in 28 days/, 3)).toEqual(sumsOf("missed_calls"));
    expect(column(/called for the first time/, 2)).toEqual(sumsOf("first_time_callers"));
    const byChannel = readTables(page).find(({ label }) => label === "Calls by channel and day, numbers");
    const calls = new Map(days.map(({ period, channel, calls }) => [`${period} ${channel}`, calls]));
    for (const [period, ...cells] of byChannel?.rows ?? []) {
      expect(cells.map(({ value }) => value)).toEqual(
        byChannel?.head.slice(1).map((channel) => calls.get(`${period?.text} ${channel}`) ?? 0),
      );
    }
    expect(byChannel?.rows).toHaveLength(28);
  });

  it("shows the week by hours for calls and missed calls", async () => {
    const hours = await read("--by", "weekday,hour");
    const weeks = readTables(page).filter(({ head }) => head[0] === "Weekday");
    expect(weeks).toHaveLength(2);
    for (const [index, name] of ["calls", "missed_calls"].entries()) {
      const known = new Map(
        hours.map((row) => [`${row.weekday} ${String(row.hour).padStart(2, "0")}`, row[name]]),
      );
      for (const [day, ...cells] of weeks[index]?.rows ?? []) {
        expect(cells.map(({ value }) => value)).toEqual(
          Array.from(
            { length: 24 },
            (_, hour) => known.get(`${day?.text} ${String(hour).padStart(2, "0")}`) ?? 0,
          ),
        );
      }
    }
  });

  it("counts calls by duration like a fold over the list of calls", async () => {
    const calls = await read("calls");
    const table = readTables(page).find(({ head }) => head[0] === "Duration");
    const bounds = [0, 30, 60, 120, 300, 600, 1800, Number.POSITIVE_INFINITY];
    const bands = bounds.slice(0, -1).map((from, index) => {
      const within = calls.filter(
        ({ duration_seconds: seconds }) =>
          seconds !== null && Number(seconds) >= from && Number(seconds) < Number(bounds[index + 1]),
      );
      return [
        within,
        within.filter(({ outcome }) => outcome === "answered"),
        within.filter(({ outcome }) => outcome === "missed"),
      ].map(({ length }) => length);
    });
    const without = calls.filter(({ duration_seconds }) => duration_seconds === null).length;
    const shown = table?.rows.map(([, ...cells]) => cells.map(({ value }) => value)) ?? [];
    expect(shown.slice(0, bands.length)).toEqual(bands);
    expect(shown.slice(bands.length).map(([count]) => count)).toEqual(without > 0 ? [without] : []);
  });

  it("names no change if chance explains them all", async () => {
    const rows = await Promise.all(
      ["channel", "source", "campaign"].map((dimension) => read(dimension, "--compare", "previous")),
    );
    expect(page).toContain("Nothing moved beyond chance");
    expect(page).toContain(`None of ${rows.flat().length} comparisons with `);
  });

  it("describes its basis with a fingerprint that can be recomputed", () => {
    const manifest = JSON.parse(readFileSync(join(folder.path, "data/exports/report/manifest.json"), "utf8"));
    const { fingerprint, files, statements: _, ...head } = manifest;
    const described = files.map(({ file, bytes, sha256, ...rest }: Record<string, unknown>) => rest);
    expect(fingerprint).toBe(hash("sha256", JSON.stringify({ ...head, files: described })));
    expect(page).toContain(fingerprint);
    expect(files[0]).toMatchObject({ file: "report.html", sha256: hash("sha256", page) });
    expect(page).toMatch(
      /Complete as of \d+ \w{3} \d{4} \d\d:\d\d \(UTC-0[45]:00\)\.<\/strong> Run 1 proved/,
    );
    expect(page).toContain("These calls are made up");
    expect(page).toContain("newest start first");
  });

  it("writes no scripts, inline styles or external resources, and a policy that forbids them", () => {
    expect(page).not.toMatch(/<script|<link|<img|<iframe|javascript:| style=| on\w+=/i);
    expect([...page.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, address]) => address)).toEqual(["#basis"]);
    const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? "";
    expect(page.match(/<style/g)).toHaveLength(1);
    expect(page).toContain(
      `default-src &#39;none&#39;; style-src &#39;sha256-${hash("sha256", style, "base64")}&#39;`,
    );
  });

  it("writes the same page for the same calls, as a file and on standard output", async () => {
    const again = await calltally(["report", ...SCOPE, ...DATABASE, "--stdout"], { cwd: folder.path });
    expect(again.stdout).toBe(page);
    expect(again.stderr).toMatch(/^These calls are made up: calltally demo made the warehouse\.$/m);
  });

  it("reports that days have no calls", async () => {
    const { code, stdout, stderr } = await calltally(
      ["report", "--from", "2019-01-01", "--to", "2019-01-31", ...DATABASE, "--stdout"],
      { cwd: folder.path },
    );
    expect(code).toBe(0);
    expect(stdout).toContain("No calls in these days.");
    expect(stdout).toContain("before the first call in the copy");
    expect(stderr).toContain("No call in the warehouse matches: ");
  });

  it.each([
    { args: ["--from", "2026-10-01"], says: "A report needs --from and --to, or --last" },
    { args: ["--last", "4q"], says: "4q" },
    { args: ["--channel", "paid serch"], says: "Paid Search" },
    { args: ["--source", "gogle"], says: "google" },
    { args: ["--stdout", "--out", "here"], says: "with --stdout, which writes no" },
    { args: ["--stdout", "--json"], says: "with --stdout, which writes no" },
    { args: ["--from", "1950-01-01", "--to", "2026-01-01", "--grain", "day"], says: "the maximum is 4000" },
  ])("refuses $args with exit code 2 and does not change the page", async ({ args, says }) => {
    const { code, stdout, stderr } = await calltally(["report", ...args, ...DATABASE], { cwd: folder.path });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(says);
    expect(readdirSync(join(folder.path, "data/exports/report")).sort()).toEqual([
      "manifest.json",
      "report.html",
    ]);
    expect(readFileSync(join(folder.path, "data/exports/report/report.html"), "utf8")).toBe(page);
  });
});
