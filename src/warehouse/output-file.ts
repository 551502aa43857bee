import { existsSync, statSync } from "node:fs";
import { UsageError } from "../base/errors.ts";
import { isFile, isSameFile, realFile } from "../base/folder.ts";
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
 * @throws UsageError that says what the file is
 */
export function assertOutput(path: string, kind: FileKind, inputs: readonly string[] = []): string {
  const file = realFile(path);
  const state = stateOf(file, kind, inputs);
  if (state === undefined) return file;
  throw new UsageError(`Cannot write ${kind.name} to ${path}: ${state}`, {
    hint: "Nothing was changed. Name another file, or move this one away.",
  });
}

function stateOf(file: string, kind: FileKind, inputs: readonly string[]): string | undefined {
  const warehouse = warehouseOf(file);
  if (warehouse !== undefined)
    return warehouse === file ? "it is a warehouse" : `it belongs to the warehouse ${warehouse}`;
  if (inputs.some((input) => realFile(input) === file || isSameFile(input, file)))
    return "this command reads it";
  if (!existsSync(file)) return undefined;
  if (!isFile(file)) return "it is not a file";
  return statSync(file).size === 0 || kind.isOne(file) ? undefined : "it is another file";
}
