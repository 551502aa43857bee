import { localDate } from "../../base/calendar/local-time.ts";
import { UnmatchedError } from "../../base/errors.ts";
import type { Content } from "../../config/request/contents.ts";
import { OUTCOME_VALUE } from "../../config/request/option-values.ts";
import { type Ask, isOfOneFile, nameFile } from "../../config/request/resolve.ts";
import { encodeTable } from "../../export/formats/encode-table.ts";
import type { ExportJob } from "../../export/job.ts";
import { type ManifestFile, startManifest } from "../../export/manifest.ts";
import type { Outlet } from "../../export/output/output.ts";
import { assertFilterShareSafe, toShareSafe, toShareSafeBasis } from "../../export/share-safe.ts";
import type { Facts } from "../../export/statements/rule.ts";
import { statementsOf } from "../../export/statements/statements.ts";
import type { NamedTable } from "../../export/table.ts";
import { resolveTimeframe, type Timeframe } from "../../export/timeframe.ts";
import { isSmallCount } from "../../figures/cells/small-cells.ts";
import { FIGURES, OUTCOME_FIGURES } from "../../figures/metrics.ts";
import type { Basis } from "../../warehouse/runs/basis-schema.ts";
import type { Moment, OpenSource } from "./source.ts";

/** @throws UnmatchedError for a value of the filter that no call has */
export async function startJob(
  ask: Ask,
  moment: Moment,
  { lookbackHours }: OpenSource,
): Promise<
  Pick<
    ExportJob,
    "ask" | "basis" | "lookbackHours" | "timeframe" | "spend" | "outcomes" | "manifest" | "state"
  >
> {
  const { session, published } = moment;
  const { raw = false, minCell } = ask;
  const isSpendAsked = ask.spend === true || (ask.spend === "if any" && moment.hasSpend());
  const loaded = isSpendAsked ? await session.loadSpend(ask.timezone) : undefined;
  const { outcomes, ofConversions } = loadOutcomes(ask, moment);
  const unmatched = ask.isEmptyAllowed ? [] : await session.findUnmatched(ask.filter);
  if (unmatched.length > 0) throw new UnmatchedError(unmatched, ask.spell);
  const timeframe = await resolveTimeframe(session, ask, moment.basis.run?.finished_at);
  if (minCell !== undefined) assertFilterShareSafe(timeframe.filter);
  const spend = ask.spend === "if any" && loaded?.days(timeframe.span) === undefined ? undefined : loaded;
  const basis = { ...moment.basis, missing: await readMissing(moment, timeframe, minCell) };
  const shown = minCell === undefined ? basis : toShareSafeBasis(basis);
  const manifest = await startManifest(shown, session, timeframe, {
    raw,
    lookbackHours,
    spend,
    outcomes: outcomes ?? ofConversions,
    published,
  });
  const firstStart = await session.readFirstStart();
  const firstDay = firstStart === null ? undefined : localDate(firstStart, ask.timezone);
  const facts: Facts = { warehouse: shown, range: manifest, figures: figuresIn(ask), firstDay };
  const state = (more: Facts) => {
    Object.assign(facts, more);
    manifest.statements = statementsOf(facts, minCell);
  };
  state({});
  return { ask, basis: shown, lookbackHours, timeframe, spend, outcomes, manifest, state };
}

/** Returns the missing calls among those of the files; of a cluster, among all. With gone calls, none will be left out. */
async function readMissing(
  { session, basis: { missing } }: Moment,
  { span, filter }: Timeframe,
  minCell: number | undefined,
): Promise<Basis["missing"]> {
  if (missing === null || filter.include_gone) return null;
  const calls = (await session.countMissing(span)) ?? missing.calls;
  const isHidden = minCell !== undefined && isSmallCount(calls, minCell);
  return calls === 0 || isHidden ? null : { ...missing, calls };
}

/** Returns the names of the figures that the files show, or follow from. */
function figuresIn({ contents, columns, filter }: Ask): readonly string[] {
  const ofContent = ({ kind }: Content): readonly string[] => {
    if (kind === "rollup") return columns ?? FIGURES;
    if (kind === "page" || kind === "explore") return FIGURES;
    // Each call says whether it is a first one; conversions may be booked or sold calls.
    return kind === "calls" ? ["first_time_callers"] : OUTCOME_FIGURES;
  };
  return [...contents.flatMap(ofContent), ...(filter.first_time ? ["first_time_callers"] : [])];
}

/** Loads the outcomes for figures and for conversions. */
function loadOutcomes(
  { outcomes, revenueBy, timezone, conversion: { value, qualify = "qualified" } }: Ask,
  { session, hasOutcomes }: Moment,
) {
  const isShown = outcomes === true || (outcomes === "if any" && hasOutcomes?.() === true);
  const areNeeded = value === OUTCOME_VALUE || qualify !== "qualified";
  const loaded = isShown || areNeeded ? session.loadOutcomes(revenueBy, timezone) : undefined;
  return { outcomes: isShown ? loaded : undefined, ofConversions: areNeeded ? loaded : undefined };
}

/** Writes each table as a file or passes it on; those of one file are collected first. */
export function collectTables({ format, minCell, timezone }: Ask, outlet: Outlet, write: ExportJob["write"]) {
  const sheets: NamedTable[] = [];
  return {
    take: async (table: NamedTable): Promise<ManifestFile[]> => {
      const file = nameFile(table.name, format);
      const checked =
        minCell === undefined
          ? table
          : toShareSafe(table, isOfOneFile(format) ? `${file}, table ${table.name}` : file);
      if (outlet.table) return [{ ...outlet.table(checked), ...checked.entry }];
      if (!isOfOneFile(format)) {
        const written = await write(file, await encodeTable(checked, format, timezone), checked.audience);
        return [{ ...written, ...checked.entry }];
      }
      sheets.push(checked);
      return [];
    },
    writeSheets: async (job: ExportJob): Promise<ManifestFile[]> => {
      if (sheets.length === 0) return [];
      if (format.format === "sqlite") {
        const { writeDatabase } = await import("../../export/formats/sqlite.ts");
        return [await writeDatabase(job, sheets)];
      }
      const { writeWorkbook } = await import("../../export/formats/xlsx/workbook.ts");
      return [await writeWorkbook(job, sheets)];
    },
  };
}
