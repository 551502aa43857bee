import { readFileSync } from "node:fs";
import { codeOf } from "./errors.ts";

/**
 * Returns the process id and, on Linux, `@` and its start in ticks, because ids are reused, e.g. in containers.
 * Undefined if there is no such process.
 */
export function markProcess(pid: number = process.pid): string | undefined {
  if (process.platform !== "linux") return isAlive(pid) ? String(pid) : undefined;
  try {
    // proc_pid_stat(5): the name in field 2 may contain brackets; the start time is field 22.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return `${pid}@${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}`;
  } catch {
    return undefined;
  }
}

export function hasEnded(mark: string): boolean {
  return markProcess(Number.parseInt(mark, 10)) !== mark;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
