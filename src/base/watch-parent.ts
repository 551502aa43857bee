import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** How often to check whether the parent process still exists. */
const WATCH_MS = 250;

/** Kills this process, even during a statement of SQLite, once its parent has ended and cannot do so. */
export async function watchParent(parent: number): Promise<void> {
  const watch = `setInterval(() => process.ppid === ${parent} || process.kill(process.pid, "SIGKILL"), ${WATCH_MS})`;
  const watcher = new Worker(watch, { eval: true });
  await once(watcher, "online");
  watcher.unref();
}
