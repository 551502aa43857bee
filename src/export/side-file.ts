import { Draft } from "../base/draft.ts";
import { UsageError } from "../base/errors.ts";
import { adviseOn, reasonOf } from "../base/file-access.ts";
import { readHead } from "../base/folder.ts";
import { toPrintable } from "../base/text/printable.ts";
import type { FileKind } from "../warehouse/file/output-file.ts";
import { toDelimited } from "./formats/delimited.ts";
import type { Column, Value } from "./table.ts";

/** A CSV file of what a command left over, such as lines that it did not import. */
export interface SideFile {
  kind: FileKind;
  /** Writes it for its owner alone. @param done what the command did before, such as `Imported` */
  write: (path: string, rows: readonly Value[][], done: string) => void;
}

/** @param name with its article */
export function sideFile(name: string, columns: readonly Column[]): SideFile {
  const header = columns.map((column) => column.name).join();
  return {
    kind: { name, isOne: (file) => readHead(file).split("\r\n")[0] === header },
    write: (path, rows, done) => {
      const content = [...toDelimited({ columns, rows }, { delimiter: "," })].join("");
      try {
        using draft = new Draft(path);
        draft.write(content, 0o600);
        draft.replace();
      } catch (error) {
        throw new UsageError(`${done}, but cannot write ${toPrintable(path)}: ${reasonOf(error)}`, {
          hint: adviseOn(error),
        });
      }
    },
  };
}
