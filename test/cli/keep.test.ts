import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startRowService, TOKEN } from "../support/call-service.ts";
import { settingsFor, startCalltally } from "../support/run.ts";
import { json } from "../support/server.ts";
import { makeFolder } from "./folder.ts";

const CALLS = 300;
const DAY_MS = 86_400_000;
const numberOf = (id: number) => `+1415555${1000 + (id % 40)}`;
const wordsOf = (id: number) => `unrepeatable${id}words`;

/** A call a day, newest first, each with all data that retention may remove; one cannot be parsed. */
function rowOf(id: number): string {
  return JSON.stringify({
    call_id: 10_000 - id,
    caller_id: numberOf(id),
    call_started: new Date(Date.now() - id * DAY_MS - 3_600_000).toISOString(),
    duration: id === 7 ? "long" : 90,
    disposition: "ANSWERED",
    recording_url: `https://recordings.example.com/take${id}.mp3`,
    summary: `A summary of ${wordsOf(id)}.`,
    transcription: `They said ${wordsOf(id)}.`,
    transcription_details: [{ channel: "caller", time: "00:01", text: `They said ${wordsOf(id)}.` }],
    callback: numberOf(id).replace("+1415", "(415) "),
    // A transcript in a form that no comparison would find.
    notes: [{ backwards: [...wordsOf(id)].reverse().join("") }],
    dni_data: { utm_source: "google" },
  });
}

const ROWS = Array.from({ length: CALLS }, (_, id) => rowOf(id));
const NEVER = {
  CALLTALLY_KEEP_TRANSCRIPTS: "never",
  CALLTALLY_KEEP_SUMMARIES: "never",
  CALLTALLY_KEEP_CALLER_NUMBERS: "never",
  CALLTALLY_KEEP_RECORDING_URLS: "never",
};

/**
 * Fragments of removed data to look for in files: of a number its last digits, in two spellings. They
 * follow its area code or start a text, so that no digest contains them by chance.
 */
function findPersonal(folder: string): string[] {
  const found = new Set<string>();
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const bytes = readFileSync(join(file.parentPath, file.name), "latin1");
    for (const [, what] of bytes.matchAll(
      /((?:415\D{0,2}|[^\da-f])555-?10[0-3]\d|unrepeatable|elbataepernu|take\d+\.mp3)/g,
    )) {
      found.add(`${what} in ${file.name}`);
    }
  }
  return [...found];
}

const settingsOf = (service: { url: URL }) => ({
  ...settingsFor({ url: service.url.href, token: TOKEN }),
  CALLTALLY_LIMIT: "60",
  ...NEVER,
});

it("settings that keep nothing never write a number, transcript, summary or link to any file at any time of a sync", async () => {
  const found: string[] = [];
  let looks = 0;
  await using service = await startRowService(ROWS);
  using folder = makeFolder(settingsOf(service));
  const look = () => {
    looks++;
    found.push(...findPersonal(folder.path));
    return undefined;
  };
  // Killed at its third page.
  const killed = startCalltally(["sync"], folder.options);
  service.disturb = ({ before }) => {
    look();
    if (before < 3) return undefined;
    killed.kill("SIGKILL");
    return json({}, 500);
  };
  expect((await killed.done).code).toBe(null);
  service.disturb = look;
  const first = await folder.run("sync --json");
  expect(JSON.parse(first.stdout)).toMatchObject({ calls_read: CALLS, calls_rejected: 1 });
  const again = await folder.run("sync --full --json");
  expect(JSON.parse(again.stdout)).toMatchObject({ calls_new: 0, calls_changed: 0, verdict: "exact" });
  expect(looks).toBeGreaterThan(10);
  expect([...found, ...findPersonal(folder.path)]).toEqual([]);
  expect(
    folder.read(
      "SELECT channel, count(*) AS calls, count(DISTINCT caller_id) AS callers, sum(is_first_call) AS firsts FROM call_facts GROUP BY 1",
    ),
  ).toEqual([{ channel: "Organic Search", calls: CALLS - 1, callers: 40, firsts: 40 }]);
  expect((await folder.run("doctor --deep --all")).stdout).toContain("caller numbers never");
});

it("callers without numbers can be excluded; sync and prune fail without the key that identifies them", async () => {
  await using service = await startRowService(ROWS.slice(0, 10));
  using folder = makeFolder(settingsOf(service));
  await folder.run("sync");
  folder.write("ours.txt", `${numberOf(3)}\n+14155550000\n`);
  const left = await folder.run("export channel --exclude-callers ours.txt --columns calls --stdout");
  expect(left.stdout).toBe("channel,calls\r\nOrganic Search,8\r\n");
  expect(left.stderr).toContain("1 number of the callers to leave out has never called");
  const key = `${folder.database}.caller-key`;
  const content = readFileSync(key);
  rmSync(key);
  for (const command of ["sync", "prune"])
    expect(await folder.run(command)).toMatchObject({
      code: 7,
      stderr: expect.stringContaining("is missing"),
    });
  writeFileSync(key, `${"ab".repeat(32)}\n`);
  expect(await folder.run("sync")).toMatchObject({
    code: 7,
    stderr: expect.stringMatching(/is not the same[\s\S]*Put the key back from a backup/),
  });
  writeFileSync(key, content);
  expect((await folder.run("sync --full")).code).toBe(3);
});
