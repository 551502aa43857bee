import { ACCOUNT } from "../../config/request/option-values.ts";
import { type AboutRow, describeBasis, describeColumns } from "../../export/formats/xlsx/about-sheet.ts";
import { writeSheets } from "../../export/formats/xlsx/workbook.ts";
import type { ExportJob } from "../../export/job.ts";
import { PLAIN } from "../../export/letterhead/letterhead.ts";
import type { ManifestFile } from "../../export/manifest.ts";
import type { Column, NamedTable, Value } from "../../export/table.ts";
import { MISSED_RATE } from "../../figures/metrics.ts";
import { TOTAL } from "../../figures/reserved-keys.ts";
import { columnOf } from "../../figures/rollup-query.ts";
import { zoneOfAll } from "../../reports/accounts/merged-files.ts";
import { daysOf } from "./overview-page.ts";
import { type Overview, type OverviewRow, zonesOf } from "./read-overview.ts";

const FIGURES = [
  ...["calls", "calls_previous", "calls_change", "missed_calls"],
  ...["missed_rate", "qualified_calls", "cost", "revenue"],
];

/** Writes a workbook of a sheet with a row for each account, and what each account's figures are based on. */
export async function writeOverviewSheet(
  overview: Overview,
  write: ExportJob["write"],
): Promise<ManifestFile> {
  const { rows, compared } = overview;
  const about = (columns: readonly Column[]): AboutRow[] => [
    ...overview.remarks.map((remark) => line("Total", remark)),
    ...rows.flatMap(({ account, title, accountFigures, problems }) =>
      accountFigures === undefined
        ? [line(account, problems.join("; "))]
        : describeBasis(
            { manifest: accountFigures.manifest, letterhead: { ...PLAIN, name: title } },
            accountFigures.manifest.timezone,
          ),
    ),
    ...describeColumns(columns),
  ];
  return await writeSheets(
    {
      file: "overview.xlsx",
      days: daysOf(rows),
      timezone: zoneOfAll(zonesOf(rows)),
      compared: compared && [compared],
      about: (_, columns) => about(columns),
    },
    [toTable(overview)],
    write,
  );
}

export function toTable({ rows, total, currency }: Overview): NamedTable {
  const known = new Map(
    [...rows.flatMap(({ accountFigures }) => accountFigures?.table.columns ?? []), columnOf(MISSED_RATE)].map(
      (each) => [each.name, each],
    ),
  );
  // An amount's currency is in a column of its own, since accounts may differ.
  const figures = FIGURES.flatMap((name) => known.get(name) ?? []).map(
    ({ currency: _, ...column }) => column,
  );
  const states: { column: Column; of: (row: OverviewRow) => Value }[] = [
    { column: text("currency"), of: (row) => row.currency },
    {
      column: text("verdict", "Of the last sync."),
      of: ({ status }) => status?.last_done_run?.verdict ?? null,
    },
    {
      column: { name: "last_good_sync", type: "time", help: "" },
      of: ({ status }) => status?.last_good_run?.finished_at ?? null,
    },
    {
      column: { name: "open_notices", type: "integer", help: "Notices that have not ended." },
      of: ({ status }) => status?.notices.filter(({ ended_at }) => ended_at === null).length ?? null,
    },
    { column: text("problems", "What is wrong."), of: ({ problems }) => problems.join("; ") },
  ];
  const line = (keys: Value[], values: OverviewRow["figures"], ends: Value[]) => [
    ...keys,
    ...figures.map(({ name }) => values[name] ?? null),
    ...ends,
  ];
  return {
    name: "overview",
    audience: "shared",
    columns: [
      { ...text(ACCOUNT, "Its name in calltally.yaml."), isKey: true },
      text("title", "Whose figures they are."),
      ...figures,
      ...states.map(({ column }) => column),
    ],
    rows: rows.map((row) =>
      line(
        [row.account, row.title],
        row.figures,
        states.map(({ of }) => of(row)),
      ),
    ),
    totals: [{ kind: "total", values: line([TOTAL, null], total, [currency, null, null, null, null]) }],
    entry: { contents: "overview", rows: rows.length, total_line: true },
  };
}

const text = (name: string, help = ""): Column => ({ name, type: "text", help });
const line = (name: string, value: string): AboutRow => ({
  cells: [name, value].map((each) => ({ value: each, column: { name: "", type: "text" } })),
});
