import { UsageError } from "../base/errors.ts";
import { formatQuantity } from "../base/text/quantity-text.ts";
import type { Account, NamedAccount } from "../config/accounts.ts";
import { loadSettings } from "../config/load-settings.ts";
import type { ExportRequest } from "../config/request/export-request.ts";
import { folderOutput } from "../export/output/folder.ts";
import { streamOutput } from "../export/output/stream.ts";
import { exitCodeOf } from "../export/statements/statements.ts";
import type { AccountAsk } from "../reports/accounts/ask-accounts.ts";
import { produceMerged } from "../reports/accounts/merge-accounts.ts";
import { MERGED_CAN, type MergedFiles } from "../reports/accounts/merged-files.ts";
import { type EngineAccount, readEngine } from "../reports/produce/published-source.ts";
import { sourceOf, WAREHOUSE_CAN } from "../reports/produce/warehouse-source.ts";
import { accountsOf, configurationOf } from "./chosen-accounts.ts";
import type { Context } from "./context.ts";
import { note, type Result } from "./frame.ts";
import { assertPossible, type GroupedBy, type OutletFlags, toAsk, zoneOf } from "./request-flags.ts";
import { attributionProgress } from "./terminal/progress.ts";
import { quietDoubts, toJson } from "./terminal/statement-lines.ts";
import {
  blocksOfStatements,
  filesBlock,
  linesOf,
  remarksBlock,
  toSummaryText,
} from "./terminal/summary-lines.ts";

/** Runs `calltally export --by account,…`: one file with the figures of all accounts. */
export async function exportMerged(
  context: Context,
  request: ExportRequest,
  by: GroupedBy,
  flags: OutletFlags,
): Promise<Result> {
  const { engine, stdout, out, replace } = flags;
  assertPossible(request, flags, MERGED_CAN);
  const { signal } = context;
  const accounts = accountsOf(context, { isFolderShared: true });
  const folder = folderOfAll(context, out, "data/exports");
  const write = async (asks: readonly (NamedAccount & AccountAsk)[]): Promise<Result> => {
    const to = stdout ? streamOutput(context.write) : folderOutput(folder, { replace, signal });
    const files = await produceMerged(asks, to, { by, signal });
    const { statements } = files.manifest;
    return {
      ...(stdout
        ? { notes: linesOf(statements) }
        : { data: toJson(files), summary: describeMerged(files, context.folder) }),
      errors: quietDoubts(context, statements),
      exit: exitCodeOf(statements),
    };
  };
  if (engine === undefined) {
    const named = assertNamed(context, accounts, "--by account", "Leave account out of --by.");
    return await write(named.map((account) => ({ ...account, ...askOf(context, request, account) })));
  }
  const owners = accounts.map((account) => ({ ...account, settings: loadSettings(account.sources) }));
  const work = (published: readonly EngineAccount<(typeof owners)[number]>[]) =>
    write(
      published.map((account) => {
        const can = { source: account.source.can, output: MERGED_CAN };
        return { ...account, ask: toAsk(request, can, zoneOf(account, flags)) };
      }),
    );
  return await readEngine(engine, owners, work, { signal });
}

/** Returns a request for files of all accounts as one to the warehouse of an account. */
export function askOf(context: Context, request: ExportRequest, { sources }: Account): AccountAsk {
  const settings = loadSettings(sources);
  return {
    source: sourceOf(settings),
    ask: toAsk(request, { source: WAREHOUSE_CAN, output: MERGED_CAN }, settings.timezone),
    onAttributed: attributionProgress(context, (text) => note(context, text)),
  };
}

/** @throws UsageError if they are not accounts of calltally.yaml */
export function assertNamed(
  { configuration }: Context,
  accounts: readonly Account[],
  option: string,
  hint: string,
): NamedAccount[] {
  const named = accounts.flatMap(({ name, sources }) => (name === undefined ? [] : [{ name, sources }]));
  if (configuration?.file !== undefined && named.length > 0) return named;
  throw new UsageError(`${option} needs accounts, but no calltally.yaml names any`, { hint });
}

/** Returns the folder for files of all accounts. @throws UsageError for a folder of each */
export function folderOfAll(context: Context, out: string | undefined, standard: string): string {
  if (out?.includes("{account}"))
    throw new UsageError(`Cannot use {account} in --out ${out}: the files are of all accounts`, {
      hint: "Leave it out.",
    });
  return out ?? configurationOf(context).file?.resolvePath(standard) ?? standard;
}

/** Describes the merged files, and what each account's figures are based on. */
function describeMerged({ folder = "", manifest }: MergedFiles, workingFolder: string): string {
  const accounts = Object.entries(manifest.accounts);
  const files = manifest.files.map(({ file, rows, sums }) => ({
    name: file,
    content: `${formatQuantity(rows, "row")}, ${formatQuantity(sums?.calls ?? 0, "call")}`,
    parts: [],
  }));
  return toSummaryText([
    filesBlock(files, folder, workingFolder),
    remarksBlock(
      accounts.flatMap(([name, { run }]) =>
        run ? `${name}: from run ${run.run_id}, finished ${run.finished_at}, verdict ${run.verdict}` : [],
      ),
    ),
    remarksBlock(
      accounts.flatMap(([name, { published }]) =>
        published ? `${name}: read in ${published.to}, published ${published.published_at}` : [],
      ),
    ),
    ...blocksOfStatements(manifest.statements),
  ]);
}
