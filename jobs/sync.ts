import { runFromSource } from "../src/cli/run-from-source.ts";

// `node jobs/sync.ts` is `calltally job sync`.
if (import.meta.main) await runFromSource(["job", "sync", ...process.argv.slice(2)]);
