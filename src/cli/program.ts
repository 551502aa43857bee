import { Command } from "@commander-js/extra-typings";
import packageJson from "../../package.json" with { type: "json" };
import type { ExitCode } from "../errors.ts";
import type { Context } from "./context.ts";
import { demoCommand } from "./demo.ts";
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
  const commands = [
    demoCommand(context, exit),
    syncCommand(context, exit),
    exportCommand(context),
    explainCommand(context),
    statusCommand(context),
    queryCommand(context, exit),
    schemaCommand(context),
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
  for (const command of [program, ...commands, ...commands.flatMap(({ commands: nested }) => nested)]) {
    command.exitOverride().showHelpAfterError("(add --help for what is allowed)");
    command.configureOutput({ writeOut: context.print, writeErr: context.note });
  }
  return program;
}
