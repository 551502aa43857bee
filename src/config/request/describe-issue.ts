import { z } from "zod";
import { askFor, orMeant, similar } from "../../base/text/nearest.ts";
import { FORMAT_NAMES } from "./option-values.ts";

type Path = readonly PropertyKey[];

export interface Finding {
  path: Path;
  message: string;
  isKey?: boolean;
}

/** Says what is wrong with a value, in the words of somebody who writes it; needs `reportInput`. */
export function describeIssue(schema: z.ZodType, issue: z.core.$ZodIssue): Finding[] {
  const { path, input } = issue;
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: describeKey(key, schemaAt(schema, path)),
        isKey: true,
      }));
    case "invalid_key":
      return [{ path, message: issue.issues[0]?.message ?? issue.message, isKey: true }];
    case "invalid_union": {
      const issues =
        issue.errors.find((nested) => nested.every((below) => below.path.length > 0)) ??
        (typeof input === "string"
          ? issue.errors.find(([first]) => first?.code !== "invalid_type")
          : undefined);
      if (issues !== undefined)
        return issues.flatMap((nested) =>
          describeIssue(schema, { ...nested, path: [...path, ...nested.path] }),
        );
      const types = issue.errors.flatMap(([first]) => (first?.code === "invalid_type" ? first.expected : []));
      return [{ path, message: describeType(types, input) }];
    }
    case "invalid_type":
      return [{ path, message: input === undefined ? "is missing" : describeType([issue.expected], input) }];
    case "invalid_value": {
      const allowed = issue.values.map(String);
      const isMissing = input === undefined;
      return [
        {
          path,
          message: isMissing
            ? `is missing; allowed are ${allowed.join(", ")}`
            : describeChoice(input, allowed),
        },
      ];
    }
    case "too_small":
      return [{ path, message: typeof input === "number" ? `must be ${issue.minimum} or more` : "is empty" }];
    case "too_big":
      return [{ path, message: `must be ${issue.maximum} or less` }];
    default:
      return [{ path, message: issue.message }];
  }
}

function describeKey(key: string, schema: z.core.$ZodType | undefined): string {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const format = known.includes("format") ? formatCalled(key) : undefined;
  if (format !== undefined) return `is not a known key; did you mean format: ${format}?`;
  const below = keysBelow(schema);
  const nested = similar(key, [...below.keys()]).flatMap((name) => below.get(name) ?? []);
  const orNested = askFor(nested)?.replace("Did", "; did") ?? "";
  const advice = below.has(key) ? orNested : orMeant(key, known) || orNested;
  return `is not a known key${advice || `; known are ${known.join(", ")}`}`;
}

/** The keys of nested objects, with their paths such as `filter.channel`. */
function keysBelow(schema: z.core.$ZodType | undefined): Map<string, string> {
  const members = Object.entries(schema instanceof z.ZodObject ? schema.shape : {});
  const paths = members.flatMap(([key, member]) => {
    const nested = member instanceof z.ZodOptional ? member.unwrap() : member;
    const names = nested instanceof z.ZodObject ? Object.keys(nested.shape) : [];
    return names.map((name): [string, string] => [name, `${key}.${name}`]);
  });
  return new Map(paths);
}

function formatCalled(name: string): string | undefined {
  return Object.entries(FORMAT_NAMES).find(([called]) => called === name.toLowerCase())?.[1];
}

export function describeChoice(value: unknown, allowed: readonly string[]): string {
  const format = formatCalled(String(value));
  if (format !== undefined && allowed.includes(format))
    return `${show(value)} is not one of ${allowed.join(", ")}; did you mean ${format}?`;
  return `${show(value)} is not one of ${allowed.join(", ")}${orMeant(String(value), allowed)}`;
}

function describeType(expected: readonly string[], value: unknown): string {
  return `must be ${expected.map((type) => TYPES[type] ?? type).join(" or ")}, not ${show(value)}`;
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  int: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "keys and values",
  record: "keys and values",
  AbortSignal: "an AbortSignal",
};

function schemaAt(schema: z.core.$ZodType | undefined, path: Path): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodOptional) return schemaAt(schema.def.innerType, path);
  const [key, ...rest] = path;
  if (key === undefined) return schema;
  if (schema instanceof z.ZodObject) return schemaAt(schema.shape[String(key)], rest);
  if (schema instanceof z.ZodRecord) return schemaAt(schema.def.valueType, rest);
  return schema instanceof z.ZodArray ? schemaAt(schema.def.element, rest) : undefined;
}

export function show(value: unknown): string {
  if (value === null || value === undefined) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "keys and values";
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
