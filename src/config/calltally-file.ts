import { dirname, isAbsolute, relative, resolve } from "node:path";
import { UsageError } from "../base/errors.ts";
import { whereGiven, withDefaults } from "./file-defaults.ts";
import { findProblems } from "./file-problems.ts";
import { type FileContent, fileSchema } from "./file-schema.ts";
import { assertUnwritable, readTextFile } from "./files/text-file.ts";
import { type Path, type Position, type Problem, readYaml } from "./yaml-source.ts";

export interface CalltallyFile {
  /** Absolute. */
  path: string;
  /** As shown: relative if it is below the working folder. */
  name: string;
  content: FileContent;
  /** Returns a position such as `calltally.yaml:12:5: accounts.austin.timezone`. */
  placeOf: (path: Path) => string;
  resolvePath: (path: string) => string;
}

/**
 * @param checked the text to use in place of that in the file
 * @throws UsageError that lists all problems, a line each
 */
export function readCalltallyFile(path: string, workingFolder: string, checked?: string): CalltallyFile {
  const file = resolve(workingFolder, path);
  const name = nameFrom(workingFolder, file);
  const text = checked ?? readTextFile(file, name);
  if (checked === undefined) assertUnwritable(file, name);
  const source = readYaml(text);
  if (source.problems.length === 0 && source.value === null) {
    throw new UsageError(`Cannot use ${name}: it is empty`, {
      hint: "Remove it, or add accounts and reports.",
    });
  }
  const folder = dirname(file);
  const problems = source.problems.length > 0 ? source.problems : findProblems(source, folder);
  if (problems.length > 0) throw toError(name, problems);
  return {
    path: file,
    name,
    content: fileSchema.parse(withDefaults(source.value)),
    placeOf: (at) => {
      const path = whereGiven(source.value, at);
      return describePlace(name, source.positionOf(path), path);
    },
    // In the working folder paths stay as they were written.
    resolvePath: (path) => (folder === resolve(workingFolder) ? path : resolve(folder, path)),
  };
}

/** Returns a path relative to a folder if it is below that. */
export function nameFrom(folder: string, path: string): string {
  const below = relative(folder, path);
  return below === "" || below.startsWith("..") || isAbsolute(below) ? path : below;
}

function toError(name: string, problems: readonly Problem[]): UsageError {
  const lines = problems.map(
    ({ path, message, ...position }) => `${describePlace(name, position, path)}: ${message}`,
  );
  return new UsageError(`Cannot use ${name}\n${lines.join("\n")}`, {
    hint: "Correct the file; `calltally config schema --reference` lists all keys.",
  });
}

function describePlace(name: string, { line, column }: Position, path: Path): string {
  const place = `${name}:${line}:${column}`;
  return path.length === 0 ? place : `${place}: ${describePath(path)}`;
}

/** reports.weekly.deliver[0].email */
function describePath(path: Path): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .slice(1);
}
