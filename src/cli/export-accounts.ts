import { join } from "node:path";
import { systemClock } from "../base/clock.ts";
import { EXIT, UsageError } from "../base/errors.ts";
import { type Account, settingsOfAccount } from "../config/accounts.ts";
import { readCallersFile } from "../config/callers-file.ts";
import type { Settings } from "../config/load-settings.ts";
import { FOLDER_CAN, folderOutput } from "../export/output/folder.ts";
import { STREAM_CAN, streamOutput } from "../export/output/stream.ts";
import { type AccountAsk, produceMerged } from "../produce/merge-accounts.ts";
import { type Made, produce } from "../produce/produce.ts";
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
import { accountsOf, configurationOf } from "./chosen-accounts.ts";
import type { Context } from "./context.ts";
import type { ExportFlags } from "./export-options.ts";
import { type AccountScope, note, overAccounts, type Result } from "./frame.ts";
import { FLAG_WORDING } from "./request-flags.ts";
import { attributionProgress } from "./terminal/attribution-progress.ts";
import { describeMade, remarksOnStream } from "./terminal/made-text.ts";
import { caveatsOf, describeMerged } from "./terminal/merged-text.ts";
import { notesOnDispositions } from "./warehouse-notes.ts";

/** The flags that say where figures are read, and where files go. */
type OutletFlags = Pick<ExportFlags, "engine" | "stdout" | "out" | "json" | "replace" | "timezone">;

/**
 * Runs `calltally export` and `calltally report`, for each account by itself.
 *
 * @param below the folder for the files where `--out` names none, in that of exports
 * @throws UsageError for a request that cannot be met, before anything is opened
 */
export async function exportAccounts(
  context: Context,
  request: ExportRequest,
  flags: OutletFlags,
  below = "",
): ReturnType<typeof overAccounts> {
  const accounts = accountsOf(context);
  if (flags.stdout && accounts.length > 1) {
    const what = request.format === "html" ? "page" : "file";
    throw new UsageError(`--stdout writes one ${what}, and there are several accounts`, {
      hint: "Name one with --account.",
    });
  }
  return await overAccounts(context, accounts, (scope) =>
    exportOne(context, scope, { request, flags, below }),
  );
}

async function exportOne(
  context: Context,
  { account, note }: AccountScope,
  { request, flags, below }: { request: ExportRequest; flags: OutletFlags; below: string },
): Promise<Result> {
  const { engine, stdout, out, replace } = flags;
  const can = stdout ? STREAM_CAN : FOLDER_CAN;
  assertOutlet(request, flags, can);
  const { signal } = context;
  const stream = streamOutput(context.write);
  const write = async (settings: Settings, source: Source, timezone: string) => {
    const folder = out === undefined ? join(settings.exportDir, below) : settings.exportDir;
    const to = stdout ? stream : folderOutput(folder, { replace, signal });
    const ask = toAsk(request, { source: source.can, output: can }, timezone);
    return await produce(ask, source, to, { signal, onAttributed: attributionProgress(context, note) });
  };
  if (engine !== undefined) {
    const owners = toOwners([account]);
    const read = (accounts: readonly EngineAccount[]) => {
      const found = onlyOf(accounts);
      return write(found.settings, found.source, zoneOf(found, flags));
    };
    const options = { signal, isFinal: () => stream.hasWritten };
    return toResult(await readEngine(engine, owners, read, options), context, stdout);
  }
  const settings = settingsOfAccount(account);
  const result = toResult(await write(settings, sourceOf(settings), settings.timezone), context, stdout);
  return { ...result, notes: [...result.notes, ...notesOnDispositions(settings)] };
}

function toResult(made: Made, { folder }: Context, isStream = false) {
  const { isWarehouseEmpty: _, ...data } = made;
  const exit = made.manifest.caveats ? EXIT.unverified : EXIT.done;
  return isStream
    ? { notes: remarksOnStream(made), exit }
    : { data, summary: describeMade(made, folder), notes: [], exit };
}

/** Runs `calltally export --by account,…`. */
export async function exportMerged(
  context: Context,
  request: ExportRequest,
  by: NonNullable<ExportFlags["by"]>,
  flags: OutletFlags,
): Promise<Result> {
  const { engine, stdout, out, replace } = flags;
  const can = { manyFiles: false, remembers: true, mergesAccounts: true };
  assertOutlet(request, flags, can);
  const { signal } = context;
  const { file } = configurationOf(context);
  const accounts = accountsOf(context, { isFolderShared: true });
  const folder = out ?? file?.resolvePath("data/exports") ?? "data/exports";
  const write = async (asks: readonly AccountAsk[]): Promise<Result> => {
    const to = stdout ? streamOutput(context.write) : folderOutput(folder, { replace, signal });
    const made = await produceMerged(asks, to, { by, signal });
    const hasCaveats = Object.values(made.manifest.accounts).some(({ caveats }) => caveats !== undefined);
    return {
      ...(stdout
        ? { notes: caveatsOf(made.manifest) }
        : { data: made, summary: describeMerged(made, context.folder) }),
      exit: hasCaveats ? EXIT.unverified : EXIT.done,
    };
  };
  if (engine !== undefined) {
    const toAccountAsk = (account: EngineAccount): AccountAsk => {
      const { name, source } = account;
      return {
        account: name,
        source,
        ask: toAsk(request, { source: source.can, output: can }, zoneOf(account, flags)),
      };
    };
    const work = (published: readonly EngineAccount[]) => write(published.map(toAccountAsk));
    return await readEngine(engine, toOwners(accounts), work, { signal });
  }
  return await write(
    accounts.map((account): AccountAsk => {
      if (account.name === undefined || file === undefined) {
        throw new UsageError("--by account needs accounts, and there is no calltally.yaml that names any", {
          hint: "Without accounts, leave account out of --by.",
        });
      }
      const settings = settingsOfAccount(account);
      return {
        account: account.name,
        source: sourceOf(settings),
        ask: toAsk(request, { source: WAREHOUSE_CAN, output: can }, settings.timezone),
        onAttributed: attributionProgress(context, (text) => note(context, text)),
      };
    }),
  );
}

/** Refuses what is wrong with a request before anything is opened. */
function assertOutlet(
  request: ExportRequest,
  { engine, stdout, out, json }: OutletFlags,
  output: OutputCan,
): void {
  if (stdout && out !== undefined)
    throw new UsageError("--out is for files, and --stdout writes none: use one or the other");
  if (stdout && json)
    throw new UsageError("--json prints the manifest, and --stdout writes none: use one or the other");
  check(request, { source: engine === undefined ? WAREHOUSE_CAN : CLUSTER_CAN, output }, FLAG_WORDING);
}

function toAsk(request: ExportRequest, can: { source: SourceCan; output: OutputCan }, timezone: string): Ask {
  check(request, can, FLAG_WORDING);
  return resolve(request, {
    nowMs: systemClock.now(),
    timezone,
    readCallers: (path) => readCallersFile(path),
    clickIds: can.source.clickIds,
    spell: FLAG_WORDING.spell,
  });
}

function toOwners(accounts: readonly Account[]): AccountOwner[] {
  return accounts.map((account) => ({ name: account.name, settings: settingsOfAccount(account) }));
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
