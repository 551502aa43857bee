import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { BRIEF_RETRY, deliver } from "../../../src/reports/delivery/deliver.ts";
import { readDeliveries } from "../../../src/reports/delivery/delivery-table.ts";
import type { DeliveryTarget } from "../../../src/reports/delivery/delivery-target.ts";
import { startMailServer } from "./mail-server.ts";
import { commandTo, emailTo, makeRun, smtpAt, VALUES, writeReportFile, writeSummary } from "./report.ts";

// However a process is killed: nobody gets a report twice, and a possible delivery is not repeated unless requested.

type Run = ReturnType<typeof makeRun>;
/** Bytes of a file: more than the machine buffers of a message between two processes. */
const LARGE = 12_000_000;
const PROGRAM = join(import.meta.dirname, "deliver-program.ts");

/** Delivers a run in another process. */
function startProcess({ database, summary }: Run, channel: string, place: string | number): ChildProcess {
  writeSummary(summary);
  const args = [PROGRAM, database, summary.folder, channel, String(place)];
  return spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
}

/** Resumes a run after its process was killed. */
async function goOn({ warehouse, runId, summary }: Run, target: DeliveryTarget) {
  const job = { runId, summary, values: VALUES, targets: [target] };
  const options = { signal: new AbortController().signal, retry: BRIEF_RETRY };
  const [result] = await deliver(warehouse, job, options);
  return result?.status;
}

function statusOf({ warehouse, runId }: Run): string | undefined {
  return readDeliveries(warehouse, runId)[0]?.status;
}

it("deliver sends a mail exactly once if the process was killed within the message", async () => {
  using run = makeRun();
  let child: ChildProcess | undefined;
  await using server = await startMailServer({ onData: () => void child?.kill("SIGKILL") });
  const file = writeReportFile(run.folder, "file.bin", Buffer.alloc(LARGE, "x"));
  child = startProcess({ ...run, summary: { ...run.summary, files: [file] } }, "email", server.port);
  await once(child, "exit");
  expect(statusOf(run)).toBe("pending");
  expect(await goOn(run, emailTo(["ann@example.com"], smtpAt(server.port)))).toBe("delivered");
  expect(server.taken).toHaveLength(1);
});

it("deliver does not repeat a mail that the server had accepted when the process was killed before its second entry", async () => {
  using run = makeRun();
  const lock = run.warehouse.sqlite;
  const goodbye = Promise.withResolvers<void>();
  let isTaken = false;
  await using server = await startMailServer({
    onMessage: () => {
      isTaken = true;
      lock.exec("BEGIN IMMEDIATE"); // the second entry has to wait
      return undefined;
    },
    onClose: () => {
      if (isTaken) goodbye.resolve();
    },
  });
  const child = startProcess(run, "email", server.port);
  await goodbye.promise; // so the process has the reply
  child.kill("SIGKILL");
  await once(child, "exit");
  lock.exec("COMMIT");
  expect(statusOf(run)).toBe("outcome unknown");
  expect(await goOn(run, emailTo(["ann@example.com"], smtpAt(server.port)))).toBe("outcome unknown");
  expect(server.taken).toHaveLength(1);
});

it("deliver does not repeat a command that ran when the process was killed, and removes its files", async () => {
  using run = makeRun();
  const script = "kill -9 $PPID; echo x >> ran";
  const left = () => readdirSync(run.folder).filter((name) => name.includes(".delivery-"));
  const child = startProcess(run, "command", script);
  await once(child, "exit");
  expect(child.signalCode).toBe("SIGKILL");
  expect(left()).toHaveLength(1);
  expect(await goOn(run, commandTo(script, run.folder))).toBe("outcome unknown");
  expect(left()).toEqual([]);
  const ran = join(run.folder, "ran");
  const written = () => (existsSync(ran) ? readFileSync(ran, "utf8") : "");
  while (written() === "") await sleep(10); // the shell creates the file before it writes
  expect(written()).toBe("x\n");
});
