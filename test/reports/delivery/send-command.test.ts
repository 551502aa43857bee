import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { DeliveryTarget } from "../../../src/reports/delivery/delivery-target.ts";
import { withEnoughTime } from "../../support/enough-time.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { isRunning } from "../../support/processes.ts";
import { makeRun, makeSummary, send, writeReportFile } from "./report.ts";

describe("deliver by command", () => {
  const command = (argv: [string, ...string[]], folder: string, timeoutMs?: number): DeliveryTarget => ({
    channel: "command",
    argv,
    cwd: folder,
    timeoutMs,
  });
  const node = (script: string, ...args: string[]): [string, ...string[]] => [
    process.execPath,
    "-e",
    script,
    "--",
    ...args,
  ];

  it("runs a program with exact arguments, without a shell, and in a minimal environment", async () => {
    using run = makeRun();
    const script = `require("fs").writeFileSync("seen.json", JSON.stringify({ args: process.argv.slice(1), env: process.env }))`;
    const ours = { CALLTALLY_TOKEN: "SECRET-17", OTHER_SECRET: "x", CALLTALLY_TIMEZONE: "UTC" };
    Object.assign(process.env, ours);
    try {
      const args = ["{folder}", "remote:calls/{account} {from}..{to}", "$HOME;{report}"];
      const results = await send(run, [command(node(script, ...args), run.folder)]);
      expect(results).toMatchObject([{ channel: "command", status: "delivered", attempts: 1 }]);
    } finally {
      for (const name of Object.keys(ours)) delete process.env[name];
    }
    const seen = JSON.parse(readFileSync(join(run.folder, "seen.json"), "utf8"));
    expect(seen.args).toEqual([
      expect.stringContaining(run.folder),
      "remote:calls/acme 2026-10-19..2026-11-15",
      "$HOME;weekly",
    ]);
    const names = Object.keys(seen.env).filter((name) => !name.startsWith("__"));
    expect(names.toSorted()).toEqual(["CALLTALLY_TIMEZONE", "HOME", "PATH"]);
  });

  it("gives a command its own folder with the files of the run, and removes the folder afterwards", async () => {
    using run = makeRun();
    const folder = join(run.folder, "weekly");
    mkdirSync(join(folder, "calls/month=2026-10"), { recursive: true });
    const summary = {
      ...makeSummary(folder),
      files: [
        writeReportFile(folder, "channel.csv", "channel,calls\r\n"),
        writeReportFile(folder, "calls/month=2026-10/calls.parquet", "PAR1"),
      ],
    };
    writeReportFile(folder, "calls.csv", "last month's, with +49301234567");
    writeReportFile(folder, "calls/month=2026-10/other.parquet", "PAR1");
    const script = `const fs = require("fs"), [folder, name] = process.argv.slice(1);
      const names = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const mode = fs.statSync(require("path").dirname(folder)).mode & 0o777;
      const files = Object.fromEntries(names.map(({ parentPath, name }) =>
        [require("path").relative(folder, parentPath) + "/" + name, fs.readFileSync(parentPath + "/" + name, "utf8")]));
      fs.writeFileSync(name, JSON.stringify({ folder, mode, files }));
      fs.rmSync(folder + "/channel.csv");`;
    const results = await send({ ...run, summary }, [
      command(node(script, "{folder}", "first.json"), run.folder),
      command(node(script, "{folder}", "second.json"), run.folder),
    ]);
    expect(results).toMatchObject([{ status: "delivered" }, { status: "delivered" }]);
    const seen = ["first.json", "second.json"].map((name) =>
      JSON.parse(readFileSync(join(run.folder, name), "utf8")),
    );
    for (const { folder: given, mode, files } of seen) {
      expect(basename(given)).toBe("weekly");
      expect(mode).toBe(0o700);
      expect(files).toEqual({
        "/channel.csv": "channel,calls\r\n",
        "calls/month=2026-10/calls.parquet": "PAR1",
        "/manifest.json": "{}\n",
      });
      expect(existsSync(given)).toBe(false);
    }
    expect(existsSync(join(folder, "channel.csv"))).toBe(true);
    expect(readdirSync(run.folder).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it("gives a command the only file of a run, and starts none if a file differs from the report's", async () => {
    using run = makeRun();
    const copy = (name: string) =>
      command(node("require('fs').copyFileSync(...process.argv.slice(1))", "{file}", name), run.folder);
    expect(await send(run, [copy("copied")])).toMatchObject([{ status: "delivered" }]);
    expect(readFileSync(join(run.folder, "copied"), "utf8")).toBe("channel,calls\r\nDirect,3\r\n");
    const failed = async (last_error: string) =>
      expect(await send(run, [copy(last_error.slice(0, 8))])).toMatchObject([
        { status: "failed", attempts: 1, last_error: expect.stringContaining(last_error) },
      ]);
    writeFileSync(join(run.folder, "manifest.json"), "of another run");
    await failed(`${join(run.folder, "manifest.json")}: its content is not what the report wrote`);
    rmSync(join(run.folder, "channel.csv"));
    await failed(`Cannot copy ${join(run.folder, "channel.csv")} for the delivery: ENOENT`);
    expect(readdirSync(run.folder).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it("fails after another exit code, a signal, or if the program is missing, and quotes the last output", async () => {
    using run = makeRun();
    const wrong: [string, ...string[]][] = [
      node(
        `process.stderr.write("y".repeat(9000) + "\\u001b[31mno room, TOKEN-OF-17\\n"); process.exitCode = 3`,
      ),
      node(`process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000)`),
      ["/nowhere/rclone"],
      ["rclone", "\0"],
    ];
    const targets = wrong.map((argv) => command(argv, run.folder));
    const results = await send(run, targets, { secrets: ["TOKEN-OF-17"] });
    const says = [
      /ended with 3, and wrote last: y+\\u001b\[31mno room, \[secret\]$/,
      /was ended by SIGKILL$/,
      /^Cannot start \/nowhere\/rclone: spawn \/nowhere\/rclone ENOENT$/,
      /^Cannot start rclone: .* without null bytes/,
    ];
    expect(results).toMatchObject(
      says.map((said) => ({ status: "failed", attempts: 1, last_error: expect.stringMatching(said) })),
    );
    expect(results[0]?.last_error?.length).toBeLessThan(4200);
  });

  it("fails a command after the timeout, even if it exits with 0, and stops its child processes", async () => {
    const script = `const { pid } = require("child_process").spawn("sleep", ["600"], { stdio: "inherit" });
      process.on("SIGTERM", () => process.exit(0));
      require("fs").writeFileSync("started", String(pid)); setInterval(() => {}, 1000)`;
    const { result, child, seconds } = await withEnoughTime(500, async (timeoutMs) => {
      using run = makeRun();
      const [result] = await send(run, [command(node(script), run.folder, timeoutMs)]);
      const started = join(run.folder, "started");
      if (!existsSync(started)) return undefined;
      return { result, child: readFileSync(started, "utf8"), seconds: timeoutMs / 1000 };
    });
    const last_error = `${process.execPath} did not end within ${seconds} s`;
    expect(result).toMatchObject({ status: "failed", attempts: 1, last_error });
    while (isRunning(child)) await sleep(10); // for ever, unless it is stopped
  });

  it("does not wait for a process that a command leaves running, even if it holds the output open", async () => {
    using run = makeRun();
    const script = `const { spawn } = require("child_process");
      const { pid } = spawn("sleep", ["600"], { detached: true, stdio: "inherit" });
      require("fs").writeFileSync("left", String(pid)); process.exit(0)`;
    expect(await send(run, [command(node(script), run.folder)])).toMatchObject([{ status: "delivered" }]);
    const left = readFileSync(join(run.folder, "left"), "utf8");
    expect(isRunning(left)).toBe(true);
    process.kill(Number(left));
  });

  it.each([
    { what: "a command", first: "" },
    { what: "one that ignores SIGTERM", first: 'process.on("SIGTERM", () => {});' },
  ])("stops $what when the signal aborts", async ({ first }) => {
    using run = makeRun();
    const stop = new AbortController();
    const watched = watch(run.folder, (_event, name) => {
      if (name === "ready") stop.abort(new Error("stopped"));
    });
    const script = `${first} require("fs").writeFileSync("ready", ""); setInterval(() => {}, 1000)`;
    const [result] = await send(run, [command(node(script), run.folder)], { signal: stop.signal });
    watched.close();
    expect(result).toMatchObject({ status: "failed", last_error: `${process.execPath} was stopped` });
  });

  it("gives a command no input to wait for, and runs it once when two calls run at the same time", async () => {
    using run = makeRun();
    const targets = [command(["sh", "-c", "cat; echo once >> log"], run.folder)];
    await Promise.all([send(run, targets), send(run, targets)]);
    expect(readFileSync(join(run.folder, "log"), "utf8")).toBe("once\n");
  });

  it("does not start a command if the signal aborts while its files are copied", async () => {
    using run = makeRun();
    const stop = new AbortController();
    let calls = 0;
    const clock = new FakeClock();
    const now = () => {
      if (++calls === 3) stop.abort(new Error("stopped")); // as the attempt is recorded
      return clock.now();
    };
    const impatient = { now, sleep: () => Promise.resolve() };
    const targets = [command(["touch", "started"], run.folder)];
    const [result] = await send(run, targets, { signal: stop.signal, clock: impatient });
    expect(result).toMatchObject({ status: "pending", attempts: 1, last_error: "touch was not started" });
    expect(existsSync(join(run.folder, "started"))).toBe(false);
    expect(await send(run, targets)).toMatchObject([{ status: "delivered", attempts: 2 }]);
  });
});
