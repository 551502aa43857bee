import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/calls/columns.ts";
import { readText } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { makeCallsFolder } from "../folder.ts";

const TIME = "2026-10-01T00:00:00.000Z";
const HEADER = "topic,phrase,speaker,qualifies,value\n";

const about = (
  call_id: number,
  utm_source: string | null,
  said: string | null,
  members: Partial<Call> = {},
) =>
  makeCall({
    call_id,
    utm_source,
    caller_id: `+49301234${call_id}`,
    call_started: TIME,
    duration: 90,
    disposition: "ANSWERED",
    transcription: said,
    ...members,
  });
const CALLS = [
  about(1, "google", "A Burst pipe, please come."),
  about(2, "google", "About the job.", { duration: 300 }),
  about(3, "bing", null, {
    transcription_details: JSON.stringify([
      { channel: "agent", time: "00:00", text: "A job?" },
      { channel: "caller", time: "00:01", text: "No, a burst pipe." },
    ]),
    duration: 10,
  }),
  about(4, null, "Hello."),
];

/** A folder with a warehouse of these calls and a file of topics. */
function makePlace(lines: string) {
  const folder = makeCallsFolder(CALLS, { CALLTALLY_TOPICS: "topics.csv" });
  folder.write("topics.csv", HEADER + lines);
  return folder;
}

/** Without that file. */
const NONE = { CALLTALLY_TOPICS: "" };

/** The first two cells of each line. */
const firstTwo = (csv: string) =>
  csv
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(",").slice(0, 2).join());

const LINES = "emergency,burst pipe,,yes,250\nno lead,job,caller,no,\nno lead,job,,no,\nquote,quote,,,\n";

describe("calltally topics", () => {
  it("counts what each line decides, and lists the calls of a topic", async () => {
    using folder = makePlace(LINES);
    const { stdout: rollup } = await folder.run("export topic --stdout");
    expect(firstTwo(rollup)).toEqual(["topic,calls", "emergency,2", "(not set),1", "no lead,1"]);
    const { stdout, stderr } = await folder.run("topics");
    expect([stdout, stderr]).toEqual([
      `line  topic      calls  phrase      speaker
   2  emergency      2  burst pipe
   3  no lead        0  job         caller
   4  no lead        1  job
   5  quote          0  quote
2 lines of 4 decide no call.
`,
      "",
    ]);
    expect(await folder.run("topics EMERGENCY")).toMatchObject({ code: 0, stdout: "1\n3\n" });
    expect(await folder.run("topics", "no lead", "--json")).toMatchObject({ stdout: "[2]\n" });
    expect(await folder.run("topics quote")).toMatchObject({ code: 0, stdout: "\n" });
    expect(await folder.run("topics emergancy")).toMatchObject({
      code: 2,
      stderr: "calltally: There is no topic emergancy\nDid you mean emergency?\n",
    });
  });

  it("shows what a file would change, by source, and changes nothing", async () => {
    using folder = makePlace(LINES);
    const { stdout, stderr, code } = await folder.runWith(NONE, "topics --try topics.csv");
    expect([code, stderr, stdout.slice(stdout.indexOf("\n\n"))]).toEqual([
      0,
      "",
      `

source    calls  other topic  qualified  then  change
google        2            2          2     1      -1
bing          1            1          0     1       1
(direct)      1            0          1     1       0
(total)       4            3          3     3       0
`,
    ]);
    const { stdout: json } = await folder.runWith(NONE, "topics --try topics.csv --json");
    expect(JSON.parse(json)).toMatchObject({ lines: { length: 4 }, calls_kept: 0, sources: { length: 3 } });
    expect(await folder.runWith(NONE, "topics")).toMatchObject({
      stdout: "There are no topics: CALLTALLY_TOPICS names a file of them.\n",
    });
    expect(await folder.runWith(NONE, "topics emergency --try topics.csv")).toMatchObject({ code: 2 });
    const others = { CALLTALLY_QUALIFIED_SECONDS: "5" };
    const { stderr: note } = await folder.runWith(others, "topics --try topics.csv");
    expect(note).toContain("The attribution settings have changed");
  });

  it("names line and column of an invalid file", async () => {
    using folder = makePlace("emergency,burst pipe,,perhaps,\n");
    expect(await folder.run("topics --try topics.csv")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("topics.csv: line 2, column 4: qualifies must be"),
    });
  });

  it("filters by topic, and explains a call with the matching words", async () => {
    using folder = makePlace(LINES);
    const days = "--from 2026-10-01 --to 2026-10-01";
    const { stdout } = await folder.run(`export source ${days} --topic Emergency --stdout`);
    expect(firstTwo(stdout)).toEqual(["source,calls", "bing,1", "google,1"]);
    expect(await folder.run(`report ${days} --out page`)).toMatchObject({ code: 0 });
    const page = readText(folder.path, "page/report.html");
    expect(page).toContain(">Topics: ");
    expect(page).toContain("or longer, unless the topic decides");
    const { stdout: explained } = await folder.run("explain 3");
    expect(explained.split("\n").filter((line) => /topic|\[/.test(line))).toEqual([
      'topic               emergency, by line 2: "burst pipe"',
      "                    a job? no, a [burst pipe].",
      "qualified           yes: its topic says so, whatever its duration",
    ]);
  });
});
