import { chmodSync, existsSync, statSync } from "node:fs";
import { Draft } from "../../base/draft.ts";
import { describeError, UsageError } from "../../base/errors.ts";
import { readHead } from "../../base/folder.ts";
import { possibleHeaders } from "../../base/text/csv-text.ts";
import { foldUtm } from "../../calls/attribution/call-text.ts";
import { readAliases } from "../../config/files/aliases-file.ts";
import { readCsvFile } from "../../config/files/csv-file.ts";
import { readTextFile } from "../../config/files/text-file.ts";
import { assertOutput, type FileKind, type OutputOptions } from "../../warehouse/file/output-file.ts";
import type { AliasLine } from "./tag-problem.ts";

const COLUMNS = ["raw", "value", "of"] as const;

const findHeader = (text: string) => possibleHeaders(text, 1).find(({ cells }) => cells.includes("raw"));

const ALIASES: FileKind = {
  name: "aliases",
  isOne: (file) => findHeader(readHead(file).replace(/^\ufeff/, "")) !== undefined,
};

export const toCsvLine = (cells: readonly string[], delimiter = ",") =>
  cells.map((text) => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(delimiter);

/**
 * Appends lines to a file of aliases, which is made if there is none. Its permissions stay.
 * @throws UsageError if the file has such a line, or could not be used with it; it is then unchanged
 */
export function appendAliases(
  file: string,
  lines: readonly AliasLine[],
  replacing?: OutputOptions["replacing"],
): void {
  const path = assertOutput(file, ALIASES, { replacing });
  const refuse = (why: string) =>
    new UsageError(`Cannot append to ${file}: ${why}`, {
      hint: "Nothing was written. Choose other lines, or change the file by hand.",
    });
  const isKnown = existsSync(path) && ALIASES.isOne(path); // and otherwise may be replaced
  const before = isKnown ? readAliases(path) : undefined;
  for (const { raw, of } of lines)
    if (Object.hasOwn(before?.aliases_of[of] ?? {}, foldUtm(raw)))
      throw refuse(`it has an alias of the ${of} ${JSON.stringify(raw)} already`);
  const mode = isKnown ? statSync(path).mode & 0o7777 : 0o666;
  using draft = new Draft(path);
  draft.write(
    isKnown
      ? extend(path, lines)
      : `${COLUMNS.join()}\n${lines.map((line) => `${toCsvLine(COLUMNS.map((name) => line[name]))}\n`).join("")}`,
    mode,
  );
  if (isKnown) chmodSync(draft.path, mode); // whatever the umask
  try {
    readAliases(draft.path);
  } catch (error) {
    throw refuse(describeError(error).replaceAll(draft.path, file));
  }
  draft.replace();
}

/** Returns the text of a file with more lines, and with the column `of` if it has none. */
function extend(path: string, lines: readonly AliasLine[]): string {
  const name = `the aliases in ${path}`;
  const text = readTextFile(path, name);
  const { delimiter = ",", cells: names = [] } = findHeader(text) ?? {};
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const isWhole = names.includes("of");
  const all = readCsvFile(path, name, { column: "raw", hint: "" }).map(({ cells }) => cells);
  const start = isWhole
    ? text.replace(/(?<!\n)$/, end)
    : all
        .map((cells, index) => `${toCsvLine([...cells, index === 0 ? "of" : ""], delimiter)}${end}`)
        .join("");
  const order = isWhole ? names : [...names, "of"];
  const toCells = (line: AliasLine) => order.map((name) => new Map(Object.entries(line)).get(name) ?? "");
  return start + lines.map((line) => `${toCsvLine(toCells(line), delimiter)}${end}`).join("");
}
