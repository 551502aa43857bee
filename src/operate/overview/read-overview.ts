import { existsSync } from "node:fs";
import { join } from "node:path";
import { describeError } from "../../base/errors.ts";
import type { NamedAccount } from "../../config/accounts.ts";
import type { CalltallyFile } from "../../config/calltally-file.ts";
import { loadSettings, type Settings } from "../../config/load-settings.ts";
import { EXPLORE_FILE, EXPLORE_FOLDER, PAGE_FILE, PAGE_FOLDER } from "../../config/request/option-values.ts";
import type { Counterpart } from "../../export/timeframe.ts";
import { loadNotices } from "../../features/load-notices.ts";
import { CALL_METRICS, type Figure, MISSED_RATE } from "../../figures/metrics.ts";
import { addUp, compareFigures, type Figures, figureOfSums } from "../../figures/sums.ts";
import { type AccountAsk, type AccountFigures, askAccounts } from "../../reports/accounts/ask-accounts.ts";
import { type AccountResult, tryAccount } from "../../reports/accounts/for-each-account.ts";
import { findProblems } from "../status/find-problems.ts";
import { reportsOf } from "../status/read-next.ts";
import { readStatus, type Status } from "../status/read-status.ts";

export interface OverviewRow {
  account: string;
  /** Whose figures they are. */
  title: string;
  /** Undefined if they cannot be read: the problems say why. */
  accountFigures: AccountFigures | undefined;
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
  accounts: readonly NamedAccount[],
  toAsk: (account: NamedAccount) => AccountAsk,
  { file, nowMs, signal }: { file: CalltallyFile | undefined; nowMs: number; signal: AbortSignal },
): Promise<Overview> {
  const answers = await Array.fromAsync(askAccounts(accounts, toAsk, { signal }));
  const notices = await loadNotices();
  const readState = (account: NamedAccount) => {
    const settings = loadSettings(account.sources);
    const reports = reportsOf(file, account);
    return { settings, status: readStatus(settings, { runs: 1, nowMs, notices, reports }) };
  };
  const rows = await Array.fromAsync(answers, async (figures) =>
    toRow(figures, await tryAccount(figures.account, readState)),
  );
  return { rows, ...totalOf(rows) };
}

function toRow(
  figures: AccountResult<NamedAccount, AccountFigures>,
  state: AccountResult<NamedAccount, { settings: Settings; status: Status }>,
): OverviewRow {
  const { name } = figures.account;
  const accountFigures = "value" in figures ? figures.value : undefined;
  const known = "value" in state ? state.value : undefined;
  const { failures, remarks } = known ? findProblems(known.status) : { failures: [], remarks: [] };
  const errors = [figures, state].flatMap((result) => ("error" in result ? describeError(result.error) : []));
  return {
    account: name,
    title: known?.settings.title ?? name,
    accountFigures,
    figures: accountFigures === undefined ? {} : toFigures(accountFigures),
    currency: accountFigures?.manifest.spend?.currency ?? accountFigures?.manifest.outcomes?.currency ?? null,
    status: known?.status,
    problems: [...new Set([...errors, ...failures, ...remarks])],
    pages: known === undefined ? [] : findPages(known.settings.exportDir),
  };
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

/** Returns the zones of the accounts that were read, each once. */
export function zonesOf(rows: readonly OverviewRow[]): string[] {
  return [...new Set(rows.flatMap(({ accountFigures }) => accountFigures?.manifest.timezone ?? []))];
}

export function totalOf(
  rows: readonly OverviewRow[],
): Pick<Overview, "total" | "compared" | "currency" | "remarks"> {
  const read = rows.filter(({ accountFigures }) => accountFigures !== undefined);
  const lacking = rows
    .filter(({ accountFigures }) => accountFigures === undefined)
    .map(({ account }) => account);
  const zones = zonesOf(read).toSorted();
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
  const [compared, ...others] = read.map(({ accountFigures }) => accountFigures?.compared);
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
