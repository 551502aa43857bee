import { chmodSync, chownSync, globSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, it } from "vitest";
import { calltally } from "../../support/run.ts";
import { readText } from "../../support/temp-folder.ts";
import { findTraces, spell } from "../../support/warehouses/forgettable.ts";
import { type Folder, makeServiceFolder } from "../folder.ts";
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

/** A working folder whose settings name a service of these rows, newest first like the service. */
async function serve(rows: readonly Row[], keep: Record<string, string> = {}) {
  const folder = await makeServiceFolder(rows.map(toRow), { CALLTALLY_GONE_AFTER_HOURS: "0", ...keep });
  return {
    ...folder,
    data: join(folder.path, "data"),
    sync: async (...args: string[]) => {
      const { code, stdout, stderr } = await folder.run("sync --json", ...args);
      expect([0, 3], stderr).toContain(code);
      return JSON.parse(stdout);
    },
  };
}

/** The names of the callers of calls. */
const callersOf = ({ read }: Pick<Folder, "read">, ...ids: number[]) =>
  read(`SELECT DISTINCT caller FROM call_facts JOIN callers USING (caller_id) WHERE call_id IN (${ids})`).map(
    ({ caller }) => String(caller),
  );

const FIGURES = `SELECT campaign, tracking_number, count(*) AS calls, count(DISTINCT caller_id) AS callers, sum(is_first_call) AS firsts
  FROM call_facts WHERE is_live GROUP BY 1, 2 ORDER BY 1, 2`;

const PEOPLE: Row[] = [
  { call_id: 3, caller_id: NUMBER },
  { call_id: 40, caller_id: OTHER },
  { call_id: 41, caller_id: OTHER, transcription: `Her number is ${NUMBER}.` },
  { call_id: 50, caller_id: NUMBER },
  { call_id: 51, caller_id: NUMBER, duration: [NUMBER] },
];

it.each([
  { keepFor: "never", by: "number" },
  { keepFor: "30d", by: "hash" },
])(
  "forget with numbers kept for $keepFor, by $by, leaves no trace, and changes neither figures nor the results of syncs",
  async ({ keepFor, by }) => {
    await using folder = await serve(PEOPLE, { CALLTALLY_KEEP_CALLER_NUMBERS: keepFor });
    const { say, sync, read, data, env } = folder;
    await sync();
    const before = read(FIGURES);
    const [hash = ""] = callersOf(folder, 3);
    expect(hash).toMatch(/^[\da-f]{64}$/);
    await say("forget", ...(by === "number" ? [NUMBER] : ["--caller-hash", hash.toUpperCase()]));
    expect(findTraces(data, [PERSON, { ...PERSON, traces: [hash] }])).toEqual([]);
    expect(read(FIGURES)).toEqual(before);
    expect(await sync("--full")).toMatchObject({ calls_new: 0, calls_changed: 0 });
    expect(await say("prune --json")).toContain('"caller_numbers":0');
    // Changed retention names nobody again, and joins the caller's calls as before.
    env.CALLTALLY_KEEP_CALLER_NUMBERS = "always";
    await sync("--full");
    expect(findTraces(data, [PERSON])).toEqual([]);
    expect(read(FIGURES)).toEqual(before);
  },
);

it.skipIf(skipped)(
  `forget finds conversions by hash, text in any spelling, drafts of killed exports, and unreadable files${unlessSkipped}`,
  async () => {
    const said = { call_id: 42, caller_id: OTHER, transcription: "It is 214\u00a0555\u20110123, she said." };
    await using made = await serve([...PEOPLE.slice(0, 3), said, ...PEOPLE.slice(3)]);
    const { say, path: folder, options } = made;
    await made.sync("--full");
    await say("export google-leads --conversion-name Call --out leads");
    const day = daysAgo(42).slice(0, 10);
    await say(`export calls --with transcription --from ${day} --to ${day} --out said`);
    await say("export calls --with caller_id --out locked");
    const draft = join(folder, "leads/.calls.csv.0f3b1c2d-0000-4000-8000-000000000000.tmp");
    writeFileSync(draft, `call_id,caller_id\r\n3,${NUMBER}`);
    if (uid !== undefined) {
      const names = ["", "data", "data/*", "leads", "leads/*", "leads/.*", "said", "said/*"];
      for (const path of globSync(names.map((name) => join(folder, name)))) chownSync(path, uid, uid);
    }
    chmodSync(join(folder, "locked"), 0o000);
    const forget = (...args: string[]) =>
      calltally(["forget", NUMBER, "--json", ...args], { ...options, uid });
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
    await say("forget --exports", NUMBER);
    expect(findTraces(folder, [PERSON])).toEqual([]);
  },
);

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

it("forget writes no number to logs, errors and the log of acts, wherever it stops", async () => {
  await using made = await serve(PEOPLE);
  const { run, sync, write, env } = made;
  env.CALLTALLY_LOG_FORMAT = "json";
  const incomplete = NUMBER.slice(0, -1);
  write("bad.txt", `${NUMBER}\n${incomplete}\n`);
  const shown: string[] = [];
  const codesOf = async (...commands: string[]) => {
    const codes = [];
    for (const command of commands) {
      const { code, stdout, stderr } = await run(command);
      shown.push(stdout, stderr);
      codes.push(code);
    }
    return codes;
  };
  expect(await codesOf(`forget ${NUMBER}`)).toEqual([7]); // no warehouse
  await sync("--full");
  const wrong = [
    incomplete,
    `${NUMBER.slice(0, 9)} ${NUMBER}`,
    `--file ${NUMBER}`,
    `--caller-hash ${NUMBER}`,
    `--caller-hash ${"f".repeat(64)}`,
    "--file bad.txt",
  ];
  expect(await codesOf(...wrong.map((args) => `forget ${args}`))).toEqual([2, 2, 2, 2, 2, 2]);
  const right = [`forget ${NUMBER}`, "sync --full", "privacy log", "privacy log --json"];
  expect(await codesOf(...right)).toEqual([0, 3, 0, 0]);
  expect(await codesOf("doctor --deep --json")).not.toEqual([7]);
  expect(shown.join("\n")).not.toMatch(/2145550|555.?0123/);
});
