import { join, relative } from "node:path";
import { systemClock } from "../clock.ts";
import { settingsOfAccount } from "../config/accounts.ts";
import { readCallersFile } from "../config/callers-file.ts";
import { EXIT, type ExitCode, UsageError } from "../errors.ts";
import { describeCaveats } from "../export/manifest.ts";
import { FOLDER_CAN, folderOutput } from "../export/output/folder.ts";
import type { Output } from "../export/output/output.ts";
import { STREAM_CAN, streamOutput } from "../export/output/stream.ts";
import { type AccountAsk, type AccountsManifest, produceMerged } from "../produce/merge-accounts.ts";
import { produce } from "../produce/produce.ts";
import {
  type AccountOwner,
  CLUSTER_CAN,
  type EngineAccount,
  readEngine,
} from "../produce/published-source.ts";
import type { Source } from "../produce/source.ts";
import { sourceOf, WAREHOUSE_CAN } from "../produce/warehouse-source.ts";
import { check, type OutputCan, type SourceCan } from "../request/check.ts";
import type { ExportRequest } from "../request/export-request.ts";
import { type Ask, resolve } from "../request/resolve.ts";
import { attributionProgress } from "./attribution-progress.ts";
import {
  accountsOf,
  type Context,
  configurationOf,
  engineAccountsOf,
  type SettingFlags,
  settingsOf,
} from "./context.ts";
import { noteUnmatchedDispositions } from "./disposition-note.ts";
import type { ExportFlags } from "./export-command.ts";
import { describeMade, noteRemarks } from "./made-text.ts";
import { FLAG_WORDING } from "./request-flags.ts";
import { formatQuantity } from "./terminal-text.ts";

/** The flags that say where figures are read, and where files go. */
type OutletFlags = Pick<
  ExportFlags,
  "engine" | "stdout" | "out" | "json" | "replace" | "database" | "timezone"
>;
type Exit = (code: ExitCode) => void;

/**
 * Runs `calltally export` and `calltally report` for one account.
 *
 * @param below the folder that the files are in where `--out` names none, within that of exports
 */
export async function runExport(
  context: Context,
  request: ExportRequest,
  flags: OutletFlags,
  exit: Exit,
  below = "",
): Promise<void> {
  const output = flags.stdout ? STREAM_CAN : FOLDER_CAN;
  assertOutlet(flags);
  assertRequest(request, flags.engine === undefined ? WAREHOUSE_CAN : CLUSTER_CAN, output);
  const folderOf = ({ exportDir }: { exportDir: string }) =>
    flags.out === undefined ? join(exportDir, below) : exportDir;
  const { signal } = context;
  const write = async (ask: Ask, source: Source, to: Output) => {
    const made = await produce(ask, source, to, { signal, onAttributed: attributionProgress(context) });
    const { isWarehouseEmpty: _, ...shown } = made;
    if (flags.stdout) noteRemarks(context, made);
    else if (flags.json) context.print(JSON.stringify(shown));
    else context.tell(describeMade(made, context.folder));
    if (made.manifest.caveats) exit(EXIT.unverified);
  };
  const stream = streamOutput(context.write);
  const outputOf = (settings: { exportDir: string }) =>
    flags.stdout ? stream : folderOutput(folderOf(settings), { replace: flags.replace, signal });
  if (flags.engine === undefined) {
    const settings = settingsOf(context, flags);
    const ask = toAsk(request, WAREHOUSE_CAN, settings.timezone);
    await write(ask, sourceOf(settings), outputOf(settings));
    noteUnmatchedDispositions(context, settings);
    return;
  }
  await readEngine(
    flags.engine,
    ownersOf(context, flags),
    async (accounts) => {
      const account = onlyOf(accounts);
      const { source, settings } = account;
      assertRequest(request, source.can, output);
      await write(toAsk(request, source.can, zoneOf(account, flags)), source, outputOf(settings));
    },
    { signal, isFinal: () => stream.hasWritten },
  );
}

