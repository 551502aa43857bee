import { ALL_SETTINGS } from "../../config/settings.ts";
import type { CommandHelp, CommandTree, Term } from "./command-tree.ts";
import { EXIT_CODES } from "./exit-codes.ts";

/** Returns the manual page: all commands, settings and exit codes, in roff with the macros `man`. */
export function manPage(description: string, { commands, common }: CommandTree): string {
  return `${[
    ".TH CALLTALLY 1",
    ".SH NAME",
    `calltally \\- ${roff(description.replace(/\.$/, ""))}`,
    ".SH SYNOPSIS",
    ".B calltally",
    ".I command",
    "[options]",
    ".SH DESCRIPTION",
    "Data goes to standard output, everything else to standard error.",
    "Without calltally.yaml, settings come from the environment.",
    ".SH OPTIONS OF EVERY COMMAND",
    ...common.flatMap(tagged),
    ".SH COMMANDS",
    ...commands.flatMap(commandPart),
    ".SH ENVIRONMENT",
    ...ALL_SETTINGS.flatMap(({ env, help, default: fallback }) =>
      tagged({ term: env, help: fallback === undefined ? help : `${help}. Default: ${fallback}` }),
    ),
    ".SH EXIT STATUS",
    ...EXIT_CODES.flatMap(({ codes, meaning, advice }) =>
      tagged({ term: codes.join(", "), help: advice === "" ? meaning : `${meaning}: ${advice}` }),
    ),
    ".SH FILES",
    ...tagged({ term: "calltally.yaml", help: "accounts and reports" }),
    ...tagged({
      term: "data/calltally.db",
      help: "the warehouse, and next to it the key of digests and the lock",
    }),
    ".SH SEE ALSO",
    "calltally docs",
  ].join("\n")}\n`;
}

function commandPart({ usage, description, groups, examples }: CommandHelp): string[] {
  return [
    `.SS "${roff(usage).replaceAll('"', "")}"`,
    roff(description),
    ...groups.flatMap(({ title, terms }) => [".PP", `.I ${roff(title)}`, ...terms.flatMap(tagged)]),
    ".PP",
    "For example:",
    ".PP",
    ".nf",
    ...examples.map((line) => `    ${roff(line)}`),
    ".fi",
  ];
}

function tagged({ term, help }: Term): string[] {
  return [".TP", `.B ${roff(term)}`, roff(help)];
}

/** Escapes text so that roff finds no request, escape or breakable hyphen in it. */
function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("`", "")
    .replaceAll("-", "\\-")
    .replace(
      /[^\x20-\x7e\n]/gu,
      (sign) => `\\[u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
    )
    .replace(/^(?=[.'])/gm, "\\&");
}
