import { Command, type CommandUnknownOpts, Help, Option } from "@commander-js/extra-typings";
import packageJson from "../../package.json" with { type: "json" };
import type { ExitCode } from "../errors.ts";
import type { Context } from "./context.ts";
import { toUsageError } from "./usage-error.ts";

type CreateCommand = (context: Context, exit: (code: ExitCode) => void) => CommandUnknownOpts;

interface Entry {
  name: string;
  /** Its line in the help of the program. */
  summary: string;
  load: () => Promise<CreateCommand>;
}

/** The commands by task, in the order of the help. */
const TASKS: Readonly<Record<string, readonly Entry[]>> = {
  "Start here": [
    {
      name: "demo",
      summary: "try everything without an account",
      load: async () => (await import("./demo-command.ts")).demoCommand,
    },
    {
      name: "init",
      summary: "write calltally.yaml for a first account and report",
      load: async () => (await import("./init-command.ts")).initCommand,
    },
    {
      name: "sync",
      summary: "copy calls from the API into the warehouse",
      load: async () => (await import("./sync-command.ts")).syncCommand,
    },
  ],
  "Figures and files": [
    {
      name: "export",
      summary: "write rollups, calls or ad conversions as files",
      load: async () => (await import("./export-command.ts")).exportCommand,
    },
    {
      name: "report",
      summary: "write a page of charts and tables to look at",
      load: async () => (await import("./report-command.ts")).reportCommand,
    },
    {
      name: "run",
      summary: "make reports of calltally.yaml, and deliver them",
      load: async () => (await import("./run-command.ts")).runCommand,
    },
    {
      name: "spend",
      summary: "import what ads cost",
      load: async () => (await import("./spend-command.ts")).spendCommand,
    },
    {
      name: "restatements",
      summary: "list exported figures that changed, and why",
      load: async () => (await import("./restatements-command.ts")).restatementsCommand,
    },
    {
      name: "uploads",
      summary: "list files of conversions, and take one back",
      load: async () => (await import("./uploads-command.ts")).uploadsCommand,
    },
  ],
  "Questions to the warehouse": [
    {
      name: "query",
      summary: "query the warehouse in SQL",
      load: async () => (await import("./query-command.ts")).queryCommand,
    },
    {
      name: "schema",
      summary: "describe the tables, views and columns",
      load: async () => (await import("./schema-command.ts")).schemaCommand,
    },
    {
      name: "explain",
      summary: "show how a call was attributed, and why",
      load: async () => (await import("./explain-command.ts")).explainCommand,
    },
  ],
  Operation: [
    {
      name: "status",
      summary: "show how fresh and complete the warehouse is",
      load: async () => (await import("./status-command.ts")).statusCommand,
    },
    {
      name: "doctor",
      summary: "find problems, and say how to fix them",
      load: async () => (await import("./doctor-command.ts")).doctorCommand,
    },
    {
      name: "schedule",
      summary: "run the jobs on their schedule until stopped",
      load: async () => (await import("./schedule-command.ts")).scheduleCommand,
    },
    {
      name: "job",
      summary: "run one job once, for use with cron or systemd",
      load: async () => (await import("./job-command.ts")).jobCommand,
    },
    {
      name: "config",
      summary: "check, show and describe calltally.yaml",
      load: async () => (await import("./config-command.ts")).configCommand,
    },
    {
      name: "backup",
      summary: "copy the warehouse into one file, and verify the copy",
      load: async () => (await import("./backup-command.ts")).backupCommand,
    },
    {
      name: "restore",
      summary: "replace the warehouse with a backup",
      load: async () => (await import("./backup-command.ts")).restoreCommand,
    },
    {
      name: "publish",
      summary: "copy the facts to a ClickHouse cluster, and compare",
      load: async () => (await import("./publish-command.ts")).publishCommand,
    },
  ],
  "Personal data": [
    {
      name: "forget",
      summary: "remove a caller's personal data for good",
      load: async () => (await import("./forget-command.ts")).forgetCommand,
    },
    {
      name: "privacy",
      summary: "show when personal data was removed",
      load: async () => (await import("./privacy-command.ts")).privacyCommand,
    },
    {
      name: "prune",
      summary: "remove what the keep settings no longer allow",
      load: async () => (await import("./prune-command.ts")).pruneCommand,
    },
  ],
  "At the service": [
    {
      name: "insight",
      summary: "read the details of insights",
      load: async () => (await import("./insight-command.ts")).insightCommand,
    },
    {
      name: "webhook",
      summary: "change webhooks at the service",
      load: async () => (await import("./webhook-command.ts")).webhookCommand,
    },
  ],
  "Help and development": [
    {
      name: "docs",
      summary: "list the pages of the documentation, or read one",
      load: async () => (await import("./docs-command.ts")).docsCommand,
    },
    {
      name: "completion",
      summary: "print a completion script for a shell",
      load: async () => (await import("./completion-command.ts")).completionCommand,
    },
    {
      name: "sandbox",
      summary: "serve the documented operations locally with made-up data",
      load: async () => (await import("./sandbox-command.ts")).sandboxCommand,
    },
  ],
};
const COMMANDS = Object.values(TASKS).flat();
/** What the shells' scripts call; no person does. */
const COMPLETE = "complete";

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
  const program = await assemble(COMMANDS, context, exit, args);
  if (args[0] === COMPLETE) {
    const { completeCommand } = await import("./completion-command.ts");
    // The library that it uses adds a command for the scripts of its own.
    const others = COMMANDS.filter(({ name }) => name !== "completion");
    const names = others.map(({ name }) => name);
    const complete = completeCommand(() => assemble(others, context, exit, names));
    configure(complete, context);
    program.addCommand(complete, { hidden: true });
  }
  return program;
}

