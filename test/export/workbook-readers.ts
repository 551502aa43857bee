import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { read, utils } from "@e965/xlsx";
import { parse } from "csv-parse/sync";
import { findPeer } from "../support/peers.ts";

/** A cell as seen by a reader. */
export interface SeenCell {
  isText: boolean;
  /** A text unchanged; any other value as it is shown. */
  shown: string;
}

/** The sheets of a workbook by name, in order: rows of cells, null for an empty one. */
export type SeenWorkbook = Record<string, (SeenCell | null)[][]>;

/** Reads a workbook with SheetJS; formulas are an error. */
export function readBySheetJs(content: Buffer): SeenWorkbook {
  const { SheetNames, Sheets } = read(content, { cellNF: true });
  return Object.fromEntries(
    SheetNames.map((name) => {
      const sheet = Sheets[name] ?? {};
      const { s: first, e: last } = utils.decode_range(sheet["!ref"] ?? "A1");
      const rows = Array.from({ length: last.r - first.r + 1 }, (_, r) =>
        Array.from({ length: last.c + 1 }, (_, c): SeenCell | null => {
          const cell = sheet[utils.encode_cell({ r, c })];
          if (cell === undefined) return null;
          if (cell.f !== undefined) throw new Error(`${name} has a formula: ${cell.f}`);
          return { isText: cell.t === "s", shown: cell.t === "s" ? String(cell.v) : String(cell.w) };
        }),
      );
      return [name, rows];
    }),
  );
}

export const LIBRE_OFFICE = findPeer("soffice");

/** Reads a workbook with LibreOffice, with a profile of its own below `folder`. */
export function readByLibreOffice(file: string, folder: string): SeenWorkbook {
  const out = join(folder, "sheets");
  mkdirSync(out);
  // Separated by tabs, quotes around each text, UTF-8, values as shown, formulas as such, all sheets.
  const filter = "csv:Text - txt - csv (StarCalc):9,34,76,1,,0,true,true,true,false,false,-1";
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, "profile"))}`;
  const { status, stderr, error } = spawnSync(
    "soffice",
    [profile, "--headless", "--convert-to", filter, "--outdir", out, file],
    { encoding: "utf8" },
  );
  if (status !== 0) throw error ?? new Error(`soffice ended with ${status}: ${stderr}`);
  const prefix = `${basename(file, ".xlsx")}-`;
  return Object.fromEntries(
    readdirSync(out).map((name) => {
      const rows = parse(readFileSync(join(out, name)), {
        delimiter: "\t",
        record_delimiter: "\n",
        cast: (shown, { quoting }) => (shown === "" ? "" : `${quoting ? "T" : "V"}${shown}`),
      });
      const toCell = (field: string): SeenCell | null =>
        field === "" ? null : { isText: field.startsWith("T"), shown: field.slice(1) };
      return [basename(name, ".csv").slice(prefix.length), rows.map((row) => row.map(toCell))];
    }),
  );
}
