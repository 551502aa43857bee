/** The cautions on standard error for an export of calls with a short history, up to days that may still change. */
export const CAUTIONS =
  "First-time callers of these days may be too many: fewer than 90 days of calls lie before them.\n" +
  "The latest days are provisional: late transcripts and corrections may still come.\n";
