import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { unzipSync } from "fflate";
import type { ExportJob } from "../../../src/export/job.ts";
import { type Letterhead, PLAIN } from "../../../src/export/letterhead/letterhead.ts";
import type { Dimension } from "../../../src/figures/dimensions.ts";
import { composeMail } from "../../../src/reports/delivery/mail-message.ts";
import {
  type ReportHeadline,
  readReportFacts,
  readReportHeadline,
} from "../../../src/reports/read-report.ts";
import { summarizeReport } from "../../../src/reports/summarize-report.ts";
import { readBySheetJs, type SeenCell } from "../../export/workbook-readers.ts";
import { openWarehouse } from "../library.ts";
import { readCsv } from "../page.ts";
import { answering } from "../services/mcp.ts";
import { readText } from "../temp-folder.ts";
import type { FolderExportOptions, makeWarehouse } from "./produce-files.ts";

type Row = Readonly<Record<string, unknown>>;
type SummaryParts = Parameters<typeof summarizeReport>[1];

export interface SheetCell extends SeenCell {
  isGrey: boolean;
}

/** The same figures of September 2026, next to August, on each surface. */
export interface Surfaces {
  csv: readonly Row[];
  json: readonly Row[];
  sqlite: readonly Row[];
  /** Empty with `minCell`, which is for files. */
  library: readonly Row[];
  mcp: readonly Row[];
  /** By name in CSV. */
  sheet: Record<string, SheetCell | null>[];
  /** Empty with `minCell`. */
  page: string;
  mail: string;
}

const RANGE = { from: "2026-09-01", to: "2026-09-30" };

/** @param notices sentences for the mail */
export async function readSurfaces(
  warehouse: ReturnType<typeof makeWarehouse>,
  dimension: Dimension,
  { minCell, spend, notices = [] }: { minCell?: number | undefined; spend?: true; notices?: string[] } = {},
): Promise<Surfaces> {
  const { database, folder } = warehouse;
  const reading = readForMail();
  const write = (options: Partial<FolderExportOptions>) =>
    warehouse.export({
      targets: [{ kind: "rollup", dimensions: [dimension] }],
      range: RANGE,
      compare: "previous",
      chance: true,
      minCell,
      spend,
      ...options,
    });
  const { manifest } = await write({ read: reading.read });
  const csv = readCsv(readText(folder, `${dimension}.csv`));
  await write({ format: { format: "json" } });
  const json: Row[] = JSON.parse(readText(folder, `${dimension}.json`));
  await write({ format: { format: "sqlite" } });
  const sqlite = new Database(join(folder, "calltally.sqlite"), { readonly: true });
  const stored = sqlite.prepare<[], Row>(`SELECT * FROM ${dimension}`).all();
  sqlite.close();
  await write({ format: { format: "xlsx" }, chance: false });
  const sheet = readSheet(readFileSync(join(folder, "calltally.xlsx")), dimension, Object.keys(csv[0] ?? {}));
  const mail = await reading.toMail({ manifest, range: RANGE, notices });
  const files = { csv, json, sqlite: stored, sheet, mail };
  if (minCell !== undefined) return { ...files, library: [], mcp: [], page: "" };

  await write({ targets: [{ kind: "page" }], grain: "day", chance: false });
  const question = { by: [dimension], range: RANGE, compare: "previous", chance: true } as const;
  using opened = openWarehouse(database);
  const library = (await opened.rollup(question)).rows;
  const assistant = answering(folder, { env: { CALLTALLY_DATABASE: database } });
  const { rows: mcp } = Object(await assistant.ask("figures", question));
  return { ...files, library, mcp, page: readFileSync(join(folder, "report.html"), "utf8") };
}

/** Reads what the mail of an export consists of, at the moment of its files. */
export function readForMail() {
  let headline: ReportHeadline | undefined;
  let facts: Awaited<ReturnType<typeof readReportFacts>> | undefined;
  return {
    read: async (job: ExportJob) => {
      headline = await readReportHeadline(job);
      facts = await readReportFacts(job, headline);
    },
    toMail: async ({ manifest, range, notices = [], letterhead = PLAIN }: MailOptions) => {
      if (headline === undefined || facts === undefined) throw new Error("The headline was not read");
      const report = { name: "monthly", account: null, file: { content: {} } } as Parameters<
        typeof summarizeReport
      >[0];
      const plan = {
        ask: { range },
        values: {},
        letterhead,
        personal: [] as string[],
      } as SummaryParts["plan"];
      const delivered = { news: { notices, until: 0 }, ringBack: undefined, facts, remembered: undefined };
      const reading = { headline, coverage: { verified: null }, isStale: false, delivered };
      const files = { ...manifest, files: [] };
      const summary = summarizeReport(report, { plan, manifest: files, folder: "reports", reading });
      return (await composeMail(summary, "Calls")).text;
    },
  };
}

interface MailOptions extends Pick<SummaryParts, "manifest"> {
  range: { from: string; to: string };
  notices?: string[];
  letterhead?: Letterhead | undefined;
}

function readSheet(content: Buffer, name: string, columns: string[]): Record<string, SheetCell | null>[] {
  const parts = unzipSync(content);
  const read = (part: string) => Buffer.from(parts[`xl/${part}`] ?? []).toString();
  const looks =
    read("styles.xml")
      .split("<cellXfs")[1]
      ?.match(/<xf\/>|<xf .*?<\/xf>/g) ?? [];
  const cells = new Map(
    [...read("worksheets/sheet2.xml").matchAll(/<c r="([A-Z]+)(\d+)" s="(\d+)"/g)].map(
      ([, column, row, style]) => [`${column}${row}`, looks[Number(style)]?.includes('fontId="2"') ?? false],
    ),
  );
  const [, , ...rows] = readBySheetJs(content)[name] ?? [];
  const shown = columns.filter((column) => !column.endsWith("_within_chance"));
  return rows.map((row, at) =>
    Object.fromEntries(
      shown.map((column, index) => {
        const cell = row[index] ?? null;
        return [column, cell && { ...cell, isGrey: cells.get(`${letters(index)}${at + 3}`) ?? false }];
      }),
    ),
  );
}

const letters = (index: number): string =>
  (index < 26 ? "" : String.fromCharCode(64 + Math.floor(index / 26))) +
  String.fromCharCode(65 + (index % 26));
