import { Command, Option } from "@commander-js/extra-typings";
import type { Context } from "./context.ts";
import { REPORT_CHOICES } from "./init/report-choices.ts";
import { oneOf } from "./suggest.ts";

/** Without `--config` and `--account`, which the program reads for all commands. */
export type InitFlags = Omit<ReturnType<ReturnType<typeof declareInit>["opts"]>, "config" | "account">;

export function initCommand(context: Context) {
  return declareInit().action(async (flags) => {
    // Its prompts bring a library along that other commands need not wait for.
    const { runInit } = await import("./init/run-init.ts");
    await runInit(context, flags);
  });
}

function declareInit() {
  return new Command("init")
    .description(
      `Writes calltally.yaml and the file of the token, after one request that tries it; never over an existing file.
On a terminal it asks for what the flags do not say; without one it takes flags alone.`,
    )
    .option("--base-url <url>", "address of the API, without /v3")
    .option("--token-file <file>", "file that holds the bearer token; - reads it from standard input")
    .option("--timezone <zone>", "IANA time zone of the days in reports, e.g. America/New_York")
    .option("--account <name>", "what to call the account; by default, it goes by the address")
    .addOption(
      new Option("--report <which>", `the first report (${REPORT_CHOICES[0]})`)
        .choices(REPORT_CHOICES)
        .argParser(oneOf(REPORT_CHOICES)),
    )
    .option("--out <folder>", "folder for reports, from that of calltally.yaml on (reports)")
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
