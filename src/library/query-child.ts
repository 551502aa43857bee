import { watchParent } from "../base/watch-parent.ts";
import { toData } from "./error-data.ts";
import type { Query } from "./parse-options.ts";
import type { QueryReply } from "./query-process.ts";
import { readQuery } from "./read-rows.ts";

// Runs one query for the process that has forked this one: its first message is the query, each other one asks for rows.
const [, , path = ""] = process.argv;
await watchParent(process.ppid);

let rows: ReturnType<typeof readQuery> | undefined;
process.on("message", async (message: Query | "next") => {
  if (message !== "next") rows = readQuery(path, message);
  else process.send?.(await reply());
});

async function reply(): Promise<QueryReply> {
  try {
    return (await rows?.next()) ?? { done: true, value: undefined };
  } catch (error) {
    return { error: toData(error) };
  }
}
