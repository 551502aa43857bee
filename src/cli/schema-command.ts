import { Command } from "@commander-js/extra-typings";
import { UsageError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import type { Description } from "../warehouse/schema-comments.ts";
import { type Context, OPTION, settingsOf } from "./context.ts";

/** Characters of a line. */
const WIDTH = 80;

export function schemaCommand(context: Context) {
  return new Command("schema")
    .description("Describes the tables and views of the warehouse and their columns.")
    .argument("[name]", "a table or view; all of them by default")
    .option(...OPTION.json)
    .addHelpText(
      "after",
      "\nExample:\n  $ calltally schema attributed_calls\n  $ calltally schema --json | jq -r '.[].name'",
    )
    .action(async (name, { json }) => {
      const { rules } = settingsOf(context);
      const { describeSchema } = await import("../warehouse/describe.ts");
      const all = describeSchema(rules);
      const wanted = name === undefined ? all : [find(all, name)];
      context.print(json ? JSON.stringify(wanted) : wanted.map(describe).join("\n\n"));
    });
}

function find(all: readonly Description[], name: string): Description {
  const found = all.find((candidate) => candidate.name === name);
  if (found !== undefined) return found;
  const names = all.map((candidate) => candidate.name);
  const meant = nearest(name, names);
  throw new UsageError(`There is no table or view ${name}`, {
    hint: meant === undefined ? `There are ${names.join(", ")}.` : `Did you mean ${meant}?`,
  });
}

function describe({ name, kind, help, columns }: Description): string {
  const nameWidth = Math.max(...columns.map((column) => column.name.length));
  const typeWidth = Math.max(...columns.map(({ type }) => type.length));
  return [
    ...hang(`${name}: `, `${kind}. ${help}`, 2),
    ...columns.flatMap((column) => {
      const lead = `  ${column.name.padEnd(nameWidth)}  ${column.type.padEnd(typeWidth)}  `;
      return hang(lead, column.help, lead.length);
    }),
  ].join("\n");
}

/** Breaks a text behind a lead into lines of the width; those after the first are indented. */
function hang(lead: string, text: string, indent: number): string[] {
  const lines: string[] = [];
  let line = lead;
  let isEmpty = true;
  for (const word of text.split(" ")) {
    const longer = isEmpty ? line + word : `${line} ${word}`;
    if (longer.length > WIDTH && !isEmpty) {
      lines.push(line);
      line = " ".repeat(indent) + word;
    } else {
      line = longer;
    }
    isEmpty = false;
  }
  return [...lines, line];
}
