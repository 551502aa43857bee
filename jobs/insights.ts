import { runFromSource } from "../src/cli/run-from-source.ts";

// `node jobs/insights.ts` is `calltally job insights`.
if (import.meta.main) await runFromSource(["job", "insights", ...process.argv.slice(2)]);
