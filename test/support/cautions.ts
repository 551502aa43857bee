/** What an export of calls with a short history, up to the days that may still change, says on standard error. */
export const CAUTIONS =
  "First-time callers of these days may be too many: fewer than 90 days of calls lie before them.\n" +
  "The latest days are provisional: late transcripts and corrections may still come.\n";
