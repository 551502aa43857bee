import { Command, type CommandUnknownOpts, Help, Option } from "@commander-js/extra-typings";
import packageJson from "../../package.json" with { type: "json" };
import { UsageError } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import type { Context } from "./context.ts";
import { expectedFlagsOf } from "./expected-flags.ts";
import { eachOf } from "./parsers.ts";
import { toUsageError } from "./usage-error.ts";

type CreateCommand = (context: Context) => CommandUnknownOpts;
/** Its line in the help of the program, and the module that declares it. */
type Entry = readonly [summary: string, load: () => Promise<{ command: CreateCommand }>];

const TASKS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  "Start here": {
    demo: ["try everything without an account", () => import("./commands/demo.ts")],
    init: ["write calltally.yaml for a first account and report", () => import("./commands/init.ts")],
    sync: ["copy calls from the API into the warehouse", () => import("./commands/sync.ts")],
  },
  "Figures and files": {
    export: ["write rollups, calls or ad conversions as files", () => import("./commands/export.ts")],
    report: ["write a page of charts and tables to look at", () => import("./commands/report.ts")],
    run: ["make reports of calltally.yaml, and deliver them", () => import("./commands/run.ts")],
    spend: ["import what ads cost", () => import("./commands/spend.ts")],
    outcome: ["import what calls earned", () => import("./commands/outcome.ts")],
    restatements: ["list exported figures that changed, and why", () => import("./commands/restatements.ts")],
    uploads: ["list files of conversions, and take one back", () => import("./commands/uploads.ts")],
  },
  "Query the warehouse": {
    query: ["query the warehouse in SQL", () => import("./commands/query.ts")],
    schema: ["describe the tables, views and columns", () => import("./commands/schema.ts")],
    explain: ["show how a call was attributed, and why", () => import("./commands/explain.ts")],
    mcp: ["answer the questions of an assistant, over MCP", () => import("./commands/mcp.ts")],
    channels: [
      "show which calls each line of the file of channels decides, and try a new file",
      () => import("./commands/channels.ts"),
    ],
    hygiene: ["find misspelt and contradictory tags, and mend them", () => import("./commands/hygiene.ts")],
    topics: ["count calls by what was said, and try new topics", () => import("./commands/topics.ts")],
  },
  Operation: {
    status: ["show how fresh and complete the warehouse is", () => import("./commands/status.ts")],
    verify: ["check that the last proven sync was complete", () => import("./commands/verify.ts")],
    doctor: ["find problems, and show how to fix them", () => import("./commands/doctor.ts")],
    schedule: ["run the jobs on their schedule until stopped", () => import("./commands/schedule.ts")],
    job: ["run one job once, for use with cron or systemd", () => import("./commands/job.ts")],
    config: ["check, show and describe calltally.yaml", () => import("./commands/config.ts")],
    backup: ["copy the warehouse into one file, and verify the copy", () => import("./commands/backup.ts")],
    restore: ["replace the warehouse with a backup", () => import("./commands/restore.ts")],
    publish: ["copy the facts to a ClickHouse cluster, and compare", () => import("./commands/publish.ts")],
  },
  "Personal data": {
    forget: ["remove a caller's personal data for good", () => import("./commands/forget.ts")],
    privacy: ["show when personal data was removed", () => import("./commands/privacy.ts")],
    "remove-account": [
      "remove everything of an account from this machine",
      () => import("./commands/remove-account.ts"),
    ],
    prune: ["remove what the keep settings no longer allow", () => import("./commands/prune.ts")],
  },
  "At the service": {
    calls: ["show a page of the service's list, as served", () => import("./commands/calls.ts")],
    insight: ["read the details of insights", () => import("./commands/insight.ts")],
    webhook: ["change webhooks at the service", () => import("./commands/webhook.ts")],
  },
  "Help and development": {
    docs: ["list the pages of the documentation, or read one", () => import("./commands/docs.ts")],
    completion: ["print a completion script for a shell", () => import("./commands/completion.ts")],
    sandbox: [
      "serve the documented operations locally with made-up data",
      () => import("./commands/sandbox.ts"),
    ],
  },
};
/** Set by the build: the commit that it was built from, possibly empty. */
declare const BUILT_FROM: string | undefined;

/** From source, it names no commit. */
const VERSION =
  typeof BUILT_FROM === "string" && BUILT_FROM !== ""
    ? `${packageJson.version} (commit ${BUILT_FROM})`
    : packageJson.version;

const COMMANDS = Object.values(TASKS).flatMap((task) => Object.keys(task));
/** Called only by the shells' scripts. */
const COMPLETE = "complete";

/**
 * Returns the whole command line.
 * @param args to be parsed: commands that it does not name only get a name and summary, because loading their
 * libraries takes several times as long as Node's start. @default all commands are complete
 */
