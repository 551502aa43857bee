import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { BIN } from "../../support/run.ts";
import { listFiles, readFiles } from "../../support/temp-folder.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { makeCallsFolder, makeSandboxFolder } from "../folder.ts";

const CALLS = [
  ["google", "Zürich", "\u3000Answered\u00a0"],
  ["google", "Zu\u0308rich", "NO ANSWER"],
  [null, "(total)", null],
].map(([utm_source = null, campaign_name = null, disposition = null], index) =>
  makeCall({
    call_id: index + 1,
    call_started: `2026-10-0${index + 1}T12:00:00.000Z`,
    utm_source,
    campaign_name,
    disposition,
  }),
);

describe("time zones", () => {
  it("refuse PST as setting with exit code 2, before anything is written", async () => {
    using folder = makeCallsFolder(CALLS, { CALLTALLY_TIMEZONE: "PST" });
    for (const command of ["export calls", "schedule --list", "doctor"]) {
      const { code, stdout, stderr } = await folder.run(command);
      expect(code).toBe(2);
      expect(stdout + stderr).toMatch(
        /PST is not an IANA time zone(?:\nDid|; did) you mean America\/Los_Angeles\?/,
      );
    }
    expect(listFiles(folder.path).filter((file) => file.includes("exports"))).toEqual([]);
  });

  it("without summer time are accepted with one remark that suggests another; none with --quiet", async () => {
    using folder = makeCallsFolder(CALLS, { CALLTALLY_TIMEZONE: "est" });
    const { run } = folder;
    const remark =
      "EST has no daylight saving time: it is UTC-05:00 all year. You probably mean America/New_York; otherwise use America/Panama.\n";
    const days = "export channel --grain day --total";
    expect(await run(days)).toMatchObject({ code: 0, stderr: remark });
    expect(await run(`${days} --quiet`)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await run(`${days} --timezone america/new_york`)).toMatchObject({ code: 0, stderr: "" });
    expect(await run("schedule --list")).toMatchObject({ code: 0, stderr: remark });
    expect((await run("doctor")).stdout).toMatch(
      /^warn {2}CALLTALLY_TIMEZONE +est \(from the environment\)\n +EST has no daylight saving time/m,
    );
  });
});

