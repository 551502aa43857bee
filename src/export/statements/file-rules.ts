import { localDate } from "../../base/calendar/local-time.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { SPEND_DIMENSIONS } from "../../figures/dimensions.ts";
import { FIRST_CALL_FIGURES } from "../../figures/metrics.ts";
import { type FileFacts, type Rule, rule } from "./rule.ts";

/** What the rows of files lack, and what changed since earlier files. */
export const FILE_RULES = {
  stale: rule({
    level: "doubt",
    find: ({ report: { olderThan } = {} }) =>
      olderThan === undefined ? undefined : { older_than: olderThan },
    say: ({ older_than }) => `The last good sync is older than ${older_than}: later calls are missing.`,
    hint: () => "Run `calltally sync`; `calltally status` shows what prevents it.",
  }),
  no_rows: rule({
    level: "caution",
    find: ({ warehouse, files: produced, range }) => {
      if (produced === undefined || countRows(produced) > 0 || (range?.spend?.rows ?? 0) > 0)
        return undefined;
      // No changes, and no adjustments, does not mean no calls.
      const isOfChanges =
        produced.changes !== undefined || produced.files.some(({ adjustments }) => adjustments);
      if (!produced.isWarehouseEmpty && isOfChanges) return undefined;
      return {
        is_warehouse_empty: Number(produced.isWarehouseEmpty),
        has_rejected_rows: Number((warehouse?.rejected ?? null) !== null),
      };
    },
    say: ({ is_warehouse_empty, has_rejected_rows }) => {
      const lack = is_warehouse_empty ? "The warehouse has no calls" : "No call in the warehouse matches";
      const unread = has_rejected_rows ? ", but rows that could not be read might" : "";
      return `${lack}${is_warehouse_empty ? "" : unread}: the files have no rows.`;
    },
  }),
  callers_per_account: rule({
    level: "note",
    about: ["unique_callers", ...FIRST_CALL_FIGURES],
    find: ({ accounts = 1 }) => (accounts > 1 ? {} : undefined),
    say: () =>
      "Callers are counted per account: a person who called two accounts counts as two callers, and as a first-time caller in each.",
  }),
  restated: rule({
    level: "note",
    find: ({ files: produced }) => {
      const restated = (produced?.restatements?.rollups ?? []).filter(
        ({ restated_cells = 0 }) => restated_cells > 0,
      );
      if (produced === undefined || restated.length === 0) return undefined;
      const days = new Set(restated.map(({ exported_at = "" }) => localDate(exported_at, produced.timezone)));
      return {
        figures: restated.reduce((sum, { restated_cells = 0 }) => sum + restated_cells, 0),
        exported_on: days.size === 1 ? [...days].join() : null,
      };
    },
    say: ({ figures, exported_on }) =>
      `${formatQuantity(figures, "figure")} exported ${exported_on === null ? "before" : `on ${exported_on}`} ${figures === 1 ? "has" : "have"} changed: see restatements.csv.`,
  }),
  too_recent: rule({
    level: "note",
    find: ({ files: { files } = { files: [] } }) => {
      const calls = sum(files, ({ excluded }) => excluded?.["too recent"]);
      const isNew = files.some(({ only_new }) => only_new);
      return calls === 0 ? undefined : { calls, is_new: Number(isNew) };
    },
    say: ({ calls, is_new }) =>
      `${formatQuantity(calls, "call")} too recent for an upload ${calls === 1 ? "was" : "were"} left for the next file${is_new ? "" : ": start it one day before this one ends"}.`,
  }),
  cut_texts: rule({
    level: "note",
    find: ({ files: { files } = { files: [] } }) => {
      const texts = sum(
        files.flatMap(({ sheets = [] }) => sheets),
        ({ cut_texts }) => cut_texts,
      );
      return texts === 0 ? undefined : { texts };
    },
    say: ({ texts }) =>
      `${formatQuantity(texts, "text")} ${texts === 1 ? "is" : "are"} cut to the 32,767 characters of a cell; CSV and Parquet have the full text.`,
  }),
  files_without_costs: rule({
    level: "note",
    find: ({ files: { files } = { files: [] } }) => {
      const tables = files.flatMap((file) => file.sheets ?? [file]);
      const rollups = tables.flatMap(({ without_costs, contents }) =>
        without_costs && contents !== undefined ? [contents.replaceAll(",", "-")] : [],
      );
      return rollups.length === 0 ? undefined : { rollups: rollups.join(", ") };
    },
    say: ({ rollups }) =>
      `No cost figures in ${rollups}: costs are known only by ${SPEND_DIMENSIONS.join(", ")}.`,
  }),
  headline_left_out: rule({
    level: "note",
    find: ({ report: { headlineMinCell } = {} }) =>
      headlineMinCell === undefined ? undefined : { min_cell: headlineMinCell },
    say: ({ min_cell }) =>
      `Headline figures are left out, because some would be of fewer than ${min_cell} calls.`,
  }),
} satisfies Record<string, Rule>;

/** Rows, and what tables examined without a row for it. */
function countRows({ files }: FileFacts): number {
  return sum(
    files.flatMap((file) => file.sheets ?? [file]),
    ({ rows, examined = 0, excluded = {} }) =>
      rows + examined + sum(Object.values(excluded), (count) => count),
  );
}

function sum<T>(items: readonly T[], of: (item: T) => number | undefined): number {
  return items.reduce((total, item) => total + (of(item) ?? 0), 0);
}
