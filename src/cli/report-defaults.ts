/** What the name of a report's job begins with. */
export const REPORT_JOB = "report:";
/** What the name of the job begins with that makes a report again where its figures have changed. */
export const RESTATED_JOB = "restated:";
/** The page. */
export const REPORT_FILE = "report.html";
/** Below the folder of exports, whose manifest tells of other files. */
export const REPORT_FOLDER = "report";
/** The days of a report that names none. */
export const DEFAULT_STRETCH = "4w";
