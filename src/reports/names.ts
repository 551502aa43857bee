/** What the name of a report's job begins with. */
export const REPORT_JOB = "report:";
/** What the name of the job begins with that makes a report again where its figures have changed. */
export const RESTATED_JOB = "restated:";
