import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readText } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { makeCallsFolder } from "../folder.ts";

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

describe("calltally outcome", () => {
  it("imports, exports, lists and removes jobs", async () => {
    using folder = makeCallsFolder(CALLS);
    const { path, run, say, write } = folder;
    expect(await say("outcome list")).toBe("No jobs have been imported.\n");
    write(
      "jobs.csv",
      `job id,call id,phone,date,status,amount
A,1,,2026-08-20,sold,100
B,,5125550102,2026-08-20,booked,
=1+1,,+15125550999,2026-08-20,sold,5
,,,,,
C,2,,soon,sold,1
`,
    );
    const line = "outcome import jobs.csv --country-code +1";
    expect(await run(line)).toMatchObject({
      code: 2,
      stderr:
        "calltally: Cannot import revenue: its currency is unknown\nPass --currency, such as --currency USD, or give it as the setting currency.\n",
    });
    expect(await run(`${line} --currency USD`)).toMatchObject({
      code: 3,
      stdout: `jobs.csv  3 jobs, 2 with a call; revenue 100.00 USD
  amounts: 100.00 USD imported, 5.00 USD without a call, 1.00 USD left out
Left out: 1; without a call: 1; all are in outcomes-unmatched.csv
  jobs.csv:4  no call has this number
  jobs.csv:6  "soon" is not a date
Of 3 imported jobs, 2 (66.6%) have a call: figures leave out the others.
`,
    });
    expect(readText(path, "outcomes-unmatched.csv")).toBe(
      'file,line,job_id,kind,reason\r\njobs.csv,4,\'=1+1,unmatched,no call has this number\r\njobs.csv,6,,left out,"""soon"" is not a date"\r\n',
    );
    expect(statSync(join(path, "outcomes-unmatched.csv")).mode & 0o777).toBe(0o600);
    expect(JSON.parse((await run(`${line} --json`)).stdout)).toMatchObject({ left_out: 1, unmatched: 1 });

    const exporting = "export source --outcomes --grain month";
    const august =
      "--out out --from 2026-08-01 --to 2026-08-31 --columns calls,booked_calls,sold_calls,revenue";
    await say(`${exporting} ${august} --total`);
    const linesOf = (file: string) => readText(path, file).split("\r\n").slice(1, -1);
    expect(linesOf("out/source.csv")).toEqual([
      "2026-08,2026-08-01,google,3,2,1,100.00",
      "2026-08,2026-08-01,newsletter,3,0,0,0.00",
      "(total),,,6,2,1,100.00",
    ]);
    expect(JSON.parse(readText(path, "out/manifest.json")).outcomes).toEqual({
      currency: "USD",
      revenue_by: "call",
      jobs: 3,
      matched: 2,
    });

    write("late.csv", "job id,call id,date,status,amount\nD,2,2026-09-20,sold,50\n");
    await say("outcome import late.csv");
    await say(`${exporting} ${august} --total`);
    expect(linesOf("out/source.csv")[1]).toBe("2026-08,2026-08-01,newsletter,3,1,1,50.00");

    expect((await say("export calls --outcome sold --stdout")).trimEnd().split("\r\n")).toHaveLength(3);

    expect(await say("outcome remove 3")).toBe("Removed 1 job of jobs from late.csv: 50.00 USD\n");
    expect((await say("outcome list")).replaceAll(/\d{4}-\d\d-\d\dT\S+/g, "TIME")).toBe(
      `number  imported_at               file      source  jobs  matched  left  revenue     state
     3  TIME  late.csv  jobs       1        1     0  no amounts  removed
     2  TIME  jobs.csv  jobs       3        2     2  100.00 USD  in use
     1  TIME  jobs.csv  jobs       3        2     0  no amounts  replaced by 2
`,
    );
    expect(await run("outcome remove 1")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("import 2 has replaced all its rows"),
    });
  });

  it("leaves its input as it was if --unmatched names it", async () => {
    using folder = makeCallsFolder(CALLS);
    const jobs = "phone,date,stage\n5125550199,2026-10-11,sold\n";
    folder.write("jobs.csv", jobs);
    for (const name of ["jobs.csv", "./data/../jobs.csv"])
      expect(await folder.run(`outcome import jobs.csv --country-code 1 --unmatched ${name}`)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("this command reads it"),
      });
    expect(readText(folder.path, "jobs.csv")).toBe(jobs);
  });
});
