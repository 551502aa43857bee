import { chmodSync, chownSync, globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hasCapability } from "../../support/commands.ts";
import { calltally } from "../../support/run.ts";
import { findTraces } from "../../support/warehouses/forgettable.ts";
import { callersOf, daysAgo, NUMBER, OTHER, PERSON, type Row, serve } from "./forget-service.ts";
import { skipped, uid, unlessSkipped } from "./other-user.ts";

// The interaction of `forget` with everything else that stores calls.

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
    const hasUploads = hasCapability("conversions");
    await made.sync("--full");
    if (hasUploads) await say("export google-leads --conversion-name Call --out leads");
    const day = daysAgo(42).slice(0, 10);
    await say(`export calls --with transcription --from ${day} --to ${day} --out said`);
    await say("export calls --with caller_id --out locked");
    const draft = join(folder, "said/.calls.csv.0f3b1c2d-0000-4000-8000-000000000000.tmp");
    writeFileSync(draft, `call_id,caller_id\r\n3,${NUMBER}`);
    if (uid !== undefined) {
      const names = ["", "data", "data/*", "leads", "leads/*", "said", "said/*", "said/.*"];
      for (const path of globSync(names.map((name) => join(folder, name)))) chownSync(path, uid, uid);
    }
    chmodSync(join(folder, "locked"), 0o000);
    const forget = (...args: string[]) =>
      calltally(["forget", NUMBER, "--json", ...args], { ...options, uid });
    try {
      const found = await forget();
      expect(found, found.stderr).toMatchObject({ code: 0 });
      const list = [
        ...(hasUploads
          ? [{ path: join(folder, "leads/google-leads.csv"), holds: "yes", removed: false }]
          : []),
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
      expect(globSync(["{leads,said}/*.csv", "said/.*.tmp"], { cwd: folder }).sort()).toEqual(
        hasUploads ? ["leads/google-leads.excluded.csv"] : [],
      );
    } finally {
      chmodSync(join(folder, "locked"), 0o755);
    }
    await say("forget --exports", NUMBER);
    expect(findTraces(folder, [PERSON])).toEqual([]);
  },
);

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
