import { serveTasks } from "./serve-tasks.ts";
import { type PlainOptions, syncSteps } from "./sync-steps.ts";

const TASKS = { sync: (signal: AbortSignal, options: PlainOptions) => syncSteps(signal, options) };

export type SyncTasks = typeof TASKS;
serveTasks(TASKS);
