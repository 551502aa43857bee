import { z } from "zod";
import { fileSchema } from "./file-schema.ts";

type JsonSchema = z.core.JSONSchema.JSONSchema;

export function jsonSchema(): JsonSchema {
  return z.toJSONSchema(fileSchema, {
    io: "input",
    override: ({ jsonSchema: schema }) => {
      // The bounds of exact integers are not bounds of a setting.
      if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
      if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
    },
  });
}

export function describeReference(): string {
  const { accounts, reports, ...others } = jsonSchema().properties ?? {};
  return `# calltally.yaml

This page is printed by \`calltally config schema --reference\`. Unknown keys are errors. Relative paths are relative to the
folder of the file. Flags, the environment and \`.env\` take precedence over the file, and an account over the keys at the
top. Secrets are in separate files, which others must not be able to read.

## At the top

${describeProperties({ properties: others })}
- \`accounts\`: The accounts, by name. See below.
- \`reports\`: The reports, by name. See below.

## An account

Names are letters, digits, \`-\` and \`_\`. With accounts in the file, settings of a single account are an error in the environment
and in \`.env\`: a token must not go to the host of another account.

${describeProperties(valuesOf(accounts))}

## A report

${describeProperties(valuesOf(reports))}
`;
}

function valuesOf(schema: JsonSchema["not"]): JsonSchema {
  const values = typeof schema === "object" ? schema.additionalProperties : undefined;
  return typeof values === "object" ? values : {};
}

function describeProperties(schema: JsonSchema, indent = ""): string {
  return Object.entries(schema.properties ?? {})
    .flatMap(([key, property]) =>
      typeof property === "object"
        ? describeProperty(key, property, schema.required?.includes(key) ?? false, indent)
        : [],
    )
    .join("\n");
}

function describeProperty(key: string, property: JsonSchema, isRequired: boolean, indent: string): string[] {
  const { description, examples, items } = property;
  const [example] = examples ?? [];
  const choices = choicesOf(property);
  const line = [
    `${indent}- \`${key}\`${isRequired ? " (required)" : ""}: ${description ?? ""}`,
    ...(choices.length > 0 ? [`One of ${choices.map((choice) => `\`${choice}\``).join(", ")}.`] : []),
    ...(example === undefined || choices.length > 0 ? [] : [`Example: \`${JSON.stringify(example)}\`.`]),
  ].join(" ");
  const below = property.properties
    ? property
    : typeof items === "object" && !Array.isArray(items)
      ? items
      : {};
  const nested = describeProperties(below, `${indent}  `);
  return nested === "" ? [line] : [line, nested];
}

function choicesOf({ enum: choices, items, anyOf }: JsonSchema): unknown[] {
  if (choices !== undefined) return choices;
  if (typeof items === "object" && !Array.isArray(items) && items.enum !== undefined) return items.enum;
  const [first] = anyOf ?? [];
  return typeof first === "object" ? (first.enum ?? []) : [];
}
