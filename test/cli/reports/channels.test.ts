import { expect, it } from "vitest";
import { makeCall } from "../../support/warehouses/calls.ts";
import { makeCallsFolder } from "../folder.ts";

const from = (call_id: number, utm_source: string | null, utm_campaign: string | null) =>
  makeCall({
    call_id,
    utm_source,
    utm_campaign,
    utm_medium: utm_source && "cpc",
    caller_id: `+49301234${call_id}`,
    call_started: "2026-10-01T00:00:00.000Z",
    duration: 90,
    disposition: "ANSWERED",
  });
const CALLS = [
  from(1, "google", "\u0645\u0628\u064a\u0639\u0627\u062a \u{1f525}"),
  from(2, "google", "generic"),
  from(3, "partner-north", "generic"),
  from(4, null, null),
];

/** A folder with a warehouse of these calls and a file of channels. */
function makePlace(lines: string) {
  const folder = makeCallsFolder(CALLS, { CALLTALLY_CHANNELS: "channels.csv" });
  folder.write("channels.csv", `channel,source,medium,campaign,referrer\n${lines}`);
  return folder;
}

/** Without that file. */
const NONE = { CALLTALLY_CHANNELS: "" };

const LINES = "Partners,partner-*,,,\nSale,,,*\u{1f525},\nSale,nobody,,,\n";

it("channels shows what a file would change, and changes nothing", async () => {
  using folder = makePlace(LINES);
  const { code, stdout, stderr } = await folder.runWith(NONE, "channels --try channels.csv");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("1 line of 3 decide no call.");
  expect(stdout).toContain("2 calls would get another channel.");
  const { stdout: json } = await folder.runWith(NONE, "channels --try channels.csv --json");
  const { lines, channels } = JSON.parse(json);
  expect(lines).toMatchObject([
    { line: 2, calls: 1 },
    { line: 3, calls: 1 },
    { line: 4, calls: 0 },
  ]);
  const shown = channels.map((row: Record<string, unknown>) =>
    ["channel", "calls", "calls_then", "qualified_calls", "qualified_calls_then"].map((name) => row[name]),
  );
  expect(shown.sort()).toEqual([
    ["Direct", 1, 1, 1, 1],
    ["Paid Other", 1, 0, 1, 0],
    ["Paid Search", 2, 1, 2, 1],
    ["Partners", 0, 1, 0, 1],
    ["Sale", 0, 1, 0, 1],
  ]);
  expect((await folder.runWith(NONE, "channels")).stdout).toBe(
    "There are no own channels: CALLTALLY_CHANNELS names a file of them.\n",
  );
  expect((await folder.runWith({ CALLTALLY_CHANNELS: "channels.csv" }, "channels")).stdout).toBe(
    "There are no own channels yet: the next sync or export applies channels.csv.\n",
  );
});

it("a file of channels attributes stored calls again, and filters", async () => {
  using folder = makePlace(LINES);
  const exported = "export channel --columns calls --from 2026-10-01 --to 2026-10-01";
  expect(await folder.runWith(NONE, exported)).toMatchObject({ code: 0 });
  expect(await folder.run(exported)).toMatchObject({ code: 0 });
  const filtered = await folder.run(`${exported} --channel partners --stdout`);
  expect(filtered.stdout).toBe("channel,calls\r\nPartners,1\r\n");
  expect((await folder.run("explain 1")).stdout).toContain("Sale, by line 3 of the file of channels");
  expect((await folder.run("explain 4")).stdout).toContain("Direct; rules ga4-");
});
