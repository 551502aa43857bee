import { Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import type { ExitCode } from "../errors.ts";
import { exitCodeOf, runSync } from "../sync/run.ts";
import { toSyncOptions } from "../sync/sync-options.ts";
import { attributionProgress } from "./attribution-progress.ts";
import { type Context, OPTION, settingsOf } from "./context.ts";
import { noteUnmatchedDispositions } from "./disposition-note.ts";
import { ProgressBar } from "./progress.ts";
import { summarizeRun } from "./summary.ts";

export function syncCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("sync")
    .description("Copies all attributed calls into the warehouse, and reports whether the pass was complete.")
    .option(...OPTION.database)
    .option("--limit <rows>", "calls per page, 2 to 1000 (CALLTALLY_LIMIT, 1000)")
    .option("--concurrency <pages>", "pages fetched concurrently, 1 to 32 (CALLTALLY_CONCURRENCY, 4)")
    .addOption(new Option("--full", "run a full pass over all calls").conflicts("incremental"))
    .option("--incremental", "sync incrementally, and never fall back to a full pass")
    .option("--accept-gone <calls>", "accept that up to this many calls go missing at once", parseCount, 0)
    .option("--now", "start now, even if the service asked for a pause")
    .option("--rebind", "the address or token is another one, but of the same account: the service has moved")
    .option(...OPTION.json)
    .addHelpText(
      "after",
      "\nExample:\n  $ CALLTALLY_BASE_URL=https://api.example.com CALLTALLY_TOKEN_FILE=token.txt calltally sync",
    )
    .action(async ({ json, full, incremental, acceptGone, now, rebind, ...flags }) => {
      const settings = settingsOf(context, flags);
      const options = toSyncOptions(settings);
      const force = full ? "full" : incremental ? "incremental" : undefined;
      using progress = new ProgressBar(context.quiet);
      const { signal } = context;
      const run = await runSync({
        ...options,
        force,
        acceptGone,
        now,
        rebind,
        signal,
        onProgress: progress.update,
        onAttributed: attributionProgress(context),
      });
      progress[Symbol.dispose]();
      if (json) context.print(JSON.stringify(run));
      else context.tell(summarizeRun(run));
      noteUnmatchedDispositions(context, settings);
      exit(exitCodeOf(run));
    });
}

function parseCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a number of calls.");
}
