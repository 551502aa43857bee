/** Reports that `init` can begin with. */
export const REPORT_CHOICES = ["weekly-workbook", "weekly-page", "daily-csv", "none"] as const;
export type ReportChoice = (typeof REPORT_CHOICES)[number];
