import { existsSync } from "node:fs";
import { join } from "node:path";
import { describeError } from "../../base/errors.ts";
import { toCalltallyError } from "../../base/known-error.ts";
import type { Account } from "../../config/accounts.ts";
import type { CalltallyFile } from "../../config/calltally-file.ts";
import { loadSettings } from "../../config/load-settings.ts";
import { EXPLORE_FILE, EXPLORE_FOLDER, PAGE_FILE, PAGE_FOLDER } from "../../config/request/option-values.ts";
import type { Counterpart } from "../../export/timeframe.ts";
import { loadNotices } from "../../features/load-notices.ts";
import { CALL_METRICS, type Figure, MISSED_RATE } from "../../figures/metrics.ts";
import { addUp, compareFigures, type Figures, figureOfSums } from "../../figures/sums.ts";
import {
  type AccountAsk,
  type AccountFigures,
  type AccountsManifest,
  askAll,
  mergeManifests,
} from "../../reports/produce/merge-accounts.ts";
import { findProblems } from "../status/find-problems.ts";
import { reportsOf } from "../status/read-next.ts";
import { readStatus, type Status } from "../status/read-status.ts";

export interface OverviewRow {
  account: string;
  /** Whose figures they are. */
  title: string;
  /** Undefined if they cannot be read: the problems say why. */
  own: AccountFigures | undefined;
  figures: Figures;
  /** ISO 4217, of its costs and revenue. */
  currency: string | null;
  status: Status | undefined;
  problems: readonly string[];
  /** Its pages that were made. */
  pages: readonly { name: string; path: string }[];
}

export interface Overview {
  rows: readonly OverviewRow[];
  /** Without a figure where the accounts have no common one. */
  total: Figures;
  /** What the accounts are compared with; undefined if they differ. */
  compared: Counterpart | undefined;
  /** The currency of the total. */
  currency: string | null;
  /** Why figures have no total. */
  remarks: readonly string[];
  manifest: AccountsManifest;
}

const COUNTS = ["calls", "missed_calls", "qualified_calls"] as const;
export const AMOUNTS = ["cost", "revenue"] as const;
const COMPARED = CALL_METRICS.filter(({ name }) => name === "calls");
/** The figures to ask each account for. */
export const OVERVIEW_FIGURES: Figure[] = [...COUNTS, ...AMOUNTS];

/**
 * Reads the figures of each account, as `export --by account` does, and how it is; an account that cannot be read has
 * its error in place of them.
 * @throws UsageError for a value of the filter that no account's calls have
 */
export async function readOverview(
  accounts: readonly (Account & { name: string })[],
  toAsk: (account: Account & { name: string }) => AccountAsk,
  { file, nowMs, signal }: { file: CalltallyFile | undefined; nowMs: number; signal: AbortSignal },
): Promise<Overview> {
  const errors = new Map<string, string[]>(accounts.map(({ name }) => [name, []]));
  const onError = (name: string, error: unknown) =>
    void errors.get(name)?.push(describeError(toCalltallyError(error)));
  const asks = accounts.flatMap(
    (account) =>
      tryTo(
        () => toAsk(account),
        (error) => onError(account.name, error),
      ) ?? [],
  );
  const figures = await askAll(asks, { signal, onError });
  const notices = await loadNotices();
  const rows = accounts.map((account): OverviewRow => {
    const { name } = account;
    const own = figures.find((each) => each.account === name);
    const known = tryTo(
      () => {
        const settings = loadSettings(account.sources);
        const reports = reportsOf(file, account);
        const status = readStatus(settings, { runs: 1, nowMs, notices, reports });
        return { settings, status };
      },
      (error) => onError(name, error),
    );
    const { failures, remarks } = known ? findProblems(known.status) : { failures: [], remarks: [] };
    return {
      account: name,
      title: known?.settings.title ?? name,
      own,
      figures: own === undefined ? {} : toFigures(own),
      currency: own?.manifest.spend?.currency ?? own?.manifest.outcomes?.currency ?? null,
      status: known?.status,
      problems: [...new Set([...(errors.get(name) ?? []), ...failures, ...remarks])],
      pages: known === undefined ? [] : findPages(known.settings.exportDir),
    };
  });
  return { rows, ...totalOf(rows), manifest: mergeManifests(figures) };
}

function tryTo<T>(work: () => T, onError: (error: unknown) => void): T | undefined {
  try {
    return work();
  } catch (error) {
    onError(error);
    return undefined;
  }
}

/** Returns the only row of the account's rollup, and the share of missed calls. */
function toFigures({ table: { columns, rows } }: AccountFigures): Figures {
  const [row = []] = rows;
  const figures = Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null]));
  return { ...figures, missed_rate: figureOfSums(MISSED_RATE, figures) };
}

function findPages(exportDir: string): OverviewRow["pages"] {
  return [
    { name: "page", path: join(exportDir, PAGE_FOLDER, PAGE_FILE) },
    { name: "explore", path: join(exportDir, EXPLORE_FOLDER, EXPLORE_FILE) },
  ].filter(({ path }) => existsSync(path));
}

export function totalOf(
  rows: readonly OverviewRow[],
): Pick<Overview, "total" | "compared" | "currency" | "remarks"> {
  const read = rows.filter(({ own }) => own !== undefined);
  const lacking = rows.filter(({ own }) => own === undefined).map(({ account }) => account);
  const zones = [...new Set(read.flatMap(({ own }) => own?.manifest.timezone ?? []))].toSorted();
  const none = { total: {}, compared: undefined, currency: null };
  if (read.length === 0) return { ...none, remarks: ["No account can be read."] };
  if (zones.length > 1) {
    const remark = `There is no total: accounts have days of ${zones.join(", ")}. --timezone chooses one zone for all.`;
    return { ...none, remarks: [remark] };
  }
  const figures = read.map((row) => row.figures);
  const sum = (name: string) => addUp(name, figures);
  const total: Record<string, number | null> = {};
  for (const name of COUNTS) total[name] = sum(name);
  total.missed_rate = figureOfSums(MISSED_RATE, total);
  const [compared, ...others] = read.map(({ own }) => own?.compared);
  const isAlike =
    others.every((other) => other?.times === compared?.times) &&
    read.every(({ figures }) => typeof figures.calls_change === "number");
  if (isAlike) Object.assign(total, compareFigures(COMPARED, total, { calls: sum("calls_previous") }));
  const currencies = [...new Set(read.flatMap(({ currency }) => currency ?? []))].toSorted();
  const [currency = null, ...more] = currencies;
  if (more.length === 0) for (const name of AMOUNTS) total[name] = sum(name);
  return {
    total,
    compared: isAlike ? compared : undefined,
    currency: more.length === 0 ? currency : null,
    remarks: [
      ...(lacking.length === 0 ? [] : [`The total lacks ${lacking.join(", ")}.`]),
      ...(isAlike || compared === undefined
        ? []
        : ["The change has no total: not all accounts have one of the same days."]),
      ...(more.length === 0
        ? []
        : [`Costs and revenue have no total: they are in ${currencies.join(", ")}.`]),
    ],
  };
}
