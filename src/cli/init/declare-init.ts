import { Command } from "@commander-js/extra-typings";
import { choice } from "../suggest.ts";
import { REPORT_CHOICES } from "./report-choices.ts";

/** Without `--config` and `--account`, which the program reads for all commands. */
export type InitFlags = Omit<ReturnType<ReturnType<typeof declareInit>["opts"]>, "config" | "account">;

export function declareInit() {
  return new Command("init")
    .description(
      `Writes calltally.yaml and a file for the token, after trying the token with one request. Existing files are never overwritten.
On a terminal, it asks for whatever the flags leave out. Elsewhere, --base-url, --token-file and --timezone are required.`,
    )
    .option("--base-url <url>", "address of the API, without /v3")
    .option("--token-file <file>", "file that holds the bearer token; - reads it from standard input")
    .option("--timezone <zone>", "IANA time zone of the days in reports, e.g. America/New_York")
    .option("--account <name>", "name of the account; by default, made from the address")
    .addOption(
      choice("--report <which>", REPORT_CHOICES, `the first report; ${REPORT_CHOICES[0]} by default`),
    )
    .option("--out <folder>", "folder for reports, relative to that of calltally.yaml (reports)")
    .option("--email <address...>", "who gets the report by e-mail")
    .option(
      "--smtp-url-file <file>",
      "file that holds the address of the mail server, smtps://user:password@…?from=…",
    )
    .option("--offline", "write the files without trying the token")
    .option("--config <file>", "the file to write (CALLTALLY_CONFIG, calltally.yaml)")
    .addHelpText(
      "after",
      `
Examples:
  $ calltally init
  $ calltally init --base-url https://api.example.com --token-file - --timezone Europe/Berlin < token`,
    );
}
