import { runFromSource } from "../src/cli/run-from-source.ts";

// `node jobs/export.ts` is `calltally job export`.
if (import.meta.main) await runFromSource(["job", "export", ...process.argv.slice(2)]);
