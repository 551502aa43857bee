import packageJson from "../../../package.json" with { type: "json" };
import { capitalized } from "../../base/text/capitalized.ts";
import { DEFAULT_RULES } from "../../calls/attribution/attribution-rules.ts";
import { describeReference } from "../../config/config-reference.ts";
import { ALL_SETTINGS } from "../../config/settings.ts";
import { describeSchema } from "../../operate/schema/describe.ts";
import { type CommandHelp, type CommandTree, readCommands, type Term } from "./command-tree.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { manPage } from "./man-page.ts";

/** Returns the pages of `docs/reference/` and the man page, by path from the project's folder. */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  const tree = await readCommands();
  return new Map([
    ["docs/reference/commands.md", commandsPage(tree)],
    ["docs/reference/settings.md", settingsPage()],
    ["docs/reference/calltally-yaml.md", describeReference()],
    ["docs/reference/exit-codes.md", exitCodesPage()],
    ["docs/reference/schema.md", schemaPage()],
    ["docs/calltally.1", manPage(packageJson.description, tree)],
  ]);
}

function commandsPage({ commands, common }: CommandTree): string {
  const list = commands.map(
    ({ name, description }) => `| [\`${name}\`](#${anchor(name)}) | ${prose(firstSentence(description))} |`,
  );
  return `# Commands

The \`--help\` of each command. Each command ends with one of the [exit codes](exit-codes.md).

Data goes to standard output, everything else to standard error. Commands with data to read have \`--json\`. \`--quiet\` only prints
data, errors and the log of jobs. Only the log and the questions of \`init\` have colours, and only on a terminal without \`NO_COLOR\`.
\`sync\` shows its progress bar only on a terminal.

| | |
|---|---|
${list.join("\n")}

## Options of every command

\`demo\`, \`sandbox\`, \`docs\` and \`completion\` take neither \`--config\` nor \`--account\`. \`init\` has its own: the file to write, and the name of its account.

${terms(common)}

${commands.map(commandSection).join("\n\n")}
`;
}

function commandSection({ name, usage, description, groups, examples }: CommandHelp): string {
  return [
    `## ${name}`,
    prose(description),
    `    ${usage}`,
    ...groups.map(({ title, terms: of }) => `**${prose(title)}**\n\n${terms(of)}`),
    `For example:\n\n${examples.map((line) => `    ${line}`).join("\n")}`,
  ].join("\n\n");
}

function terms(list: readonly Term[]): string {
  return list.map(({ term, help }) => `- \`${term}\`: ${prose(help)}`).join("\n");
}

function settingsPage(): string {
  const rows = ALL_SETTINGS.map(
    ({ env, default: value, help }) =>
      `| \`${env}\` | ${value === undefined ? "" : `\`${cell(value)}\``} | ${cell(help)} |`,
  );
  return `# Settings

Settings come from flags, then the environment, then \`.env\` in the working folder, then [\`calltally.yaml\`](calltally-yaml.md), where most have
the same name in lower case without \`CALLTALLY_\`. \`calltally config show\` lists those in force, and where each comes from. A setting
without a default is required, or off.

- In \`calltally.yaml\`, \`CALLTALLY_KEEP_TRANSCRIPTS\` and the like are \`keep: { transcripts: … }\`, and \`CALLTALLY_PUBLISH_TO\` and the like
  \`publish: { to: … }\`. \`log_level\` is only at the top. Instead of \`token\` and \`heartbeat_url\`, there are \`token_file\` and
  \`heartbeat_url_file\`.
- The token is never a flag, and never printed.
- An empty value counts as none. An empty flag is an error.
- Every command warns of names that look like settings but are not.
- Time zones are names of the IANA list. \`PST\` is refused, and the error suggests a zone. \`EST\` and others without daylight saving time are
  accepted with a remark.
- \`sync\`, \`export\` and \`doctor\` warn of a disposition in \`CALLTALLY_ANSWERED\` or \`CALLTALLY_MISSED\` that no call has, and of one in both,
  which counts as answered.

| setting | default | |
|---|---|---|
${rows.join("\n")}
`;
}

function exitCodesPage(): string {
  const rows = EXIT_CODES.map(
    ({ codes, meaning, advice }) => `| ${codes.join(", ")} | ${meaning} | ${advice} |`,
  );
  return `# Exit codes

A command that works on several accounts, \`run\` of several reports, and \`doctor\` end with the worst of theirs, in the order
130, 143, 7, 2, 4, 8, 5, 9, 1, 6, 3. An error goes to standard error: what happened, and on a second line what to do.

| exit | meaning | what to do |
|---|---|---|
${rows.join("\n")}
`;
}

function schemaPage(): string {
  const all = describeSchema(DEFAULT_RULES);
  const sections = all.map(({ name, kind, help, columns }) => {
    const rows = columns.map((column) => `| \`${column.name}\` | ${column.type} | ${cell(column.help)} |`);
    return `## ${name}\n\n${capitalized(kind)}. ${prose(help)}\n\n| column | type | |\n|---|---|---|\n${rows.join("\n")}`;
  });
  return `# The warehouse's tables and views

The output of \`calltally schema\`, with the default rules. Read the file with \`calltally query\`, \`sqlite3\` or any client of SQLite.

${sections.join("\n\n")}
`;
}

/** Escapes Markdown, except code. */
function prose(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replace(/[\\<>*_[\]]/g, "\\$&")))
    .join("");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** A sentence ends with a dot before a space, or at the end of a line. */
function firstSentence(text: string): string {
  return /^.*?(?:\.(?= )|$)/m.exec(text)?.[0] ?? text;
}

/** As GitHub derives it from a heading. */
function anchor(heading: string): string {
  return heading.toLowerCase().replaceAll(" ", "-");
}
