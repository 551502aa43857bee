import { Command, type CommandUnknownOpts, Help, Option } from "@commander-js/extra-typings";
import packageJson from "../../package.json" with { type: "json" };
import { UsageError } from "../base/errors.ts";
import { didYouMean } from "../base/text/nearest.ts";
import { COMMANDS, COMPLETE, hasTrait, TASKS } from "./commands.ts";
import type { Context } from "./context.ts";
import { expectedFlagsOf } from "./expected-flags.ts";
import { eachOf } from "./parsers.ts";
import { toUsageError } from "./usage-error.ts";

/** Set by the build: the commit that it was built from, possibly empty. */
declare const BUILT_FROM: string | undefined;

/** From source, it names no commit. */
const VERSION =
  typeof BUILT_FROM === "string" && BUILT_FROM !== ""
    ? `${packageJson.version} (commit ${BUILT_FROM})`
    : packageJson.version;

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
    for (const [name, { summary, load }] of Object.entries(entries)) {
      if (!names.includes(name)) continue;
      const command = args.includes(name) ? (await load()).command(context) : new Command(name);
      program.addCommand(command.summary(summary).helpGroup(`${task}:`));
    }
  }
  configure(program, context);
  program.hook("preAction", async (_, action) => {
    if (hasTrait(action, "loads its file")) return;
    // Only before an action: `--help` need not wait for the settings.
    const { loadConfiguration, remarksOf } = await import("./chosen-accounts.ts");
    if (!hasTrait(action, "needs no file")) await loadConfiguration(context);
    const closed = await closeFoldersOf(action, context);
    if (hasTrait(action, "remarks itself") || context.options.quiet) return;
    for (const remark of [...remarksOf(context), ...closed]) context.complain(remark);
  });
  // An export may have made them.
  program.hook("postAction", async (_, action) => void (await closeFoldersOf(action, context)));
  return program;
}

async function closeFoldersOf(action: CommandUnknownOpts, context: Context): Promise<string[]> {
  if (!hasTrait(action, "writes personal files")) return [];
  const { closeFolders } = await import("./private-folders.ts");
  return closeFolders(context);
}

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
  if (!hasTrait(command, "needs no file")) {
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
