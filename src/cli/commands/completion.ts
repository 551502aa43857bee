import { Argument, Command } from "@commander-js/extra-typings";
import { Command as UntypedCommand } from "commander";
import type { Context } from "../context.ts";
import { action } from "../frame.ts";
import { oneOf } from "../parsers.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/** The library's own script for bash evaluates the words, so TAB after `> file` or `$(command)` would execute them. */
const BASH_SCRIPT = `_calltally() {
  local word=\${COMP_WORDS[COMP_CWORD]} line
  COMPREPLY=()
  while IFS= read -r line; do
    line=\${line%%$'\\t'*}
    if [[ $line != :* && $line == "$word"* ]]; then COMPREPLY+=("$line"); fi
  done < <(calltally complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null < /dev/null)
}
complete -o default -F _calltally calltally
`;

export const command = (context: Context) =>
  new Command("completion")
    .description("Prints a shell script that completes commands, options and their values.")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS).argParser(oneOf(SHELLS)))
    .addHelpText("after", "\nExample:\n  $ calltally completion bash >> ~/.bashrc")
    .action(
      action(context, async (shell) => {
        if (shell === "bash") return { text: BASH_SCRIPT };
        const { script } = await import("@bomb.sh/tab");
        script(shell, "calltally", "calltally");
        return {};
      }),
    );

/**
 * The command that those scripts call, with the words typed so far.
 * @param createProgram makes a program whose commands the library reads; those among the words are complete
 */
export function completeCommand(createProgram: (words: readonly string[]) => Promise<unknown>) {
  return new Command("complete").argument("[words...]").action(async (words) => {
    const { default: tab } = await import("@bomb.sh/tab/commander");
    const program = await createProgram(words);
    // Commander's class under another type: the one with inferred arguments does not fit the one without.
    if (!(program instanceof UntypedCommand))
      throw new TypeError("The program is not a command of commander's");
    for (const command of program.commands) command.description(command.summary());
    tab(program, { completionCommandName: "completion" }).parse(words);
  });
}
