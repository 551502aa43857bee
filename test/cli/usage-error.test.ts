import { Argument, CommanderError, Option } from "@commander-js/extra-typings";
import { Command, InvalidArgumentError } from "commander";
import { describe, expect, it } from "vitest";
import { toUsageError } from "../../src/cli/usage-error.ts";

/** The error for a command line of `calltally dig <depth> [kinds...]` and its options. */
function refuse(...words: string[]): [message: string, hint: string | undefined] {
  const dig = new Command("dig")
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .addArgument(new Argument("<depth>"))
    .addArgument(new Argument("[kind]").argParser(refuseAll))
    .addOption(new Option("--tool <name>", "").argParser(refuseAll))
    .addOption(new Option("--first <n>").conflicts("last"))
    .option("--last <n>");
  const program = new Command("calltally")
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .addCommand(dig);
  try {
    program.parse(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const { message, hint, exitCode } = toUsageError(error, "calltally dig");
    expect(exitCode).toBe(2);
    return [message, hint];
  }
  throw new Error("Nothing was refused");
}

function refuseAll(text: string): never {
  throw new InvalidArgumentError(text === "spad" ? "must be a tool; did you mean spade?" : "must be a tool");
}

const HELP = "`calltally dig --help` lists arguments and options.";

describe("toUsageError", () => {
  it.each<[words: string[], message: string, hint: string]>([
    [["dig", "7", "--tool", "x"], "Cannot use --tool x: must be a tool", HELP],
    [["dig", "7", "--tool", "spad"], "Cannot use --tool spad: must be a tool", "Did you mean spade?"],
    [["dig", "7", "--tool", "a' \n; b"], `Cannot use --tool "a' \\n; b": must be a tool`, HELP],
    [["dig", "7", "spad"], "Cannot use spad: must be a tool", "Did you mean spade?"],
    [["dig", "7", ""], 'Cannot use "": must be a tool', HELP],
    [["dig", "7", "--tool"], "Cannot use --tool: its value is missing", HELP],
    [
      ["dig", "7", "--last", "1", "--first", "1"],
      "Cannot use --first with --last: only one of them can be given",
      HELP,
    ],
    [["dig", "7", "--tol"], "Cannot use --tol: calltally dig has no such option", "Did you mean --tool?"],
    [["dig", "7", "--zzzzzz"], "Cannot use --zzzzzz: calltally dig has no such option", HELP],
    [["dig"], "Cannot run calltally dig: <depth> is missing", HELP],
    [["dgi"], "Cannot run calltally dig dgi: there is no such command", "Did you mean dig?"],
  ])("rewrites %j as %s", (words, message, hint) => {
    expect(refuse(...words)).toEqual([message, hint]);
  });

  it("states how many arguments are allowed", () => {
    const error = new Command("dig").exitOverride().configureOutput({ writeErr: () => {} });
    const parse = () =>
      error.allowExcessArguments(false).argument("<depth>").parse(["1", "2"], { from: "user" });
    expect(parse).toThrow(CommanderError);
    try {
      parse();
    } catch (thrown) {
      if (!(thrown instanceof CommanderError)) throw thrown;
      expect(toUsageError(thrown, "calltally dig")).toMatchObject({
        message: expect.stringMatching(/^Cannot run calltally dig: .*1 argument.*2/),
        hint: HELP,
      });
    }
  });

  it("keeps an unknown message", () => {
    const error = new CommanderError(1, "commander.new", "error: dig elsewhere");
    expect(toUsageError(error, "calltally dig").message).toBe("Cannot run calltally dig: dig elsewhere");
  });
});

it("names the argument that a command does not take", () => {
  const said = "error: too many arguments for 'dig'. Expected 2 arguments but got 3: 3, x, monday.";
  const error = new CommanderError(1, "commander.excessArguments", said);
  expect(toUsageError(error, "calltally dig").message).toBe(
    'Cannot run calltally dig with "3, x, monday": it takes 2 arguments at most',
  );
});