/** Runs `calltally export --by account,…`. */
export async function runMergedExport(
  context: Context,
  request: ExportRequest,
  by: NonNullable<ExportFlags["by"]>,
  flags: OutletFlags,
  exit: Exit,
): Promise<void> {
  const output = { manyFiles: false, remembers: true, mergesAccounts: true };
  assertOutlet(flags);
  assertRequest(request, flags.engine === undefined ? WAREHOUSE_CAN : CLUSTER_CAN, output);
  const { signal } = context;
  const { file } = configurationOf(context);
  const folder = flags.out ?? file?.resolvePath("data/exports") ?? "data/exports";
  const write = async (accounts: readonly AccountAsk[]) => {
    const to = flags.stdout
      ? streamOutput(context.write)
      : folderOutput(folder, { replace: flags.replace, signal });
    const made = await produceMerged(accounts, to, { by, signal });
    if (flags.stdout) for (const caveat of caveatsOf(made.manifest)) context.note(caveat);
    else if (flags.json) context.print(JSON.stringify(made));
    else describeMerged(context, made);
    if (Object.values(made.manifest.accounts).some(({ caveats }) => caveats !== undefined))
      exit(EXIT.unverified);
  };
  if (flags.engine !== undefined) {
    const toAccountAsk = (account: EngineAccount) => {
      const { name, source } = account;
      assertRequest(request, source.can, output);
      return { account: name, source, ask: toAsk(request, source.can, zoneOf(account, flags)) };
    };
    const owners = ownersOf(context, { ...flags, out: undefined });
    await readEngine(flags.engine, owners, (published) => write(published.map(toAccountAsk)), { signal });
    return;
  }
  const accounts = accountsOf(context, { ...flags, out: undefined }).map((account): AccountAsk => {
    if (account.name === undefined || file === undefined) {
      throw new UsageError("--by account needs accounts, and there is no calltally.yaml that names any", {
        hint: "Without accounts, leave account out of --by.",
      });
    }
    const settings = settingsOfAccount(account);
    return {
      account: account.name,
      source: sourceOf(settings),
      ask: toAsk(request, WAREHOUSE_CAN, settings.timezone),
      onAttributed: attributionProgress(context),
    };
  });
  await write(accounts);
}

function assertOutlet({ stdout, out, json }: OutletFlags): void {
  if (stdout && out !== undefined)
    throw new UsageError("--out is for files, and --stdout writes none: use one or the other");
  if (stdout && json)
    throw new UsageError("--json prints the manifest, and --stdout writes none: use one or the other");
}

function assertRequest(request: ExportRequest, source: SourceCan, output: OutputCan): void {
  check(request, { source, output }, FLAG_WORDING);
}

function toAsk(request: ExportRequest, { clickIds }: SourceCan, timezone: string): Ask {
  return resolve(request, {
    nowMs: systemClock.now(),
    timezone,
    readCallers: (path) => readCallersFile(path),
    clickIds,
    spell: FLAG_WORDING.spell,
  });
}

function ownersOf(context: Context, flags: SettingFlags): AccountOwner[] {
  return engineAccountsOf(context, flags).map((account) => ({
    name: account.name,
    settings: settingsOfAccount(account),
  }));
}

/** The zone that a flag names, or that the account was published with: its settings may be elsewhere. */
function zoneOf({ timezone, settings }: EngineAccount, flags: OutletFlags): string {
  return flags.timezone === undefined ? timezone : settings.timezone;
}

/** @throws UsageError where the cluster has several accounts, and none is named */
function onlyOf(accounts: readonly EngineAccount[]): EngineAccount {
  const [account, ...others] = accounts;
  if (account !== undefined && others.length === 0) return account;
  const names = accounts.map(({ name }) => name);
  throw new UsageError(`The cluster has several accounts: ${names.join(", ")}`, {
    hint: `Name one, e.g. --account ${names[0]}, or ask for all with --by account,…`,
  });
}

function describeMerged(
  context: Context,
  { folder = "", manifest }: { folder?: string; manifest: AccountsManifest },
): void {
  for (const { file, rows, sums } of manifest.files) {
    const shown = relative(context.folder, join(folder, file));
    context.tell(`${shown}  ${formatQuantity(rows, "row")}, ${formatQuantity(sums?.calls ?? 0, "call")}`);
  }
  const accounts = Object.entries(manifest.accounts);
  for (const [name, { run }] of accounts) {
    if (run)
      context.tell(`${name}: from run ${run.run_id}, finished ${run.finished_at}, verdict ${run.verdict}`);
  }
  for (const [name, { published }] of accounts) {
    if (published) context.tell(`${name}: read in ${published.to}, published ${published.published_at}`);
  }
  for (const caveat of caveatsOf(manifest)) context.tell(caveat);
  context.tell(manifest.callers);
}

function caveatsOf({ accounts }: AccountsManifest): string[] {
  return Object.entries(accounts).flatMap(([name, own]) =>
    describeCaveats(own).map((caveat) => `${name}: ${caveat}`),
  );
}
