import { join } from "node:path";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type Finding, median, ratioOf } from "./finding.ts";
import type { BenchOptions } from "./options.ts";
import { isInstalled, measure, measureCalltally, startPageServer } from "./process.ts";

/** What one would write in an hour, each with its script beside this file; they check nothing of what they read. */
const PEERS = [
  { what: "curl | jq | sqlite3", script: "peer-shell.sh", needs: ["curl", "jq", "sqlite3"] },
  { what: "curl | jq | sqlite-utils", script: "peer-sqlite-utils.sh", needs: ["curl", "jq", "sqlite-utils"] },
] as const;

/** How fast are other ways to the same table of calls? */
export async function* peers({ peerCalls: calls, runs, skip }: BenchOptions): AsyncGenerator<Finding> {
  await using server = await startPageServer(calls);
  for (const { what, script, needs } of PEERS) {
    const missing = needs.filter((program) => !isInstalled(program));
    if (missing.length > 0) {
      skip(`${what}: SKIPPED, not installed: ${missing.join(", ")}`);
      continue;
    }
    const [ours, theirs] = [[] as number[], [] as number[]];
    for (let run = 0; run < runs; run++) {
      using folder = makeTempFolder();
      const args = [
        join(import.meta.dirname, script),
        server.url,
        String(calls),
        join(folder.path, "peer.db"),
      ];
      theirs.push((await measure("bash", args)).seconds);
      const sync = ["sync", "--full", "--json", "--database", join(folder.path, "calls.db")];
      ours.push((await measureCalltally(sync, server.env)).seconds);
    }
    const ratio = { value: ratioOf(theirs, ours), of: "times sync's time", atLeast: 3 };
    yield { what: `peer: ${what}`, calls, seconds: median(theirs), ratio };
  }
}
