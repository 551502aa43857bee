import { UsageError } from "../../base/errors.ts";
import { foldUtm, presentText } from "../../calls/attribution/call-text.ts";
import type { Cells } from "../../intake/cells.ts";
import type { FoundColumns, ReadOptions } from "../../intake/columns.ts";
import { isOfForm } from "../../intake/find-columns.ts";
import type { Intake } from "../../intake/intake.ts";
import { Unreadable } from "../../intake/unreadable.ts";
import { isCalledTotal } from "./dated-totals.ts";
import {
  isContradicted,
  SPEND_COLUMNS,
  SPEND_FORMS,
  type SpendColumn,
  type SpendForm,
} from "./spend-forms.ts";
import type { SpendRow } from "./spend-row.ts";

export interface ReadSpendOptions extends ReadOptions<SpendColumn> {
  source?: string | undefined;
  medium?: string | undefined;
}

interface ReadRow {
  row: SpendRow;
  isCalledTotal: boolean;
}

type SpendCells = Cells<typeof SPEND_COLUMNS>;
type FoundSpend = FoundColumns<SpendColumn, SpendForm>;

/** The name of a report whose columns `--map` names. */
export const BY_MAP = "columns by --map";
export const MORE_DAYS = "more than one day";
export const BY_DAY = "Export the report by day.";

export const SPEND_INTAKE: Intake<typeof SPEND_COLUMNS, SpendForm, ReadSpendOptions, ReadRow> = {
  what: "a known report",
  columns: SPEND_COLUMNS,
  several: [],
  forms: SPEND_FORMS,
  amount: "cost",
  currency: "currency",
  // The end of another column's range does not belong to the day.
  isMeant: (field, headerOf) => field !== "last_day" || headerOf("day") === "reporting starts",
  isHeader: (has) => has("day") && has("cost"),
  hint: "--map day=Date,cost=Spend,campaign=Campaign. A day and a cost are needed.",
  refuseHeader: (cells, map) => {
    const form = SPEND_FORMS.find((each) => each.daily !== undefined && isOfForm(each, cells, "day"));
    if (form === undefined || map.day !== undefined) return;
    throw new UsageError(`it is a report of ${form.name} without days`, { hint: form.daily ?? BY_DAY });
  },
  assertUsable,
  keys: ["day"],
  isRow: (cells) => cells.momentText("day")?.day != null,
  // Meta's line of totals has no campaign, and instead of a day the range of the whole report.
  isTotal: (cells) =>
    (cells.hasColumn("campaign") || cells.hasColumn("campaign_id")) &&
    cells.isNothing("campaign") &&
    cells.isNothing("campaign_id") &&
    (cells.hasColumn("last_day") || cells.isNothing("day")) &&
    !cells.isNothing("cost"),
  toRow,
};

function assertUsable({ form, indexes }: FoundSpend, { source, medium, map }: ReadSpendOptions): void {
  for (const [field, value] of [
    ["source", source],
    ["medium", medium],
  ] as const) {
    if (value !== undefined || form?.[field] || indexes.has(field)) continue;
    throw new UsageError(`the report has no ${field} (${form?.name ?? BY_MAP})`, {
      hint: `Pass --${field}, such as ${field === "source" ? "--source google" : "--medium cpc"}, or --map ${field}=HEADER.`,
    });
  }
  const isOwn = map.day !== undefined && map.cost !== undefined;
  if (source === undefined || isOwn || !isContradicted(form, foldUtm(source))) return;
  throw new UsageError(`it is a report of ${form?.name}, and --source is ${source}`, {
    hint: `Leave out --source: the report has the source ${form?.source}. If it is another platform's, name its columns: --map day=Day,cost=Cost.`,
  });
}

function toRow(cells: SpendCells, { form }: FoundSpend, options: ReadSpendOptions): ReadRow {
  const when = cells.moment("day");
  if (when === null) throw new Unreadable("no day");
  if (cells.hasColumn("last_day") && cells.text("last_day") !== cells.text("day"))
    throw new Unreadable(MORE_DAYS);
  const cost_micros = cells.micros("cost", "the cost") ?? 0;
  const [clicks, impressions] = [cells.count("clicks", "clicks"), cells.count("impressions", "impressions")];
  const source = foldUtm(cells.text("source") || (options.source ?? form?.source ?? ""));
  const medium = foldUtm(cells.text("medium") || (options.medium ?? form?.medium ?? ""));
  if (source === "") throw new Unreadable("no source");
  if (medium === "") throw new Unreadable("no medium");
  const campaign_id = cells.id("campaign_id", "campaign id");
  const row = {
    line: cells.line,
    day: when.day,
    source,
    medium,
    campaign: cells.isNothing("campaign") ? null : presentText(cells.text("campaign")),
    campaign_id: campaign_id === null ? null : presentText(campaign_id),
    cost_micros,
    currency: cells.currency("currency", "cost"),
    clicks,
    impressions,
  };
  return { row, isCalledTotal: isCalledTotal(cells) };
}
