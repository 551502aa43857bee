import { relative } from "node:path";
import { expect, it } from "vitest";
import {
  callersOf,
  daysAgo,
  NUMBER,
  OTHER,
  PERSON,
  type Row,
  serve,
} from "../../cli/privacy/forget-service.ts";
import { readText } from "../../support/temp-folder.ts";
import { findTraces } from "../../support/warehouses/forgettable.ts";

it("forget finds files by former values of a caller: client ids, and a number known only by its hash", async () => {
  const dni_data = { google_analytics_cid: "123.456", utm_source: "google" };
  const rows: Row[] = [
    { call_id: 1, caller_id: NUMBER, call_started: daysAgo(0.5), dni_data },
    { call_id: 2, caller_id: OTHER, call_started: daysAgo(1), dni_data: { google_analytics_cid: "7.8" } },
  ];
  await using made = await serve(rows);
  const { run, sync, path, data, env } = made;
  await sync("--full");
  const write = async (contents: string) => {
    const { code, stderr } = await run(`export ${contents} --conversion-name call`);
    expect([0, 3], stderr).toContain(code);
  };
  const events = "ga4-events --measurement-id G-ABC123";
  for (const contents of ["google-leads", events, `${events} --out again`]) await write(contents);
  expect(readText(path, "again/ga4-events.csv")).toContain("123.456");
  env.CALLTALLY_KEEP_CALLER_NUMBERS = "never";
  await sync("--full");
  const [caller = ""] = callersOf(made, 1);
  const forget = async (...args: string[]) => {
    const { exported_files } = JSON.parse(await made.say("forget --json --caller-hash", caller, ...args));
    return exported_files.map((file: { path: string }) => relative(path, file.path));
  };
  const files = ["again/ga4-events.csv", "data/exports/ga4-events.csv", "data/exports/google-leads.csv"];
  expect(await forget()).toEqual(files);
  // Files of another caller do not count as files of those forgotten before.
  expect(await made.say("forget --json --allow-empty +15550001111")).toContain('"exported_files":[]');
  expect(await forget("--exports")).toEqual(files);
  await write(events);
  expect(await forget()).toEqual([]);
  expect(findTraces(data, [{ ...PERSON, traces: ["123.456", ...PERSON.traces] }])).toEqual([]);
});
