import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { makeCall } from "../support/calls.ts";
import { BIN, calltally, settingsFor } from "../support/run.ts";
import { listFiles, makeTempFolder, readText } from "../support/temp-folder.ts";
import { fillWarehouse } from "../support/warehouse.ts";
import { makeSandboxFolder } from "./folder.ts";

const CALLS = [
  makeCall({
    call_id: 1,
    call_started: "2026-10-01T12:00:00.000Z",
    utm_source: "google",
    campaign_name: "Zürich",
    disposition: "\u3000Answered\u00a0",
  }),
  makeCall({
    call_id: 2,
    call_started: "2026-10-02T12:00:00.000Z",
    utm_source: "google",
    campaign_name: "Zu\u0308rich",
    disposition: "NO ANSWER",
  }),
  makeCall({ call_id: 3, call_started: "2026-10-03T12:00:00.000Z", campaign_name: "(total)" }),
];

/** A folder with a warehouse of these calls at the default path. */
function makeFolder(calls = CALLS) {
  const folder = makeTempFolder();
  fillWarehouse(join(folder.path, "data/calltally.db"), calls);
  return folder;
}

describe("time zones", () => {
  it("refuse PST with exit code 2 as flag and setting, before anything is written", async () => {
    using folder = makeFolder();
    const cwd = folder.path;
    const env = { CALLTALLY_TIMEZONE: "PST" };
    const message = /PST is not an IANA time zone(?:\nDid|; did) you mean America\/Los_Angeles\?/;
    const runs = await Promise.all([
      calltally(["export", "channel", "--grain", "day", "--timezone", "PST"], { cwd }),
      calltally(["export", "calls"], { cwd, env }),
      calltally(["schedule", "--list"], { cwd, env }),
      calltally(["doctor"], { cwd, env }),
    ]);
    expect(runs.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
    for (const { stdout, stderr } of runs) expect(stdout + stderr).toMatch(message);
    expect(listFiles(join(cwd, "data")).filter((file) => file.startsWith("exports"))).toEqual([]);
  });

  it("without summer time are accepted with one remark that suggests another; none with --quiet", async () => {
    using folder = makeFolder();
    const cwd = folder.path;
    const env = { CALLTALLY_TIMEZONE: "est" };
    const remark =
      "EST has no daylight saving time: it is UTC-05:00 all year. You probably mean America/New_York; otherwise use America/Panama.\n";
    const args = ["export", "channel", "--grain", "day", "--total"];
    const exported = await calltally(args, { cwd, env });
    expect(exported).toMatchObject({ code: 0, stderr: remark });
    expect(JSON.parse(readText(cwd, "data/exports/manifest.json"))).toMatchObject({ timezone: "EST" });
    expect(await calltally([...args, "--quiet"], { cwd, env })).toEqual({ code: 0, stdout: "", stderr: "" });
    const flagged = await calltally([...args, "--timezone", "america/new_york"], { cwd, env });
    expect(flagged).toMatchObject({ code: 0, stderr: "" });
    expect(await calltally(["schedule", "--list"], { cwd, env })).toMatchObject({ code: 0, stderr: remark });
    const { stdout } = await calltally(["doctor"], { cwd, env });
    expect(stdout).toMatch(
      /^warn {2}CALLTALLY_TIMEZONE +est \(from the environment\)\n +EST has no daylight saving time/m,
    );
  });
});

describe("times that commands show", () => {
  it("are in the account's zone, which is named once; JSON has UTC", async () => {
    using folder = makeFolder();
    const zone = "America/Chicago";
    const env = { CALLTALLY_TIMEZONE: zone, CALLTALLY_BASE_URL: "https://api.example.com" };
    const run = async (...args: string[]) => (await calltally(args, { cwd: folder.path, env })).stdout;
    const texts = await Promise.all([
      run("status"),
      run("status", "--runs", "1"),
      run("schedule", "--list"),
      run("explain", "2"),
    ]);
    expect(texts.map((text) => text.split(zone).length - 1)).toEqual([1, 1, 1, 1]);
    expect(texts.join("")).not.toMatch(/UTC|\d{4}-\d\d-\d\dT/);
    const [status = "", , schedule, explained] = texts;
    expect(status).toMatch(/newest call 2026-10-03 07:00$/m);
    expect(schedule).toMatch(/^export +30 5 \* \* \* .* \d{4}-\d\d-\d\d 05:30\b/m);
    expect(explained).toMatch(/^call +2, 2026-10-02 07:00:00 -05:00$/m);
    const [statusJson, explainedJson] = [await run("status", "--json"), await run("explain", "2", "--json")];
    expect(JSON.parse(statusJson).newest_call).toBe("2026-10-03T12:00:00.000Z");
    expect(JSON.parse(explainedJson).call_started).toBe("2026-10-02T12:00:00.000Z");
    expect(await run("schedule", "--list", "--json")).toMatch(/T1[01]:30:00\.000Z/);
  });
});

describe("misspelled names of settings", () => {
  const env = { CALLTALLY_TIMZONE: "UTC", CALLTALY_LIMIT: "5", CALLTALLY_OTHER: "x", CALL: "y" };
  const REMARKS = [
    "CALLTALLY_TIMZONE in the environment is not a setting, and has no effect. Did you mean CALLTALLY_TIMEZONE?",
    "CALLTALY_LIMIT in the environment is not a setting, and has no effect. Did you mean CALLTALLY_LIMIT?",
    "CALLTALLY_OTHER in the environment is not a setting, and has no effect. `calltally docs settings` lists them.",
    "CALLTALLY_TOKNE in .env is not a setting, and has no effect. Did you mean CALLTALLY_TOKEN?",
  ];

  it("are reported once by any command, even by the two processes of a query, but not with --quiet", async () => {
    using folder = makeFolder();
    const cwd = folder.path;
    writeFileSync(join(cwd, ".env"), "CALLTALLY_TOKNE=secret-of-ours\n");
    for (const args of [
      ["query", "SELECT 1"],
      ["schema", "calls"],
      ["completion", "bash"],
    ]) {
      const told = await calltally(args, { cwd, env });
      expect({ args, code: told.code, stderr: told.stderr }).toEqual({
        args,
        code: 0,
        stderr: `${REMARKS.join("\n")}\n`,
      });
    }
    expect(await calltally(["schema", "--quiet"], { cwd, env })).toMatchObject({ code: 0, stderr: "" });
  });

  it("are logged by a job, but not by each job of a schedule", async () => {
    using folder = makeFolder();
    const cwd = folder.path;
    const warningsOf = async (...args: string[]) => {
      const child = spawn(process.execPath, [BIN, "job", "insights", ...args], { cwd, env });
      const lines = (await text(child.stderr)).trim().split("\n");
      // Its parent exists as long as this end of the pipe is open.
      child.stdin.end();
      const parsed = lines.map((line): { level: string; msg: string } => JSON.parse(line));
      return parsed.filter(({ level }) => level === "warn").map(({ msg }) => msg);
    };
    expect(await warningsOf()).toEqual(REMARKS.slice(0, 3));
    expect(await warningsOf("--run", "1")).toEqual([]);
  });
});

describe("dispositions in settings", () => {
  it("that no call has are reported by sync, export and doctor, with the nearest", async () => {
    await using folder = await makeSandboxFolder(
      { calls: 60 },
      { CALLTALLY_ANSWERED: "answerd,transferred", CALLTALLY_MISSED: "busy,nothing like it" },
    );
    const { sandbox, run } = folder;
    const cwd = folder.path;
    const remarks =
      "CALLTALLY_ANSWERED has answerd, and no call in the warehouse has that disposition. Did you mean ANSWERED?\n" +
      "CALLTALLY_MISSED has nothing like it, and no call in the warehouse has that disposition. `calltally export disposition` lists the existing ones.\n";
    expect(await run("sync")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(remarks),
    });
    expect(await run("export")).toMatchObject({ code: 0, stderr: remarks });
    expect(await run("export --quiet")).toMatchObject({ code: 0, stderr: "" });
    const { stdout } = await run("doctor");
    expect(stdout).toMatch(
      /^warn {2}CALLTALLY_ANSWERED +no call in the warehouse has the disposition answerd\n +Did you mean ANSWERED\?$/m,
    );
    const { stderr } = await run("job export");
    expect(stderr).toContain('"setting":"CALLTALLY_ANSWERED","word":"answerd"');
    // So few calls need not have each disposition of the defaults.
    const usual = { ...settingsFor(sandbox), CALLTALLY_MISSED: "no answer,busy,failed,voicemail,abandoned" };
    expect(await calltally(["export", "--quiet"], { cwd, env: usual })).toMatchObject({
      code: 0,
      stderr: "",
    });
    expect((await calltally(["export"], { cwd, env: usual })).stderr).not.toContain("CALLTALLY_");
  });

  it("in both lists are reported by all commands, and count as answered", async () => {
    using folder = makeFolder();
    const cwd = folder.path;
    const env = { CALLTALLY_ANSWERED: "answered,Voice_Mail", CALLTALLY_MISSED: "voice  mail,busy" };
    const remark =
      "CALLTALLY_ANSWERED and CALLTALLY_MISSED both have voice  mail: such calls count as answered.";
    const exported = await calltally(["export"], { cwd, env });
    expect(exported.stderr.split(remark)).toHaveLength(2);
    expect((await calltally(["sync"], { cwd, env })).stderr).toContain(remark);
    const doctor = await calltally(["doctor"], { cwd, env });
    expect(doctor.stdout).toMatch(/^warn {2}dispositions +a disposition is in both lists\n/m);
    expect(doctor.stdout).toContain(remark);
  });
});

