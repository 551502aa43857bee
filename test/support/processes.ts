import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** Returns the ids of a process's children, if the system lists them. */
export function childrenOf(pid: number | undefined): string[] {
  const ids = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return ids === "" ? [] : ids.split(" ");
}

/** Returns the ids of a process's children, once there are that many. */
export async function untilChildren(pid: number | undefined, count: number): Promise<string[]> {
  for (;;) {
    const children = childrenOf(pid);
    if (children.length >= count) return children;
    await wait(10);
  }
}

/** Whether a process exists and is not a zombie. */
export function isRunning(pid: string): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Returns the mark of a process that has ended. */
export const endedProcess = (): string => `${spawnSync("true").pid}@1`;
