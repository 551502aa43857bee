import { insightsJob } from "../../features/insights/insights-job.ts";
import type { Job } from "../../schedule/job-definition.ts";
import { exportJob } from "./export.ts";
import { syncJob } from "./sync.ts";

/** All jobs, by which `calltally job` and `calltally schedule` know them. */
export const JOBS: readonly Job[] = [syncJob, exportJob, insightsJob];
