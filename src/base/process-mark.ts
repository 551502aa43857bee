import { readFileSync } from "node:fs";

/** The process id and, on Linux, `@` and its start in ticks: ids come again, as in containers. Undefined if there is none. */
export function markProcess(pid: number = process.pid): string | undefined {
  if (process.platform !== "linux") return isAlive(pid) ? String(pid) : undefined;
  try {
    // proc_pid_stat(5): the name of the program, field 2, is in brackets and may hold any; the start is field 22.
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
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
