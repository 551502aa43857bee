import { inLocale } from "../../../base/text/locale.ts";
import type { HeadlineFigure } from "../../headline.ts";
import { judgeCompleteness, verdictInWords } from "../../statements/completeness.ts";
import { doubtsOf, say } from "../../statements/statements.ts";
import type { Column, Value } from "../../table.ts";
import type { AboutRow, BasisJob } from "./about-sheet.ts";
import { headingOf } from "./cells.ts";

/** Of its columns, in characters. */
export const HEADLINE_WIDTHS = [44, 20, 20, 16] as const;

/** Returns the sheet that a workbook opens on: whether its figures are complete, and those of all calls. */
export function describeHeadline(
  { manifest, letterhead, readCoverage }: BasisJob,
  figures: readonly HeadlineFigure[],
): AboutRow[] {
  const coverage = readCoverage?.();
  const sentences = inLocale(letterhead.locale, () => [
    ...doubtsOf(manifest.statements).map((doubt) => `Doubt: ${say(doubt).text}`),
    ...(coverage === undefined ? [] : [verdictInWords(judgeCompleteness(manifest, coverage))]),
  ]);
  const isCompared = figures.some(({ change }) => change !== undefined);
  const headings = ["Figure", "Calls of these days", ...(isCompared ? ["Before", "Change"] : [])];
  return [
    ...sentences.map((sentence): AboutRow => ({ cells: [cell(sentence)], look: "sentence" })),
    { cells: [] },
    { cells: headings.map((heading) => cell(heading)), look: "header" },
    ...figures.map((figure) => ({ cells: toCells(figure) })),
  ];
}

function toCells(figure: HeadlineFigure): AboutRow["cells"] {
  const { column, value, previous, change, isWithinChance, isWithSpend } = figure;
  return [
    cell(`${headingOf(column)}${isWithSpend ? ", of campaigns with spend" : ""}`),
    { column, value },
    ...(previous ? [previous] : []),
    ...(change ? [{ ...change, isFaint: isWithinChance }] : []),
  ];
}

const cell = (value: Value): { value: Value; column: Column } => ({
  value,
  column: { name: "", type: "text" },
});
