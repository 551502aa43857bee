import { statSync } from "node:fs";
import { attempt, CalltallyError, EXIT, UsageError } from "../base/errors.ts";
import { isSameFile, realFile } from "../base/folder.ts";
import { warehouseOf } from "./neighbors.ts";

/** What a command writes, and may replace. */
export interface FileKind {
  /** With its article. */
  name: string;
  isOne: (file: string) => boolean;
}

/**
 * Decides for each path that a command writes, before it does anything else: never a warehouse or what belongs to one,
 * never a file that the command reads, and another file only if it is of the same kind. Returns the file itself, which a
 * link may lead to.
 * @throws UsageError for a warehouse and for an input
 * @throws CalltallyError (exit 7) for a file of another kind
 */
export function assertOutput(path: string, kind: FileKind, inputs: readonly string[] = []): string {
  const file = realFile(path);
  const use = findUse(file, inputs);
  if (use !== undefined) {
    throw new UsageError(`Cannot write ${kind.name} to ${path}: ${use}`, {
      hint: "Nothing was changed. Name another file.",
    });
  }
  const state = findState(file, kind);
  if (state !== undefined) {
    throw new CalltallyError(EXIT.storage, `Cannot write ${kind.name} to ${path}: ${state}`, {
      hint: "It was not changed. Name another file, or move it away.",
    });
  }
  return file;
}

function findUse(file: string, inputs: readonly string[]): string | undefined {
  const warehouse = warehouseOf(file);
  if (warehouse === file) return "it is a warehouse";
  if (warehouse !== undefined) return `it belongs to the warehouse ${warehouse}`;
  const isRead = inputs.some((input) => realFile(input) === file || isSameFile(input, file));
  return isRead ? "this command reads it" : undefined;
}

function findState(file: string, { isOne }: FileKind): string | undefined {
  const stat = attempt(() => statSync(file)); // writing it reports why it cannot be looked at
  if (stat === undefined) return undefined;
  if (!stat.isFile()) return "it is not a file";
  return stat.size === 0 || isOne(file) ? undefined : "it is a file of another kind";
}