describe("times that commands show", () => {
  it("use the account's zone, which is named once; JSON has UTC", async () => {
    const zone = "America/Chicago";
    const settings = { CALLTALLY_TIMEZONE: zone, CALLTALLY_BASE_URL: "https://api.example.com" };
    using folder = makeCallsFolder(CALLS, settings);
    const run = async (command: string) => (await folder.run(command)).stdout;
    const commands = ["status", "status --runs 1", "schedule --list", "explain 2"];
    const texts = await Promise.all(commands.map(run));
    expect(texts.map((text) => text.split(zone).length - 1)).toEqual([1, 1, 1, 1]);
    expect(texts.join("")).not.toMatch(/UTC|\d{4}-\d\d-\d\dT/);
    const [status = "", , schedule, explained] = texts;
    expect(status).toMatch(/newest call 2026-10-03 07:00$/m);
    expect(schedule).toMatch(/^export +30 5 \* \* \* .* \d{4}-\d\d-\d\d 05:30\b/m);
    expect(explained).toMatch(/^call +2, 2026-10-02 07:00:00 -05:00$/m);
    expect(JSON.parse(await run("status --json")).newest_call).toBe("2026-10-03T12:00:00.000Z");
    expect(JSON.parse(await run("explain 2 --json")).call_started).toBe("2026-10-02T12:00:00.000Z");
    expect(await run("schedule --list --json")).toMatch(/T1[01]:30:00\.000Z/);
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

  it("cause one remark of any command, even of the two processes of a query, but none with --quiet", async () => {
    using folder = makeCallsFolder(CALLS, env);
    folder.write(".env", "CALLTALLY_TOKNE=secret-of-ours\n");
    for (const args of [["query", "SELECT 1"], ["schema calls"], ["completion bash"]])
      expect(await folder.run(...args)).toMatchObject({ code: 0, stderr: `${REMARKS.join("\n")}\n` });
    expect(await folder.run("schema --quiet")).toMatchObject({ code: 0, stderr: "" });
  });

  it("cause a warning in the log of a job, but not of each job of a schedule", async () => {
    using folder = makeCallsFolder(CALLS);
    const warningsOf = async (...args: string[]) => {
      const child = spawn(process.execPath, [BIN, "job", "export", ...args], { cwd: folder.path, env });
      const lines = (await text(child.stderr)).trim().split("\n");
      // Its parent exists as long as this end of the pipe is open.
      child.stdin.end();
      const parsed = lines.map((line): { level: string; msg: string } => JSON.parse(line));
      const warnings = parsed.filter(({ level }) => level === "warn").map(({ msg }) => msg);
      return warnings.filter((msg) => msg.includes("is not a setting"));
    };
    expect(await warningsOf()).toEqual(REMARKS.slice(0, 3));
    expect(await warningsOf("--run", "1")).toEqual([]);
  });
});

describe("dispositions in settings", () => {
  it("that no call has are reported by sync, export and doctor, with the nearest", async () => {
    const settings = { CALLTALLY_ANSWERED: "answerd,transferred", CALLTALLY_MISSED: "busy,nothing like it" };
    await using folder = await makeSandboxFolder({ calls: 60 }, settings);
    const { run } = folder;
    const remarks =
      "CALLTALLY_ANSWERED has answerd, and no call in the warehouse has that disposition. Did you mean ANSWERED?\n" +
      "CALLTALLY_MISSED has nothing like it, and no call in the warehouse has that disposition. `calltally export disposition` lists the existing ones.\n";
    expect(await run("sync")).toMatchObject({ code: 0, stderr: expect.stringContaining(remarks) });
    expect(await run("export")).toMatchObject({ code: 0, stderr: remarks });
    expect(await run("export --quiet")).toMatchObject({ code: 0, stderr: "" });
    expect((await run("doctor")).stdout).toMatch(
      /^warn {2}CALLTALLY_ANSWERED +no call in the warehouse has the disposition answerd\n +Did you mean ANSWERED\?$/m,
    );
    expect((await run("job export")).stderr).toContain('"setting":"CALLTALLY_ANSWERED","word":"answerd"');
  });

  it("in both lists are reported by all commands, and count as answered", async () => {
    const settings = { CALLTALLY_ANSWERED: "answered,Voice_Mail", CALLTALLY_MISSED: "voice  mail,busy" };
    using folder = makeCallsFolder(CALLS, settings);
    const remark =
      "CALLTALLY_ANSWERED and CALLTALLY_MISSED both have voice  mail: such calls count as answered.";
    expect((await folder.run("export")).stderr.split(remark)).toHaveLength(2);
    expect((await folder.run("sync")).stderr).toContain(remark);
    const { stdout } = await folder.run("doctor");
    expect(stdout).toMatch(/^warn {2}dispositions +a disposition is in both lists\n/m);
    expect(stdout).toContain(remark);
  });
});

describe("values in filters", () => {
  it("that no call has are an error that suggests the nearest, and replace no file", async () => {
    using folder = makeCallsFolder(CALLS);
    const { run } = folder;
    await run("export source");
    const before = readFiles(join(folder.path, "data/exports"));
    const args = "export source --source google --source gogle";
    const refused = {
      code: 2,
      stdout: "",
      stderr:
        "calltally: Cannot use --source gogle: no call in the warehouse has this value\nDid you mean google? With --allow-empty it is accepted anyway.\n",
    };
    expect(await run(args)).toEqual(refused);
    expect(readFiles(join(folder.path, "data/exports"))).toEqual(before);
    expect(await run(`${args} --allow-empty`)).toMatchObject({ code: 0, stderr: "" });
    expect((await run("export google-ads --campaign Genf")).stderr).toBe(
      "calltally: Cannot use --campaign Genf: no call in the warehouse has this value\ncalltally export campaign --stdout lists the existing ones. With --allow-empty it is accepted anyway.\n",
    );
  });

  it("pass in an empty warehouse, and the output reports that it has no calls", async () => {
    using folder = makeCallsFolder([]);
    expect(await folder.run("export source --source gogle")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^data\/exports\/source.csv {2}0 rows, 0 calls\nFrom run 1, .+\nThe warehouse has no calls: the files have no rows.\n/,
      ),
    });
  });
});
