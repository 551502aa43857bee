import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import packageJson from "../../package.json" with { type: "json" };
import type { ExitCode } from "../errors.ts";
import type { Context } from "./context.ts";

type CreateCommand = (context: Context, exit: (code: ExitCode) => void) => CommandUnknownOpts;

interface Entry {
  name: string;
  /** Its line in the help of the program. */
  summary: string;
  load: () => Promise<CreateCommand>;
}

/** The commands, in the order of the help. */
const COMMANDS: readonly Entry[] = [
  {
    name: "demo",
    summary: "try it all without an account",
    load: async () => (await import("./demo.ts")).demoCommand,
  },
  {
    name: "sync",
    summary: "read the calls into the warehouse",
    load: async () => (await import("./sync.ts")).syncCommand,
  },
  {
    name: "export",
    summary: "write rollups, calls or ad conversions as files",
    load: async () => (await import("./export.ts")).exportCommand,
  },
  {
    name: "status",
    summary: "show the last runs, and what needs a look",
    load: async () => (await import("./status.ts")).statusCommand,
  },
  {
    name: "insight",
    summary: "read the details of insights",
    load: async () => (await import("./insight.ts")).insightCommand,
  },
  {
    name: "webhook",
    summary: "change webhooks of the service",
    load: async () => (await import("./webhook.ts")).webhookCommand,
  },
  {
    name: "schedule",
    summary: "run the jobs on their schedule, until stopped",
    load: async () => (await import("./job.ts")).scheduleCommand,
  },
  {
    name: "job",
    summary: "run one job once, for cron and systemd",
    load: async () => (await import("./job.ts")).jobCommand,
  },
  {
    name: "sandbox",
    summary: "serve the API with made-up calls, to try things on",
    load: async () => (await import("./sandbox.ts")).sandboxCommand,
  },
];

/**
 * Returns the whole command line; `exit` takes the code of a command that ends well but not clean.
 *
 * @param args what it will be asked to parse: commands that it does not name are there by name and summary alone, since
 * their libraries take several times as long to load as Node takes to start. By default all are whole.
 */
export async function createProgram(
  context: Context,
  exit: (code: ExitCode) => void,
  args: readonly string[] = COMMANDS.map(({ name }) => name),
): Promise<Command> {
  const program = new Command("calltally")
    .description(packageJson.description)
    .version(packageJson.version)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText("after", "\nExample:\n  $ calltally demo");
  for (const { name, summary, load } of COMMANDS) {
    const command = args.includes(name) ? (await load())(context, exit) : new Command(name);
    program.addCommand(command.summary(summary));
  }
  configure(program, context);
  return program;
}

/** Gives a command and those below it what all have in common. */
function configure(command: CommandUnknownOpts, context: Context): void {
  command.exitOverride().showHelpAfterError("(add --help for what is allowed)");
  command.configureOutput({ writeOut: context.print, writeErr: context.note });
  for (const nested of command.commands) configure(nested, context);
}
