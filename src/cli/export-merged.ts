import { join, relative } from "node:path";
import { UsageError } from "../base/errors.ts";
import { formatQuantity } from "../base/text/quantity-text.ts";
import { loadSettings } from "../config/load-settings.ts";
import type { ExportRequest } from "../config/request/export-request.ts";
import { folderOutput } from "../export/output/folder.ts";
import { streamOutput } from "../export/output/stream.ts";
import { exitCodeOf } from "../export/statements/statements.ts";
import { type AccountAsk, type AccountsManifest, produceMerged } from "../reports/produce/merge-accounts.ts";
import { type EngineAccount, readEngine } from "../reports/produce/published-source.ts";
import { sourceOf, WAREHOUSE_CAN } from "../reports/produce/warehouse-source.ts";
import { accountsOf, configurationOf } from "./chosen-accounts.ts";
import type { Context } from "./context.ts";
import { note, type Result } from "./frame.ts";
import { assertPossible, type GroupedBy, type OutletFlags, toAsk, zoneOf } from "./request-flags.ts";
import { attributionProgress } from "./terminal/progress.ts";
import { linesOf, quietDoubts, SEE_MANIFEST, toJson } from "./terminal/statement-lines.ts";

/** Runs `calltally export --by account,…`: one file with the figures of all accounts. */
export async function exportMerged(
  context: Context,
  request: ExportRequest,
  by: GroupedBy,
  flags: OutletFlags,
): Promise<Result> {
  const { engine, stdout, out, replace } = flags;
  const output = { manyFiles: false, remembers: true, mergesAccounts: true };
  assertPossible(request, flags, output);
  const { signal } = context;
  const { file } = configurationOf(context);
  const accounts = accountsOf(context, { isFolderShared: true });
  const folder = folderOfAll(context, out, "data/exports");
  const write = async (asks: readonly AccountAsk[]): Promise<Result> => {
    const to = stdout ? streamOutput(context.write) : folderOutput(folder, { replace, signal });
    const made = await produceMerged(asks, to, { by, signal });
    const { statements } = made.manifest;
    return {
      ...(stdout
        ? { notes: linesOf(statements) }
        : { data: toJson(made), summary: describeMerged(made, context.folder) }),
      errors: quietDoubts(context, statements),
      exit: exitCodeOf(statements),
    };
  };
  if (engine !== undefined) {
    const toAccountAsk = (account: EngineAccount): AccountAsk => {
      const { name, source } = account;
      const can = { source: source.can, output };
      return { account: name, source, ask: toAsk(request, can, zoneOf(account, flags)) };
    };
    const work = (published: readonly EngineAccount[]) => write(published.map(toAccountAsk));
    const owners = accounts.map(({ name, sources }) => ({ name, settings: loadSettings(sources) }));
    return await readEngine(engine, owners, work, { signal });
  }
  return await write(
    accounts.map((account): AccountAsk => {
      if (account.name === undefined || file === undefined) {
        throw new UsageError("--by account needs accounts, but no calltally.yaml names any", {
          hint: "Leave account out of --by.",
        });
      }
      const settings = loadSettings(account.sources);
      return {
        account: account.name,
        source: sourceOf(settings),
        ask: toAsk(request, { source: WAREHOUSE_CAN, output }, settings.timezone),
        onAttributed: attributionProgress(context, (text) => note(context, text)),
      };
    }),
  );
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
function describeMerged(
  { folder = "", manifest }: { folder?: string; manifest: AccountsManifest },
  workingFolder: string,
): string {
  const accounts = Object.entries(manifest.accounts);
  return [
    ...manifest.files.map(({ file, rows, sums }) => {
      const path = relative(workingFolder, join(folder, file));
      return `${path}  ${formatQuantity(rows, "row")}, ${formatQuantity(sums?.calls ?? 0, "call")}`;
    }),
    ...accounts.flatMap(([name, { run }]) =>
      run ? `${name}: from run ${run.run_id}, finished ${run.finished_at}, verdict ${run.verdict}` : [],
    ),
    ...accounts.flatMap(([name, { published }]) =>
      published ? `${name}: read in ${published.to}, published ${published.published_at}` : [],
    ),
    ...linesOf(manifest.statements, SEE_MANIFEST),
  ].join("\n");
}