export async function createProgram(context: Context, args: readonly string[] = COMMANDS): Promise<Command> {
  assertHelpExists(args);
  const program = await assemble(COMMANDS, context, args);
  if (args[0] === COMPLETE) {
    const { completeCommand } = await import("./commands/completion.ts");
    // The completion library adds its own command for the scripts.
    const others = COMMANDS.filter((name) => name !== "completion");
    const complete = completeCommand((words) => assemble(others, context, words));
    configure(complete, context);
    program.addCommand(complete, { hidden: true });
  }
  return program;
}

/** Commander would print the help of the whole program. @throws UsageError with a suggestion */
function assertHelpExists([first = "", second]: readonly string[]): void {
  const name = first === "help" ? second : second === "--help" || second === "-h" ? first : undefined;
  const known = [...COMMANDS, "help"];
  if (name === undefined || name.startsWith("-") || known.includes(name)) return;
  throw new UsageError(`Cannot show the help of ${name}: there is no such command`, {
    hint: didYouMean(name, known) ?? "`calltally --help` lists commands.",
  });
}

async function assemble(
  names: readonly string[],
  context: Context,
  args: readonly string[],
): Promise<Command> {
  const program = new Command("calltally")
    .description(packageJson.description)
    .version(VERSION)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .commandsGroup("Help and development:")
    .helpCommand("help [command]", "print the help of a command")
    .addHelpText("after", "\nExample:\n  $ calltally demo");
  for (const [task, entries] of Object.entries(TASKS)) {
    for (const [name, [summary, load]] of Object.entries(entries)) {
      if (!names.includes(name)) continue;
      const command = args.includes(name) ? (await load()).command(context) : new Command(name);
      program.addCommand(command.summary(summary).helpGroup(`${task}:`));
    }
  }
  configure(program, context);
  program.hook("preAction", async (_, action) => {
    if (action.parent?.name() === "config") return;
    // Only before an action: `--help` need not wait for the settings.
    const { loadConfiguration, remarksOf } = await import("./chosen-accounts.ts");
    if (!NEEDS_NO_FILE.has(action.name())) await loadConfiguration(context);
    const closed = await closeFoldersOf(action, context);
    if (REMARKS_ITSELF.has(action.name()) || context.options.quiet) return;
    for (const remark of [...remarksOf(context), ...closed]) context.complain(remark);
  });
  // An export may have made them.
  program.hook("postAction", async (_, action) => void (await closeFoldersOf(action, context)));
  return program;
}

/** Commands that write files that may name people. */
const CLOSES_FOLDERS: ReadonlySet<string> = new Set(["sync", "export", "report", "run", "job", "schedule"]);

async function closeFoldersOf(action: CommandUnknownOpts, context: Context): Promise<string[]> {
  if (!CLOSES_FOLDERS.has(action.name())) return [];
  const { closeFolders } = await import("./private-folders.ts");
  return closeFolders(context);
}

/**
 * Commands that report odd settings in their own way: in a check, or their log; `init` has none yet, and a shell
 * calls `complete`.
 */
const REMARKS_ITSELF: ReadonlySet<string> = new Set(["doctor", "schedule", "job", "init", COMPLETE]);

/** Commands that do not need `calltally.yaml`. */
const NEEDS_NO_FILE: ReadonlySet<string> = new Set([
  "demo",
  "init",
  "sandbox",
  "docs",
  "completion",
  COMPLETE,
]);

export const COMMON_OPTIONS = "Options of every command:";

function configure(command: CommandUnknownOpts, context: Context): void {
  // A flag that defaults to false needs no mention.
  command.configureHelp({ ...command.configureHelp(), optionDescription: describeOption });
  command.exitOverride((error) => {
    const isHelp = error.exitCode === 0 || error.code === "commander.help";
    throw isHelp ? error : toUsageError(error, pathOf(command), expectedFlagsOf(command));
  });
  command.configureOutput({ writeOut: context.print, writeErr: context.complain, outputError: () => {} });
  const add = (option: Option) => command.addOption(option.helpGroup(COMMON_OPTIONS));
  add(new Option("--quiet", "print no summaries, notes or progress"));
  if (!NEEDS_NO_FILE.has(command.name())) {
    add(new Option("--config <file>", "file of accounts and reports (CALLTALLY_CONFIG, calltally.yaml)"));
    const account = "an account in that file; may be given more than once";
    add(new Option("--account <name>", account).argParser(eachOf(String)));
  }
  command.addHelpOption(new Option("-h, --help", "print this help").helpGroup(COMMON_OPTIONS));
  command.hook("preAction", (_, action) => {
    context.options = action.optsWithGlobals();
  });
  for (const nested of command.commands) configure(nested, context);
}

function pathOf(command: CommandUnknownOpts): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function describeOption(option: Option): string {
  return option.isBoolean() ? option.description : new Help().optionDescription(option);
}