describe("values in filters", () => {
  it("that no call has are an error that suggests the nearest, and replace no file", async () => {
    using folder = makeFolder();
    const cwd = folder.path;
    await calltally(["export", "source"], { cwd });
    const read = () =>
      listFiles(join(cwd, "data/exports")).map((file) => readFileSync(join(cwd, "data/exports", file)));
    const before = read();
    const args = ["export", "source", "--source", "google", "--source", "gogle"];
    const refused = await calltally(args, { cwd });
    expect(refused).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "calltally: Cannot use --source gogle: no call in the warehouse has this value\nDid you mean google? With --allow-empty it is accepted anyway.\n",
    });
    expect(read()).toEqual(before);
    expect(await calltally([...args, "--stdout"], { cwd })).toEqual(refused);
    expect(await calltally([...args, "--allow-empty"], { cwd })).toMatchObject({ code: 0, stderr: "" });
    expect(await calltally(["export", "google-ads", "--campaign", "Genf"], { cwd })).toMatchObject({
      code: 2,
      stderr:
        "calltally: Cannot use --campaign Genf: no call in the warehouse has this value\ncalltally export campaign --stdout lists the existing ones. With --allow-empty it is accepted anyway.\n",
    });
  });

  it("are not checked in an empty warehouse, and the output reports that it has no calls", async () => {
    using folder = makeFolder([]);
    const { code, stdout } = await calltally(["export", "source", "--source", "gogle"], { cwd: folder.path });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^data\/exports\/source.csv {2}0 rows, 0 calls\nFrom run 1, .+\nThe warehouse has no calls: the files have no rows.\n/,
      ),
    });
  });
});
