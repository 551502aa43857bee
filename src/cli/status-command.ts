import { Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { type Age, parseAge } from "../calendar/age-text.ts";
import { describeError, EXIT, type ExitCode } from "../errors.ts";
import { type Context, OPTION, settingsOf } from "./context.ts";
import { noteOtherRules } from "./rules-note.ts";
import { readStatus } from "./status/read-status.ts";
import { describeHistory, describeStatus } from "./status/status-screen.ts";

const RUNS_SHOWN = 5;

export function statusCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("status")
    .description(
      "Shows on one screen whether syncs work, how fresh and how complete the copy is, what was rejected, what " +
        "differs from the documented API, and what runs next.",
    )
    .option(
      "--max-age <age>",
      "exit with code 3 if the last good run is older than this, e.g. 30m, 2h or 1d",
      parseMaxAge,
    )
    .option("--runs <count>", "show only this many runs", parseRuns)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      "\nExample:\n  $ calltally status --max-age 2h > /dev/null || echo calltally is late",
    )
    .action(({ json, maxAge, runs, ...flags }) => {
      const nowMs = Date.now();
      const settings = settingsOf(context, flags);
      const status = readStatus(settings, { runs: runs ?? RUNS_SHOWN, nowMs });
      if (json) context.print(JSON.stringify(status));
      else context.print(runs === undefined ? describeStatus(status, nowMs) : describeHistory(status.runs));
      noteOtherRules(context, settings);
      if (maxAge === undefined) return;
      const finishedAt = status.last_good_run?.finished_at;
      if (finishedAt && nowMs - Date.parse(finishedAt) <= maxAge.ms) return;
      context.complain(
        finishedAt
          ? `calltally: The last good run is older than ${maxAge.text}`
          : "calltally: There has been no good run",
      );
      exit(EXIT.unverified);
    });
}

function parseMaxAge(text: string): Age {
  try {
    return parseAge(text);
  } catch (error) {
    throw new InvalidArgumentError(`It ${describeError(error)}.`);
  }
}

function parseRuns(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a number of runs.");
}
