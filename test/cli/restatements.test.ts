import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import type { Call } from "../../src/call.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { makeCall } from "../support/calls.ts";
import { foldRollup, METRICS } from "../support/fold.ts";
import { readTables } from "../support/page.ts";
import { makeWarehouse } from "../support/produce-files.ts";
import { calltally, settingsFor } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const SUMS = METRICS.filter((name) => /calls$|^first_time|^total/.test(name));
const REASONS = ["late", "corrected", "gone", "returned", "rules", "first_call"];
const MONTHS = ["2025-05", "2025-06", "2025-07", "2025-08"];
const RANGE = { from: "2025-06-01", to: "2025-08-31" };

interface Rules {
  qualified_seconds: number;
  aliases: Record<string, string>;
}

/** What the sandbox shows, as the fold in memory takes it. */
function callsOf({ calls }: Sandbox): Call[] {
  return calls.ids.map((id) => {
    const { dni_data, transcription_details: _, ...call } = { ...calls.get(id) };
    const members = { ...call, ...(dni_data as object) };
    const texts = Object.entries(members).filter(([, value]) => value !== "");
    return makeCall(Object.fromEntries<unknown>(texts));
  });
}

/** The figures by period and source, of months that have ended. */
function foldBySource(calls: readonly Call[], { qualified_seconds, aliases }: Rules) {
  const rows = foldRollup(calls, {
    dimensions: ["source"],
    rules: {
      answered: ["answered", "transferred"],
      missed: ["no answer", "busy", "failed", "voicemail", "abandoned"],
      qualified_seconds,
      duration_unit: "seconds",
      aliases,
    },
    span: { startsAt: `${RANGE.from}T00:00:00.000Z`, endsAt: "2025-09-01T00:00:00.000Z" },
    periods: MONTHS.map((period) => ({ period, startsAt: `${period}-01T00:00:00.000Z` })),
  });
  return new Map(rows.map(([period, source, ...figures]) => [`${period} ${source}`, figures]));
}

const figure = (rows: ReturnType<typeof foldBySource>, cell: string, metric: string) =>
  rows.get(cell)?.[METRICS.indexOf(metric)] ?? null;

describe("calltally restatements", () => {
  it("takes the day of --since in the time zone", async () => {
    using warehouse = makeWarehouse([]);
    warehouse.execute(`INSERT INTO restatements (found_at, path, contents, period, starts_at, ends_at, key, metric, was, now,
      given_out_at, reasons) VALUES ('2026-10-31T23:30:00.000Z', '/out/source.csv', 'source', '2026-09',
      '2026-09-01', '2026-10-01', '{"source":"google"}', 'calls', '1', '2', '2026-10-30T07:00:00.000Z', '[]')`);
    const count = async (timezone: string) => {
      const flags = ["--since", "2026-11-01", "--timezone", timezone, "--database", warehouse.database];
      const { stdout } = await calltally(["restatements", ...flags, "--json"], { cwd: "/" });
      return JSON.parse(stdout).length;
    };
    expect([await count("Europe/Berlin"), await count("UTC")]).toEqual([1, 0]);
  });
});

