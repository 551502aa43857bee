import { equal, match, ok } from "node:assert/strict";
import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { makeTempFolder } from "../support/temp-folder.ts";
import { findUnsynced } from "./durability.ts";
import { runProgram } from "./program.ts";
import type { Scene } from "./scene.ts";
import { runTraced, type SystemCall, type Traced } from "./system-calls.ts";

/** One disturbance of a scene. */
export interface Trial {
  scene: Scene;
  /** E.g. `sync KILL pwrite64 data/calltally.db-wal 3`, or `sync EIO fsync 3+` for the third call and all after it. */
  id: string;
  /** In the notation of strace. */
  rule: string;
  /** Files whose calls are counted and hit, relative to the folder. */
  paths: readonly string[];
}

/** EXIT.storage of src/base/errors.ts: the error names the disk. */
const EXIT_STORAGE = 7;

/** The rule for a single call, and for one and all that follow. */
const AT_ONE = { KILL: "signal=KILL", ENOSPC: "error=ENOSPC", EIO: "error=EIO" };
const FROM_ONE_ON = { ENOSPC: "error=ENOSPC", EIO: "error=EIO" };

/**
 * Runs a scene undisturbed under strace, and plans trials for each system call by which it changes one of its files.
 *
 * @throws Error if a file got its name before its content was on the disk
 */
export async function planTrials(bin: string, scene: Scene): Promise<Trial[]> {
  using temp = makeTempFolder();
  const folder = realpathSync(temp.path);
  scene.prepare(folder);
  const command = [process.execPath, bin, ...scene.args];
  const { code, stderr, calls } = await runTraced(command, { cwd: folder, env: scene.env });
  equal(code, 0, stderr);

  const own = calls
    .map((call) => ({ ...call, paths: call.paths.filter((path) => path.startsWith(folder)) }))
    .filter(({ paths }) => paths.length > 0);
  equal(findUnsynced(own).join("\n"), "");
  const planned = disturbEach(own, folder).map((trial) => ({
    ...trial,
    scene,
    id: `${scene.name} ${trial.id}`,
  }));
  return [...new Map(planned.map((trial) => [trial.id, trial])).values()];
}

function disturbEach(calls: readonly SystemCall[], folder: string): Omit<Trial, "scene">[] {
  const pathOf = ({ paths: [path = ""] }: SystemCall) => relative(folder, path);
  const all = [...new Set(calls.map(pathOf))];
  const count = makeCounter();
  return calls.flatMap((call) => {
    const { name, thread } = call;
    const path = pathOf(call);
    // strace counts by thread. One thread makes all the calls on a file.
    const nth = count(`${name} ${path}`);
    const nthOfAll = count(`${name} ${thread}`);
    return [
      ...Object.entries(AT_ONE).map(([title, effect]) => ({
        id: `${title} ${name} ${path} ${nth}`,
        rule: `${name}:${effect}:when=${nth}`,
        paths: [path],
      })),
      ...Object.entries(FROM_ONE_ON).map(([title, effect]) => ({
        id: `${title} ${name} ${nthOfAll}+`,
        rule: `${name}:${effect}:when=${nthOfAll}+`,
        paths: all,
      })),
    ];
  });
}

/**
 * Runs a trial in a folder of its own: disturbs the program, checks what it left, and lets it run again.
 *
 * @returns false if the disturbance never came, since this run made fewer such calls
 * @throws Error with the fault
 */
export async function makeTrial(bin: string, { scene, rule, paths }: Trial): Promise<boolean> {
  using temp = makeTempFolder();
  const folder = realpathSync(temp.path);
  scene.prepare(folder);
  const command = [process.execPath, bin, ...scene.args];
  const options = { cwd: folder, env: scene.env };

  const injection = { rule, paths: paths.map((path) => join(folder, path)) };
  const disturbed = await runTraced(command, options, injection);
  const isKilled = rule.includes("KILL") && disturbed.isHit;
  if (!isKilled) checkExit(disturbed);
  scene.check(folder, isKilled ? "killed" : disturbed.code === 0 ? "done" : "failed");

  const { code, stderr } = await runProgram(command, options);
  equal(code, 0, `the run after it ended with ${code}: ${stderr}`);
  scene.check(folder, "done");
  return disturbed.isHit;
}

/** An error of the disk is harmless, or the program names the file. */
function checkExit({ hung, code, signal, stderr }: Traced): void {
  ok(!hung, "it hung");
  if (code === 0) return;
  equal(code, EXIT_STORAGE, `it ended with ${code ?? signal}: ${stderr}`);
  match(stderr, /data/, `the message names no file: ${stderr}`);
}

/** Counts the occurrences of each key, from 1. */
function makeCounter(): (key: string) => number {
  const counts = new Map<string, number>();
  return (key) => {
    const next = (counts.get(key) ?? 0) + 1;
    counts.set(key, next);
    return next;
  };
}
