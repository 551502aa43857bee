import { watchParent } from "../base/watch-parent.ts";
import type { Query } from "./parse-options.ts";
import { readQuery } from "./read-rows.ts";
import { serveTasks } from "./serve-tasks.ts";

// Runs one query for the process that has forked this one.
const [, , path = ""] = process.argv;
await watchParent(process.ppid);

const TASKS = { query: (_signal: AbortSignal, query: Query) => readQuery(path, query) };

export type QueryTasks = typeof TASKS;
serveTasks(TASKS);
