import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeCall } from "../support/calls.ts";
import { makeWarehouse } from "../support/produce-files.ts";
import { calltally, type Finished } from "../support/run.ts";

const CALLS = Array.from({ length: 12 }, (_, index) =>
  makeCall({
    call_id: index + 1,
    call_started: `2026-0${index < 6 ? 8 : 9}-${String((index % 6) + 10)}T12:00:00.000Z`,
    caller_id: `+1512555010${index % 10}`,
    duration: 90,
    disposition: "answered",
    utm_source: index % 2 === 0 ? "google" : "newsletter",
    utm_medium: index % 2 === 0 ? "cpc" : "email",
  }),
);

async function run(args: string[], cwd: string, code = 0): Promise<Finished> {
  const finished = await calltally(args, { cwd });
  if (finished.code !== code) throw new Error(`Exit ${finished.code}: ${finished.stdout}${finished.stderr}`);
  return finished;
}

describe("calltally outcome", () => {
  it("imports, exports, lists and removes jobs, and later jobs restate exported figures", async () => {
    using warehouse = makeWarehouse(CALLS);
    const cwd = join(warehouse.folder, "..");
    const db = ["--database", warehouse.database];
    expect((await run(["outcome", "list", ...db], cwd)).stdout).toBe("No jobs have been imported.\n");
    writeFileSync(
      join(cwd, "jobs.csv"),
      "job id,call id,phone,date,status,amount\nA,1,,2026-08-20,sold,100\nB,,5125550102,2026-08-20,booked,\n=1+1,,+15125550999,2026-08-20,sold,5\n,,,,,\nC,2,,soon,sold,1\n",
    );
    const args = ["outcome", "import", "jobs.csv", "--country-code", "+1", ...db];
    const refused = await run(args, cwd, 2);
    expect(refused.stderr).toBe(
      "calltally: Cannot import revenue: its currency is unknown\nPass --currency, such as --currency USD, or give it as the setting currency.\n",
    );
    const imported = await run([...args, "--currency", "USD"], cwd, 3);
    expect(imported.stdout).toBe(
      [
        "jobs.csv  3 jobs, 2 with a call; revenue 100.00 USD",
        "Left out: 1; without a call: 1; all are in outcomes-unmatched.csv",
        "  jobs.csv:4  no call has this number",
        '  jobs.csv:6  "soon" is not a date',
        "Of 3 imported jobs, 2 (66.6%) have a call: figures leave out the others.",
        "",
      ].join("\n"),
    );
    const unmatched = join(cwd, "outcomes-unmatched.csv");
    expect(readFileSync(unmatched, "utf8")).toBe(
      'file,line,job_id,kind,reason\r\njobs.csv,4,\'=1+1,unmatched,no call has this number\r\njobs.csv,6,,left out,"""soon"" is not a date"\r\n',
    );
    expect(statSync(unmatched).mode & 0o777).toBe(0o600);
    const json = JSON.parse((await run([...args, "--json"], cwd, 3)).stdout);
    expect(json).toMatchObject({
      currency: "USD",
      files: [{ file: "jobs.csv", jobs: 3, matched: 2, revenue: 100 }],
      left_out: 1,
      unmatched: 1,
      statements: [{ id: "unmatched_jobs", values: { jobs: 3, matched: 2 } }],
    });

    const exporting = ["export", "source", "--outcomes", "--grain", "month", "--out", "out", ...db];
    const days = [
      "--from",
      "2026-08-01",
      "--to",
      "2026-08-31",
      "--columns",
      "calls,booked_calls,sold_calls,revenue",
    ];
    await run([...exporting, ...days, "--total"], cwd);
    const readExport = () => readFileSync(join(cwd, "out/source.csv"), "utf8").split("\r\n").slice(1, -1);
    expect(readExport()).toEqual([
      "2026-08,google,3,2,1,100.00",
      "2026-08,newsletter,3,0,0,0.00",
      "(total),,6,2,1,100.00",
    ]);
    const manifest = () => JSON.parse(readFileSync(join(cwd, "out/manifest.json"), "utf8"));
    expect(manifest().outcomes).toEqual({ currency: "USD", revenue_by: "call", jobs: 3, matched: 2 });

    writeFileSync(join(cwd, "late.csv"), "job id,call id,date,status,amount\nD,2,2026-09-20,sold,50\n");
    await run(["outcome", "import", "late.csv", ...db], cwd);
    await run([...exporting, ...days, "--total", "--replace"], cwd);
    expect(readExport()[1]).toBe("2026-08,newsletter,3,1,1,50.00");
    const restated = readFileSync(join(cwd, "out/restatements.csv"), "utf8").split("\r\n").slice(1, -1);
    expect(restated.map((line) => /,(booked_calls|sold_calls|revenue),/.exec(line)?.[1])).toEqual([
      "booked_calls",
      "sold_calls",
      "revenue",
    ]);
    expect((await run(["restatements", ...db], cwd)).stdout).toMatch(
      /1 call with changed jobs: 2\n.*revenue 0 → 50 \(\+50\)/s,
    );

    // By the date of the job it belongs to September.
    const byJob = [
      "export",
      "source",
      "--outcomes",
      "--revenue-by",
      "job-date",
      "--grain",
      "month",
      "--stdout",
      ...db,
    ];
    expect(
      (await run([...byJob, "--columns", "calls,revenue", "--from", "2026-09-01", "--to", "2026-09-30"], cwd))
        .stdout,
    ).toBe("period,source,calls,revenue\r\n2026-09,google,3,0.00\r\n2026-09,newsletter,3,50.00\r\n");
    const sold = await run(["export", "calls", "--outcome", "sold", "--stdout", ...db], cwd);
    expect(sold.stdout.trimEnd().split("\r\n")).toHaveLength(3);

    expect((await run(["outcome", "remove", "3", ...db], cwd)).stdout).toBe(
      "Removed 1 job of jobs from late.csv: 50.00 USD\n",
    );
    expect(
      (await run(["outcome", "list", ...db], cwd)).stdout.replaceAll(/\d{4}-\d\d-\d\dT\S+/g, "TIME"),
    ).toBe(
      [
        "number  imported_at               file      source  jobs  matched  left  revenue     state",
        "     3  TIME  late.csv  jobs       1        1     0  no amounts  removed",
        "     2  TIME  jobs.csv  jobs       3        2     2  100.00 USD  in use",
        "     1  TIME  jobs.csv  jobs       3        2     0  no amounts  replaced by 2",
        "",
      ].join("\n"),
    );
    expect((await run(["outcome", "remove", "1", ...db], cwd, 2)).stderr).toContain(
      "import 2 has replaced all its rows",
    );
  });
});
