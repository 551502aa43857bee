import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { listFiles } from "../../support/temp-folder.ts";
import { makeServiceFolder } from "../folder.ts";

const CALLS = 100;
const numberOf = (id: number) => `+1415555${1000 + (id % 40)}`;
const wordsOf = (id: number) => `unrepeatable${id}words`;

/** A call an hour, newest first, each with all data that retention may remove; one cannot be parsed. */
function rowOf(id: number): string {
  return JSON.stringify({
    call_id: 10_000 - id,
    caller_id: numberOf(id),
    call_started: new Date(Date.now() - (id + 1) * 3_600_000).toISOString(),
    duration: id === 7 ? "long" : 90,
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

/** A service of these calls, and a working folder with settings that keep nothing of them. */
async function makePlace() {
  const kinds = ["TRANSCRIPTS", "SUMMARIES", "CALLER_NUMBERS", "RECORDING_URLS"];
  return await makeServiceFolder(
    Array.from({ length: CALLS }, (_, id) => rowOf(id)),
    {
      CALLTALLY_LIMIT: "60",
      ...Object.fromEntries(kinds.map((kind) => [`CALLTALLY_KEEP_${kind}`, "never"])),
    },
  );
}

/**
 * Fragments of removed data to look for in files: of a number its last digits, in two spellings. They
 * follow its area code or start a text, so that no digest contains them by chance.
 */
const PERSONAL = /((?:415\D{0,2}|[^\da-f])555-?10[0-3]\d|unrepeatable|elbataepernu|take\d+\.mp3)/g;

const findPersonal = (folder: string) =>
  listFiles(folder).flatMap((file) => readFileSync(join(folder, file), "latin1").match(PERSONAL) ?? []);

it("settings that keep nothing never write a number, transcript, summary or link to any file at any time of a sync", async () => {
  await using folder = await makePlace();
  const looks: string[][] = [];
  folder.service.disturb = () => {
    looks.push(findPersonal(folder.path));
    return undefined;
  };
  const sync = async (command: string) => JSON.parse((await folder.run(command)).stdout);
  expect(await sync("sync --json")).toMatchObject({ calls_read: CALLS, calls_rejected: 1 });
  expect(await sync("sync --full --json")).toMatchObject({ calls_new: 0, calls_changed: 0 });
  expect(looks.length).toBeGreaterThan(5);
  expect([...looks.flat(), ...findPersonal(folder.path)]).toEqual([]);
  expect(
    folder.read("SELECT count(DISTINCT caller_id) AS callers, sum(is_first_call) AS firsts FROM call_facts"),
  ).toEqual([{ callers: 40, firsts: 40 }]);
});

it("callers without numbers can be excluded; sync and prune fail without the key that identifies them", async () => {
  await using folder = await makePlace();
  await folder.run("sync");
  folder.write("ours.txt", `${numberOf(3)}\n+14155550000\n`);
  const left = await folder.run("export channel --exclude-callers ours.txt --columns calls --stdout");
  expect(left.stdout).toBe("channel,calls\r\nOrganic Search,96\r\n");
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
