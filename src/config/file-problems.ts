import { z } from "zod";
import { orMeant } from "../base/nearest.ts";
import { fileSchema, nameSchema } from "./file-schema.ts";
import type { Path, Problem, YamlSource } from "./yaml-source.ts";

/** Keys that are refused with a reason of their own. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ["token", "the token does not stand in this file: name a file that holds it, with token_file"],
  ["heartbeat_url", "the address is a secret: name a file that holds it, with heartbeat_url_file"],
]);

/** Finds what the schema has against the values of a file. */
export function findProblems(source: YamlSource): Problem[] {
  const { value } = source;
  const { error } = fileSchema.safeParse(value);
  const problems = (error?.issues ?? []).flatMap((issue) => describeIssue(issue, value, source));
  return [...problems, ...findAccountProblems(value, source)].toSorted(
    (a, b) => a.line - b.line || a.column - b.column,
  );
}

function describeIssue(issue: z.core.$ZodIssue, root: unknown, { positionOf }: YamlSource): Problem[] {
  const { path } = issue;
  const given = valueAt(root, path);
  const problem = (message: string, at: Path = path, isKey = false): Problem => ({
    ...positionOf(at, isKey),
    path: at,
    message,
  });
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) =>
        problem(describeKey(key, schemaAt(fileSchema, path)), [...path, key], true),
      );
    case "invalid_value": {
      const allowed = issue.values.map(String);
      return [problem(describeChoice(given, allowed))];
    }
    case "invalid_key":
      return [problem(issue.issues[0]?.message ?? issue.message, path, true)];
    case "invalid_type":
      return [
        problem(
          given === undefined ? "is missing" : `must be ${inWords(issue.expected)}, and is ${show(given)}`,
        ),
      ];
    case "invalid_union": {
      const choices = issue.errors
        .flat()
        .flatMap((nested) => (nested.code === "invalid_value" ? nested.values : []));
      const below = issue.errors.flat().find((nested) => nested.path.length > 0);
      const at = below === undefined ? path : [...path, ...below.path];
      if (choices.length > 0 && (typeof given === "string" || below !== undefined)) {
        return [problem(describeChoice(valueAt(root, at), [...new Set(choices.map(String))]), at)];
      }
      const types = issue.errors.flatMap(([first]) =>
        first?.code === "invalid_type" ? [inWords(first.expected)] : [],
      );
      return [problem(`must be ${types.join(" or ")}, and is ${show(given)}`)];
    }
    case "too_small":
      return [
        problem(
          issue.origin === "number" || issue.origin === "int"
            ? `must be ${issue.minimum} or more`
            : "is empty",
        ),
      ];
    case "too_big":
      return [problem(`must be ${issue.maximum} or less`)];
    case "custom":
    case "invalid_format":
      return [problem(issue.message)];
    default:
      return [problem("cannot be used")];
  }
}

function describeKey(key: string, schema: z.core.$ZodType | undefined): string {
  const refused = REFUSED.get(key);
  if (refused !== undefined) return refused;
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return `is not a known key${orMeant(key, known) || `; known are ${known.join(", ")}`}`;
}

function describeChoice(given: unknown, allowed: readonly string[]): string {
  return `${show(given)} is not one of ${allowed.join(", ")}${orMeant(String(given), allowed)}`;
}

/** Finds accounts that lack an address or a name of their own, and names of accounts that there are not. */
function findAccountProblems(root: unknown, { positionOf }: YamlSource): Problem[] {
  const names = keysAt(root, ["accounts"]);
  const twice = names.filter((name, index) =>
    names.slice(0, index).some((other) => other.toLowerCase() === name.toLowerCase()),
  );
  const doubles = twice.map((name) => ({
    path: ["accounts", name],
    isKey: true,
    message: "differs from another account by capitals alone, and would share its folder",
  }));
  const references = [
    ["doorbell", "account"],
    ...keysAt(root, ["reports"]).flatMap((report) =>
      keysAt(root, ["reports", report, "accounts"]).map((index) => [
        "reports",
        report,
        "accounts",
        Number(index),
      ]),
    ),
  ];
  const unknown = references.flatMap((path) => {
    const name = valueAt(root, path);
    if (typeof name !== "string" || names.includes(name)) return [];
    const message =
      names.length === 0 ? `${show(name)} is no account: the file has none` : describeChoice(name, names);
    return [{ path, isKey: false, message }];
  });
  const isAddressShared = valueAt(root, ["base_url"]) !== undefined;
  const lacking = names
    .filter((name) => !isAddressShared && valueAt(root, ["accounts", name, "base_url"]) === undefined)
    .map((name) => ({
      path: ["accounts", name],
      isKey: true,
      message: "has no base_url, and there is none at the top",
    }));
  // Those that a record of the schema drops unseen.
  const dropped = ["accounts", "reports"]
    .filter((group) => keysAt(root, [group]).includes("__proto__"))
    .map((group) => ({
      path: [group, "__proto__"],
      isKey: true,
      message: nameSchema.safeParse("__proto__").error?.issues[0]?.message ?? "cannot be used",
    }));
  return [...doubles, ...unknown, ...lacking, ...dropped].map(({ path, isKey, message }) => ({
    ...positionOf(path, isKey),
    path,
    message,
  }));
}

/** Returns the schema of what stands at a path. */
function schemaAt(schema: z.core.$ZodType | undefined, path: Path): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodOptional) return schemaAt(schema.def.innerType, path);
  const [key, ...rest] = path;
  if (key === undefined) return schema;
  if (schema instanceof z.ZodObject) return schemaAt(schema.shape[String(key)], rest);
  if (schema instanceof z.ZodRecord) return schemaAt(schema.def.valueType, rest);
  return schema instanceof z.ZodArray ? schemaAt(schema.def.element, rest) : undefined;
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Object.getOwnPropertyDescriptor(value, key)?.value;
  }
  return value;
}

function keysAt(root: unknown, path: Path): string[] {
  const value = valueAt(root, path);
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

function inWords(expected: string): string {
  const words: Readonly<Record<string, string>> = {
    string: "a text",
    int: "a whole number",
    number: "a number",
    boolean: "true or false",
    array: "a list",
    object: "keys and values",
    record: "keys and values",
  };
  return words[expected] ?? expected;
}

/** What was given, in a few words. */
function show(value: unknown): string {
  if (value === null || value === undefined) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "keys and values";
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