async function assemble(
  entries: readonly Entry[],
  context: Context,
  exit: (code: ExitCode) => void,
  args: readonly string[],
): Promise<Command> {
  const program = new Command("calltally")
    .description(packageJson.description)
    .version(packageJson.version)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    // The group of `help`.
    .commandsGroup("Help and development:")
    .helpCommand("help [command]", "print the help of a command")
    .addHelpText("after", "\nExample:\n  $ calltally demo");
  for (const [task, tasked] of Object.entries(TASKS)) {
    for (const { name, summary, load } of tasked.filter((entry) => entries.includes(entry))) {
      const command = args.includes(name) ? (await load())(context, exit) : new Command(name);
      program.addCommand(command.summary(summary).helpGroup(`${task}:`));
    }
  }
  configure(program, context);
  program.hook("preAction", async (_, action) => {
    if (action.parent?.name() === "config") return;
    // Not before an action: `--help` need not wait for the settings.
    const { loadConfiguration, remarksOf } = await import("./context.ts");
    if (!NEEDS_NO_FILE.has(action.name())) await loadConfiguration(context);
    if (TELLS_ITSELF.has(action.name()) || context.quiet) return;
    for (const remark of remarksOf(context, action.opts())) context.note(remark);
  });
  return program;
}

/**
 * Commands that say in a way of their own what is odd about the settings: in a check, or their log; `init` has none yet,
 * and a shell asks `complete`.
 */
const TELLS_ITSELF: ReadonlySet<string> = new Set(["doctor", "schedule", "job", "init", COMPLETE]);

/** Commands that stand by themselves, whatever `calltally.yaml` holds. */
const NEEDS_NO_FILE: ReadonlySet<string> = new Set([
  "demo",
  "init",
  "sandbox",
  "docs",
  "completion",
  COMPLETE,
]);

/** Heading of the options that every command has. */
export const COMMON_OPTIONS = "Options of every command:";

/** Gives a command and those below it what all have in common. */
function configure(command: CommandUnknownOpts, context: Context): void {
  // That a flag is not given by default goes without saying.
  command.configureHelp({ ...command.configureHelp(), optionDescription: describeOption });
  command.exitOverride((error) => {
    const isHelp = error.exitCode === 0 || error.code === "commander.help";
    throw isHelp ? error : toUsageError(error, pathOf(command));
  });
  command.configureOutput({ writeOut: context.print, writeErr: context.complain, outputError: () => {} });
  const add = (option: Option) => command.addOption(option.helpGroup(COMMON_OPTIONS));
  add(new Option("--quiet", "print no summaries, notes or progress"));
  if (!NEEDS_NO_FILE.has(command.name())) {
    add(new Option("--config <file>", "file of accounts and reports (CALLTALLY_CONFIG, calltally.yaml)"));
    add(
      new Option("--account <name>", "an account in that file; may be given more than once").argParser(
        collect,
      ),
    );
  }
  command.addHelpOption(new Option("-h, --help", "print this help").helpGroup(COMMON_OPTIONS));
  command.hook("preAction", (_, action) => {
    const { quiet, config, account } = action.optsWithGlobals();
    context.quiet = quiet === true;
    context.configFile = typeof config === "string" ? config : undefined;
    context.accounts = Array.isArray(account) ? account : undefined;
  });
  for (const nested of command.commands) configure(nested, context);
}

/** Returns such as `calltally spend import`. */
function pathOf(command: CommandUnknownOpts): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function describeOption(option: Option): string {
  return option.isBoolean() ? option.description : new Help().optionDescription(option);
}

function collect(text: string, collected: readonly string[] | undefined): readonly string[] {
  return [...(collected ?? []), text];
}
