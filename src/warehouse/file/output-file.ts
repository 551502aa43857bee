import { readdirSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { attempt, CalltallyError, EXIT, UsageError } from "../../base/errors.ts";
import { isSameFile, realFile } from "../../base/folder.ts";
import { NEIGHBOR, warehouseOf } from "./neighbors.ts";

/** What a command writes, and may replace. */
export interface FileKind {
  /** With its article. */
  name: string;
  isOne: (file: string) => boolean;
}

export interface OutputOptions {
  /** What the command reads. */
  inputs?: readonly string[];
  /** Set if a file of another kind may be replaced, unless it is one of these. */
  replacing?: { keeps: readonly string[] } | undefined;
}

/**
 * Decides for each path that a command writes, before it does anything else: never a warehouse or what belongs to one,
 * never a file that the command reads, and another file only if it is of the same kind or may be replaced. Returns the file
 * itself, which a link may lead to.
 * @throws UsageError for a warehouse, an input, and a file that is never replaced
 * @throws CalltallyError (exit 7) for a file of another kind
 */
export function assertOutput(
  path: string,
  kind: FileKind,
  { inputs = [], replacing }: OutputOptions = {},
): string {
  const file = realFile(path);
  const refuse = (why: string) =>
    new UsageError(`Cannot write ${kind.name} to ${path}: ${why}`, {
      hint: "Nothing was changed. Name another file.",
    });
  const use = findUse(file, inputs);
  if (use !== undefined) throw refuse(use);
  const state = findState(file, kind);
  if (state === OTHER && replacing !== undefined) {
    const reason = findReason(file, replacing.keeps);
    if (reason !== undefined) throw refuse(reason);
  } else if (state !== undefined) {
    throw new CalltallyError(EXIT.storage, `Cannot write ${kind.name} to ${path}: ${state}`, {
      hint: `It was not changed. Name another file, or ${state === OTHER ? "replace it with --replace" : "move it away"}.`,
    });
  }
  return file;
}

function findUse(file: string, inputs: readonly string[]): string | undefined {
  const warehouse = warehouseOf(file);
  if (warehouse === file) return "it is a warehouse";
  if (warehouse !== undefined) return `it belongs to the warehouse ${warehouse}`;
  return isAmong(file, inputs) ? "this command reads it" : undefined;
}

const isAmong = (file: string, files: readonly string[]) =>
  files.some((each) => realFile(each) === file || isSameFile(each, file));

/** Returns why a file of another kind is not replaced. A warehouse may be too damaged to be known as one. */
function findReason(file: string, keeps: readonly string[]): string | undefined {
  if (isAmong(file, keeps)) return "it belongs to the configuration";
  const name = basename(file);
  const hasNeighbor = readdirSync(dirname(file)).some(
    (other) => other !== name && other.replace(NEIGHBOR, "") === name,
  );
  return hasNeighbor || NEIGHBOR.test(name) ? "by its name, it may be a part of a database" : undefined;
}

const OTHER = "it is a file of another kind";

function findState(file: string, { isOne }: FileKind): string | undefined {
  const stat = attempt(() => statSync(file)); // writing it reports why it cannot be looked at
  if (stat === undefined) return undefined;
  if (!stat.isFile()) return "it is not a file";
  return stat.size === 0 || isOne(file) ? undefined : OTHER;
}
