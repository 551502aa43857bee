import { Argument, Command } from "@commander-js/extra-typings";
import { JOBS } from "../../jobs/all.ts";
import { runSchedule } from "../../jobs/schedule.ts";
import type { ExitCode } from "../errors.ts";
import { openLog } from "../log.ts";
import { toSyncOptions } from "../sync/options.ts";
import { type Context, settingsOf } from "./context.ts";
import { oneOf } from "./suggest.ts";

const NAMES = JOBS.map((job) => job.name);

export function jobCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("job")
    .description("Runs one job of the schedule once, with log lines instead of a summary.")
    .addArgument(new Argument("<name>", "the job").choices(NAMES).argParser(oneOf(NAMES)))
    .addHelpText("after", "\nExample:\n  $ calltally job sync")
    .action(async (name) => {
      const settings = settingsOf(context);
      for (const job of JOBS.filter((known) => known.name === name)) {
        exit(await job.run({ settings, log: openLog().child({ job: name }), signal: context.signal }));
      }
    });
}

export function scheduleCommand(context: Context) {
  return new Command("schedule")
    .description(
      "Runs sync and export by CALLTALLY_SYNC_CRON and CALLTALLY_EXPORT_CRON, until SIGTERM or SIGINT.",
    )
    .addHelpText("after", '\nExample:\n  $ CALLTALLY_SYNC_CRON="*/15 * * * *" calltally schedule')
    .action(async () => {
      const settings = settingsOf(context);
      toSyncOptions(settings); // what every sync would stumble over should be said before the first
      await runSchedule(JOBS, { settings, log: openLog(), signal: context.signal });
    });
}
