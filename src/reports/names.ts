export const REPORT_JOB = "report:";
/** Prefix of the job that makes a report again after its figures changed. */
export const RESTATED_JOB = "restated:";
