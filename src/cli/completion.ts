import { Argument, Command } from "@commander-js/extra-typings";
import { Command as UntypedCommand } from "commander";
import { oneOf } from "./suggest.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

export function completionCommand() {
  return new Command("completion")
    .description(
      "Prints a script by which a shell completes commands, options and their choices; bash needs the package bash-completion.",
    )
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS).argParser(oneOf(SHELLS)))
    .addHelpText("after", "\nExample:\n  $ calltally completion bash >> ~/.bashrc")
    .action(async (shell) => {
      const { script } = await import("@bomb.sh/tab");
      script(shell, "calltally", "calltally");
    });
}

/**
 * The command that those scripts call, with the words typed so far.
 *
 * @param createProgram makes a program whose commands the library reads, and adds its own to
 */
export function completeCommand(createProgram: () => Promise<unknown>) {
  return new Command("complete").argument("[words...]").action(async (words) => {
    const { default: tab } = await import("@bomb.sh/tab/commander");
    const program = await createProgram();
    // Commander's class under another type: the one with inferred arguments does not fit the one without.
    if (!(program instanceof UntypedCommand))
      throw new TypeError("The program is not a command of commander's");
    for (const command of program.commands) command.description(command.summary());
    tab(program, { completionCommandName: "completion" }).parse(words);
  });
}
