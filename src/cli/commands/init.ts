import { Command } from "@commander-js/extra-typings";
import type { Context } from "../context.ts";

export const command = (context: Context) =>
  new Command("init")
    .description(
      `Writes calltally.yaml and a file for the token, after trying the token with one request. Existing files are never overwritten.
On a terminal, it asks for what the flags leave out. Elsewhere, --base-url, --token-file and --timezone are required.`,
    )
    .option("--base-url <url>", "address of the API, without /v3")
    .option("--token-file <file>", "file that holds the bearer token; - reads it from standard input")
    .option("--timezone <zone>", "IANA time zone of the days in reports, e.g. America/New_York")
    .option("--account <name>", "name of the account; by default, made from the address")
    .option("--offline", "write the files without trying the token")
    .option("--config <file>", "the file to write (CALLTALLY_CONFIG, calltally.yaml)")
    .addHelpText(
      "after",
      `
Examples:
  $ calltally init
  $ calltally init --base-url https://api.example.com --token-file - --timezone America/Chicago < token`,
    )
    .action(async (flags) => {
      // Loaded here, so that other commands do not wait for its prompts.
      const { runInit } = await import("../init/run-init.ts");
      await runInit(context, flags);
    });
