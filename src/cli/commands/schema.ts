import { parse } from "node:path";
import { Command, Option } from "@commander-js/extra-typings";
import { UsageError } from "../../base/errors.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { hang } from "../../base/text/terminal-text.ts";
import { type Description, describeSchema } from "../../operate/schema/describe.ts";
import { settingsOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { action } from "../frame.ts";
import { readCookbook } from "./docs.ts";

export const command = (context: Context) =>
  new Command("schema")
    .description(
      "Describes the tables and views of the warehouse and their columns. Views are stable; tables are internal, and may change with any version.",
    )
    .argument("[name]", "a table or view; all of them by default")
    .option(...OPTION.json)
    .addOption(new Option("--datasette", "print metadata.json for Datasette").conflicts("json"))
    .addHelpText(
      "after",
      "\nExample:\n  $ calltally schema attributed_calls\n  $ calltally schema --json | jq -r '.[].name'\n  $ calltally schema --datasette > metadata.json",
    )
    .action(
      action(context, (name, { datasette }) => {
        const { rules, database } = settingsOf(context);
        const all = describeSchema(rules);
        const wanted = name === undefined ? all : [find(all, name)];
        if (datasette) return { text: JSON.stringify(datasetteMetadata(database, wanted), null, 2) };
        return { data: wanted, text: wanted.map(describe).join("\n\n") };
      }),
    );

function find(all: readonly Description[], name: string): Description {
  const description = all.find((candidate) => candidate.name === name);
  if (description !== undefined) return description;
  const names = all.map((candidate) => candidate.name);
  throw new UsageError(`There is no table or view ${name}`, {
    hint: didYouMean(name, names) ?? `Name one of ${names.join(", ")}.`,
  });
}

function describe({ name, kind, help, columns }: Description): string {
  const nameWidth = Math.max(...columns.map((column) => column.name.length));
  const typeWidth = Math.max(...columns.map(({ type }) => type.length));
  return [
    ...hang(`${name}: `, `${kind === "table" ? "internal table" : kind}. ${help}`, 2),
    ...columns.flatMap((column) => {
      const lead = `  ${column.name.padEnd(nameWidth)}  ${column.type.padEnd(typeWidth)}  `;
      return hang(lead, column.help, lead.length);
    }),
  ].join("\n");
}

/** Columns of few values that calls are counted by. */
const FACETS = ["channel", "source", "outcome"];

/**
 * Returns the `metadata.json` of Datasette for a warehouse, with descriptions of tables, views and columns, and the questions of the cookbook.
 * @see https://docs.datasette.io/en/stable/metadata.html
 */
function datasetteMetadata(database: string, described: readonly Description[]) {
  const tables = described.map(({ name, kind, help, columns }) => {
    const texts = columns.map((column): [string, string] => [column.name, plain(column.help)]);
    return [
      name,
      {
        description: plain(help),
        columns: Object.fromEntries(texts),
        ...(kind === "table" && { hidden: true }),
        ...(name === "attributed_calls" && { facets: FACETS }),
      },
    ];
  });
  const queries = Object.fromEntries(
    readCookbook().map(({ title, sql }) => [
      title.toLowerCase().replaceAll(/\W+/g, "-").replace(/-$/, ""),
      { title, sql },
    ]),
  );
  const description = "Calls, their facts, and how complete they are. attributed_calls has one row per call.";
  return {
    title: "calltally",
    // Datasette names a database after its file.
    databases: {
      [parse(database).name]: {
        description,
        queries,
        tables: { ...Object.fromEntries(tables), sqlite_sequence: { hidden: true } },
      },
    },
  };
}

/** Datasette shows descriptions as plain text. */
function plain(help: string): string {
  return help.replaceAll("`", "");
}
