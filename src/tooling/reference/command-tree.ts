import { EventEmitter } from "node:events";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { silentContext } from "../../cli/context.ts";
import { COMMON_OPTIONS, createProgram } from "../../cli/program.ts";

/** A flag or an argument with its help. */
export interface Term {
  term: string;
  help: string;
}

export type CommandHelp = ReturnType<typeof readCommand>;
export type CommandTree = Awaited<ReturnType<typeof readCommands>>;

/** Reads all commands from the program, in depth-first order. */
export async function readCommands() {
  const program = await createProgram(silentContext());
  const common = new Map<string, Term>();
  const read = (command: CommandUnknownOpts, parents: string): CommandHelp[] => {
    const name = `${parents} ${command.name()}`;
    const below = command.commands.flatMap((nested) => read(nested, name));
    return command.commands.length > 0 ? below : [readCommand(command, name, common)];
  };
  const commands = program.commands.flatMap((command) => read(command, program.name()));
  /** All commands, and the options common to them. */
  return { commands, common: [...common.values()] };
}

function readCommand(command: CommandUnknownOpts, name: string, common: Map<string, Term>) {
  const help = command.createHelp();
  const groups = new Map<string, Term[]>();
  const add = (title: string, term: Term) => groups.set(title, [...(groups.get(title) ?? []), term]);
  for (const argument of help.visibleArguments(command)) {
    add("Arguments", { term: help.argumentTerm(argument), help: help.argumentDescription(argument) });
  }
  for (const option of help.visibleOptions(command)) {
    const term = { term: help.optionTerm(option), help: help.optionDescription(option) };
    if (option.helpGroupHeading === COMMON_OPTIONS) common.set(term.term, term);
    else add((option.helpGroupHeading ?? "Options:").replace(/:$/, ""), term);
  }
  return {
    /** Such as `calltally spend import`. */
    name,
    usage: `${name} ${command.usage()}`.replace(" [options]", groups.size > 0 ? " [options]" : ""),
    description: command.description(),
    groups: [...groups].map(([title, terms]) => ({ title, terms })),
    /** Lines of the examples, without their prompt. */
    examples: readExamples(command),
  };
}

/** Text below the help is only available from listeners. */
function readExamples(command: CommandUnknownOpts): string[] {
  let below = "";
  const write = (text: string) => {
    below += text;
  };
  if (command instanceof EventEmitter) command.emit("afterHelp", { error: false, command, write });
  return below
    .split("\n")
    .filter((line) => line.startsWith("  "))
    .map((line) => line.trim().replace(/^\$ /, ""));
}
