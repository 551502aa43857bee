import { runFromSource } from "../src/cli/run-from-source.ts";
import { REPORT_JOB } from "../src/reports/report.ts";

// `node jobs/report.ts weekly` is `calltally job report:weekly`.
if (import.meta.main) {
  const [name = "", ...args] = process.argv.slice(2);
  await runFromSource(["job", `${REPORT_JOB}${name}`, ...args]);
}
