import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readText } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { makeCallsFolder } from "./folder.ts";

/** The digits are in no other text. */
const NUMBER = "5126386276";
const CALLS = [
  ...Array.from({ length: 12 }, (_, index) =>
    makeCall({
      call_id: 90_000_001 + index,
      caller_id: `+1${NUMBER}`,
      call_started: `2026-10-${10 + index}T17:05:00.000Z`,
      duration: 60 + index,
      disposition: "ANSWERED",
    }),
  ),
  makeCall({ call_id: 90_000_020, caller_id: "+15125550123", call_started: "2026-10-25T17:05:00.000Z" }),
  makeCall({ call_id: 90_000_021, caller_id: "+15125550124", call_started: "2026-10-26T17:05:00.000Z" }),
];

describe("calls of a phone number", () => {
  it("explain lists the latest, and how many more there are; an id stays an id", async () => {
    using folder = makeCallsFolder(CALLS, { CALLTALLY_TIMEZONE: "America/Chicago" });
    const listed = await folder.say("explain", "(512) 638-6276");
    expect(listed).toContain(`12 calls of this number, latest first, times of America/Chicago
It was read with the country code +1, which nearly all numbers here have.

 call_id  started           duration  disposition  channel  source    counts
90000012  2026-10-21 12:05        71  ANSWERED     Direct   (direct)  yes
90000011  2026-10-20 12:05        70  ANSWERED     Direct   (direct)  yes
`);
    expect(listed).toContain("and 2 more: calltally export calls --caller NUMBER\n");
    expect(listed).toContain("calltally explain 90000012 shows how the latest was attributed.\n");
    expect(await folder.say("explain 512 638-6276")).toBe(listed);
    expect(await folder.say("explain 90000020")).toContain(" 90000020, 2026-10-25 12:05:00 -05:00\n");
    expect(JSON.parse(await folder.say("explain --json", `+1${NUMBER}`))).toMatchObject({
      total: 12,
      calls: expect.toSatisfy((calls: unknown[]) => calls.length === 10),
    });
  });

  it("export calls --caller lists them, and the number is in no file and no message", async () => {
    using folder = makeCallsFolder(CALLS);
    const { stdout, stderr, code } = await folder.run("export calls --out out --caller", "512 638-6276");
    expect({ stderr: stderr.includes(NUMBER), code }).toEqual({ stderr: false, code: 0 });
    const out = join(folder.path, "out");
    expect(readText(out, "calls.csv").split("\r\n")).toHaveLength(1 + 12 + 1);
    expect(JSON.parse(readText(out, "manifest.json"))).toMatchObject({
      files: [{ contents: "calls", rows: 12, of_numbers: 1 }],
    });
    for (const text of [stdout, ...readdirSync(out).map((name) => readText(out, name))])
      expect(text).not.toContain("6386276");
    const stored = folder.read("SELECT * FROM exports");
    expect(JSON.stringify(stored)).not.toContain("6386276");
  });

  it.each([
    ["explain", "+1 512 638 0000", "calltally: No call here has this number\n"],
    ["explain", "+1 512 638 6276 / +1 512 638 6277", "it has several phone numbers\n"],
    [
      "export calls --stdout --caller",
      "+1 512 638 0000",
      "calltally: No call here has the number of --caller\n",
    ],
    ["export calls channel --caller", "+1 512 638 6276", "--caller lists calls: leave out rollups\n"],
    [
      "export calls --stdout --changed-since 1 --caller",
      "+1 512 638 6276",
      "--changed-since cannot be used with --caller: a call that no longer matches would be missed\n",
    ],
  ])("%s %s ends with 2, and an error that does not have the number", async (command, number, message) => {
    using folder = makeCallsFolder(CALLS);
    const { code, stderr } = await folder.run(command, number);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/638[ -]?(6276|6277|0000)/);
  });
});
