import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import packageJson from "../../package.json" with { type: "json" };
import type { ExitCode } from "../errors.ts";
import { backupCommand, restoreCommand } from "./backup.ts";
import { completeCommand, completionCommand } from "./completion.ts";
import type { Context } from "./context.ts";
import { demoCommand } from "./demo.ts";
import { doctorCommand } from "./doctor.ts";
import { explainCommand } from "./explain.ts";
import { exportCommand } from "./export.ts";
import { insightCommand } from "./insight.ts";
import { jobCommand } from "./job.ts";
import { queryCommand } from "./query.ts";
import { sandboxCommand } from "./sandbox.ts";
import { scheduleCommand } from "./schedule.ts";
import { schemaCommand } from "./schema.ts";
import { statusCommand } from "./status.ts";
import { syncCommand } from "./sync.ts";
import { webhookCommand } from "./webhook.ts";

/** Returns the whole command line; `exit` takes the code of a command that ends well but not clean. */
export function createProgram(context: Context, exit: (code: ExitCode) => void): Command {
  const program = createBare(context, exit);
  const completion = completionCommand();
  const complete = completeCommand(() => createBare(context, exit));
  for (const command of [completion, complete]) configure(command, context);
  program.addCommand(completion).addCommand(complete, { hidden: true });
  return program;
}

/** The program without its own completion. */
function createBare(context: Context, exit: (code: ExitCode) => void): Command {
  const commands = [
    demoCommand(context, exit),
    syncCommand(context, exit),
    exportCommand(context),
    explainCommand(context),
    queryCommand(context, exit),
    schemaCommand(context),
    statusCommand(context, exit),
    doctorCommand(context, exit),
    backupCommand(context),
    restoreCommand(context),
    insightCommand(context),
    webhookCommand(context),
    scheduleCommand(context),
    jobCommand(context, exit),
    sandboxCommand(context),
  ];
  const program = new Command("calltally")
    .description(packageJson.description)
    .version(packageJson.version)
    .addHelpText("after", "\nExample:\n  $ calltally demo");
  for (const command of commands) program.addCommand(command);
  configure(program, context);
  return program;
}

/** Gives a command and those below it what all have in common. */
function configure(command: CommandUnknownOpts, context: Context): void {
  command.exitOverride().showHelpAfterError("(add --help for what is allowed)");
  command.configureOutput({ writeOut: context.print, writeErr: context.complain });
  command.option("--quiet", "no summaries, remarks or progress");
  command.hook("preAction", (_, action) => {
    context.quiet = action.optsWithGlobals().quiet === true;
  });
  for (const nested of command.commands) configure(nested, context);
}