describe("export, the second time", () => {
  it("finds every figure that late, corrected and removed calls, an alias and another rule have changed, and says how many calls each", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 600, now: new Date("2025-08-31T20:00:00Z") });
    const env: Record<string, string> = { ...settingsFor(sandbox), CALLTALLY_GONE_AFTER_HOURS: "0" };
    const run = (...args: string[]) => calltally(args, { cwd: folder.path, env });
    const write = () =>
      run("export", "source", "--grain", "month", "--from", RANGE.from, "--to", RANGE.to, "--out", "out");
    const restatements = join(folder.path, "out", "restatements.csv");

    const rules: Rules = { qualified_seconds: 60, aliases: {} };
    expect(await run("sync", "--full")).toMatchObject({ code: 0 });
    const before = callsOf(sandbox);
    const then = foldBySource(before, rules);
    expect((await write()).stdout).not.toContain("restatements.csv");
    const report = async () => {
      await run("report", "--from", RANGE.from, "--to", RANGE.to, "--grain", "month", "--out", "page");
      return readFileSync(join(folder.path, "page/report.html"), "utf8");
    };
    expect(await report()).not.toContain("What moved since");

    // By hours of the past, as calls come late; corrections and removals by an index, so that all sources have some.
    const late = ["2025-06-03", "2025-07-15", "2025-08-20", "2025-08-20"].map((day, index) =>
      sandbox.calls.insert({
        call_started: `${day}T1${index}:30:00.000Z`,
        disposition: "ANSWERED",
        duration: 300,
      }),
    );
    const ids = before.map(({ call_id }) => call_id);
    const removed = ids.filter((_, index) => index % 100 === 50);
    const corrected = ids.filter((_, index) => index % 40 === 7);
    for (const id of removed) sandbox.calls.remove(id);
    for (const id of corrected) sandbox.calls.edit(id, { disposition: "BUSY", duration: 0 });
    expect(await run("sync", "--full")).toMatchObject({ code: 0 });
    expect(await run("sync", "--full")).toMatchObject({ code: 0 });
    writeFileSync(join(folder.path, "aliases.csv"), "raw,value\nfb,facebook\nbing,google\n");
    env.CALLTALLY_ALIASES = "aliases.csv";
    env.CALLTALLY_QUALIFIED_SECONDS = "90";
    const changed: Rules = { qualified_seconds: 90, aliases: { fb: "facebook", bing: "google" } };
    const now = foldBySource(callsOf(sandbox), changed);

    const written = await write();
    const lines: Record<string, string>[] = parse(readFileSync(restatements), { columns: true });
    const cells = [...new Set([...then.keys(), ...now.keys()])];
    const expected = cells.flatMap((cell) =>
      METRICS.flatMap((metric) => {
        const none = SUMS.includes(metric) || metric === "unique_callers" ? 0 : null;
        const [was, is] = [then, now].map((rows) => figure(rows, cell, metric) ?? none);
        return was === is ? [] : [`${cell} ${metric} ${was ?? ""} ${is ?? ""}`];
      }),
    );
    expect(expected.length).toBeGreaterThan(50);
    expect(
      lines
        .map(
          ({ period, key = "", metric, was, now }) =>
            `${period} ${JSON.parse(key).source} ${metric} ${was} ${now}`,
        )
        .sort(),
    ).toEqual(expected.sort());
    expect(written.stdout).toMatch(
      new RegExp(
        `${expected.length} figures exported on \\d{4}-\\d\\d-\\d\\d have changed: see restatements.csv`,
      ),
    );

    for (const line of lines.filter(({ metric = "" }) => SUMS.includes(metric))) {
      const effects = REASONS.map((reason) => Number(line[`${reason}_effect`]));
      expect(effects.reduce((sum, effect) => sum + effect, 0)).toBe(Number(line.now) - Number(line.was));
      expect(Number(line.change)).toBe(Number(line.now) - Number(line.was));
    }
    const calls = lines.filter(({ metric }) => metric === "calls");
    const told = (reason: string) => calls.reduce((sum, line) => sum + Number(line[`${reason}_calls`]), 0);
    const gone = before.filter(
      ({ call_id, call_started }) => removed.includes(call_id) && (call_started ?? "") >= RANGE.from,
    );
    expect({ late: told("late"), gone: told("gone"), corrected: told("corrected") }).toEqual({
      late: late.length,
      gone: gone.length,
      corrected: 0,
    });
    expect(new Set(lines.map(({ rules_changed }) => rules_changed))).toContain("qualified_seconds, aliases");
    const { restatements: compared } = JSON.parse(
      readFileSync(join(folder.path, "out/manifest.json"), "utf8"),
    );
    expect(compared).toMatchObject({
      rollups: [{ file: "source.csv", contents: "source", restated_cells: expected.length }],
      file: { file: "restatements.csv", rows: expected.length },
    });

    const table = readTables(await report()).find(({ title }) => title.startsWith("What moved since"));
    const calledNow = MONTHS.slice(1).map((month) => {
      const count = (rows: typeof then) =>
        [...rows].reduce((sum, [cell, [calls]]) => sum + (cell.startsWith(month) ? Number(calls) : 0), 0);
      return [month, "Calls", count(then), count(now), count(now) - count(then)];
    });
    expect(
      table?.rows
        .filter(([, name]) => name?.text === "Calls")
        .map(([month, name, ...figures]) => [
          month?.text,
          name?.text,
          ...figures.slice(0, 3).map(({ value }) => value),
        ]),
    ).toEqual(calledNow.filter(([, , , , change]) => change !== 0));

    const listed = await run("restatements", "--since", "2000-01-01");
    expect(listed).toMatchObject({ code: 0, stderr: "" });
    expect(listed.stdout).toContain("came late");
    expect(Math.max(...listed.stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    const asJson = await run("restatements", "--json");
    const ofExport = (text: string) =>
      JSON.parse(text).filter(({ path }: { path: string }) => path.endsWith("/source.csv"));
    expect(ofExport(asJson.stdout)).toHaveLength(expected.length);
    expect((await run("restatements", "--since", "2100-01-01")).stdout).toBe("No restatements.\n");

    expect((await write()).stdout).not.toContain("restatements.csv");
    expect(existsSync(restatements)).toBe(false);
    expect(ofExport((await run("restatements", "--json")).stdout)).toHaveLength(expected.length);
  });

  it("finds what other spend has changed: of costs the whole change, of costs per call no effect of its own", async () => {
    const calls = [1, 2, 3, 4].map((call_id) =>
      makeCall({
        call_id,
        call_started: "2026-08-01T12:00:00.000Z",
        caller_id: `+49${call_id}`,
        disposition: "answered",
        duration: 90,
        utm_source: "google",
        campaign_name: "Brand",
      }),
    );
    using warehouse = makeWarehouse(calls);
    const cwd = join(warehouse.folder, "..");
    const db = ["--database", warehouse.database];
    const run = async (...args: string[]) => {
      const finished = await calltally([...args, ...db], { cwd });
      expect(finished).toMatchObject({ code: 0 });
      return finished.stdout;
    };
    const load = (cost: string) => {
      const header = "day,cost,clicks,source,medium,campaign,currency";
      writeFileSync(join(cwd, "own.csv"), `${header}\n2026-08-01,${cost},google,cpc,Brand,EUR\n`);
      return run("spend", "import", "own.csv");
    };
    const range = ["--from", "2026-08-01", "--to", "2026-08-31"];
    const write = () => run("export", "campaign", "--grain", "month", "--spend", ...range, "--out", "out");

    await load("10,7");
    expect(await write()).not.toContain("restatements.csv");
    await load("12.50,7");
    expect(await write()).toContain("have changed: see restatements.csv");
    const lines: Record<string, string>[] = parse(readFileSync(join(cwd, "out/restatements.csv")), {
      columns: true,
    });
    const names = ["period", "metric", "was", "now", "change", "spend_changed_effect"];
    expect(lines.map((line) => names.map((name) => line[name]))).toEqual([
      ["2026-08", "cost", "10", "12.5", "2.5", "2.5"],
      ["2026-08", "cost_per_call", "2.5", "3.13", "0.63", ""],
      ["2026-08", "cost_per_qualified_call", "2.5", "3.13", "0.63", ""],
      ["2026-08", "cost_per_first_time_caller", "2.5", "3.13", "0.63", ""],
    ]);
    const listed = JSON.parse(await run("restatements", "--json"));
    expect(listed.map(({ metric, reasons }: Record<string, unknown>) => [metric, reasons])).toEqual([
      ["cost", [{ reason: "spend_changed", calls: null, effect: 2.5 }]],
      ["cost_per_call", [{ reason: "spend_changed", calls: null, effect: null }]],
      ["cost_per_qualified_call", [{ reason: "spend_changed", calls: null, effect: null }]],
      ["cost_per_first_time_caller", [{ reason: "spend_changed", calls: null, effect: null }]],
    ]);
    expect(await write()).not.toContain("restatements.csv");
  });
});
