import type { NamedTable, Value } from "../table.ts";
import type { Output } from "./output.ts";

/** A table whose rows were read. */
export type ReadTable = Omit<NamedTable, "rows"> & { rows: (readonly Value[])[] };

export function memoryOutput(): Output & { readonly tables: readonly ReadTable[] } {
  let tables: ReadTable[] = [];
  return {
    can: { manyFiles: true, remembers: false },
    get tables() {
      return tables;
    },
    open: async () => {
      tables = [];
      return {
        table: (table) => {
          tables.push({ ...table, rows: [...table.rows] });
          return { file: table.name, bytes: 0, sha256: "" };
        },
        write: () => {
          throw new Error("Memory takes tables, not files");
        },
        commit: async () => {},
        [Symbol.asyncDispose]: async () => {},
      };
    },
  };
}
