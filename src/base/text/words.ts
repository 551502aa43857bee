/** What hints name, in the words of a surface: commands and flags, or functions and options. */
export interface Words {
  sync: string;
  fullSync: string;
  /** Sends requests although the service asked for a pause. */
  syncNow: string | undefined;
  database: string;
  baseUrl: string;
  orgUnitId: string;
  retrySeconds: string;
  limit: string;
  aliases: string;
  /** How the folder of an export is given. */
  out: string;
  /** Replaces the files of another warehouse. */
  replace: string | undefined;
  format: string;
  top: string;
  minCell: string;
}

export type Hint = string | ((words: Words) => string);

export const COMMAND_LINE: Words = {
  sync: "`calltally sync`",
  fullSync: "`calltally sync --full`",
  syncNow: "`calltally sync --now`",
  database: "CALLTALLY_DATABASE",
  baseUrl: "CALLTALLY_BASE_URL",
  orgUnitId: "CALLTALLY_ORG_UNIT_ID",
  retrySeconds: "CALLTALLY_RETRY_SECONDS",
  limit: "--limit",
  aliases: "CALLTALLY_ALIASES",
  out: "with --out",
  replace: "--replace",
  format: "--format",
  top: "--top",
  minCell: "--min-cell",
};
