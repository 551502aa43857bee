import { join } from "node:path";
import { UsageError } from "../base/errors.ts";
import type { ExportRequest } from "../config/request/export-request.ts";
import { isPageFormat } from "../config/request/option-values.ts";
import { readLetterhead } from "../export/letterhead/letterhead.ts";
import { FOLDER_CAN, folderOutput } from "../export/output/folder.ts";
import { STREAM_CAN, streamOutput } from "../export/output/stream.ts";
import { exitCodeOf } from "../export/statements/statements.ts";
import { DEFAULT_DIMENSIONS } from "../figures/dimensions.ts";
import { type ProducedFiles, produce } from "../reports/produce/produce.ts";
import { type EngineAccount, readEngine } from "../reports/produce/published-source.ts";
import { sourceOf } from "../reports/produce/warehouse-source.ts";
import { settleByHand } from "../schedule/job-journal.ts";
import { JOB } from "../warehouse/runs/job-table.ts";
import { accountsOf, onlyOf } from "./chosen-accounts.ts";
import type { Context } from "./context.ts";
import { type AccountScope, overAccounts, type Result } from "./frame.ts";
import { assertOutlet, assertPossible, type OutletFlags, toAsk, zoneOf } from "./request-flags.ts";
import { dataOf, describeMade, remarksOnStream } from "./terminal/made-text.ts";
import { attributionProgress } from "./terminal/progress.ts";
import { quietDoubts } from "./terminal/statement-lines.ts";
import { notesOnDispositions } from "./warehouse-notes.ts";

/**
 * Runs `calltally export` and `calltally report`, for each account separately.
 * @param below the sub-folder of the export folder, unless `--out` is given
 * @throws UsageError for an impossible request, before anything is opened
 */
export async function exportAccounts(
  context: Context,
  request: ExportRequest,
  flags: OutletFlags,
  below = "",
): ReturnType<typeof overAccounts> {
  const accounts = accountsOf(context);
  assertOutlet(flags, request, accounts.length);
  return await overAccounts(context, accounts, (scope) =>
    exportOne(context, scope, { request, flags, below }),
  );
}

async function exportOne(
  context: Context,
  scope: AccountScope,
  { request, flags, below }: { request: ExportRequest; flags: OutletFlags; below: string },
): Promise<Result> {
  const { engine, stdout, out, replace } = flags;
  const can = stdout ? STREAM_CAN : FOLDER_CAN;
  assertPossible(request, flags, can);
  const { account, settings: ofAccount, note } = scope;
  const { signal } = context;
  const stream = streamOutput(context.write);
  const isOfPage = isPageFormat(request.format);
  const write = async ({ settings, source, timezone }: Omit<EngineAccount, "name">) => {
    const folder = out === undefined ? join(settings.exportDir, below) : settings.exportDir;
    const to = stdout ? stream : folderOutput(folder, { replace, signal });
    const ask = toAsk(request, { source: source.can, output: can }, timezone);
    return await produce(ask, source, to, {
      account: account.name,
      // Tables have no logo, so an unusable one does not stop them.
      letterhead: readLetterhead({ ...settings, ...(!isOfPage && { logo: undefined }) }, account.name),
      signal,
      browser: ofAccount.browser,
      onAttributed: attributionProgress(context, note),
    });
  };
  if (engine !== undefined) {
    const read = (accounts: readonly EngineAccount[]) => {
      const account = onlyAccountOf(accounts);
      return write({ ...account, timezone: zoneOf(account, flags) });
    };
    const owners = [{ name: account.name, settings: ofAccount }];
    const options = { signal, isFinal: () => stream.hasWritten };
    return toResult(await readEngine(engine, owners, read, options), context, stdout);
  }
  const { timezone } = ofAccount;
  const files = await write({ settings: ofAccount, source: sourceOf(ofAccount), timezone });
  const result = toResult(files, context, stdout);
  if (!stdout && out === undefined && isDailyExport(request, files))
    settleByHand(ofAccount.database, JOB.export, exitCodeOf(files.manifest.statements));
  const replaced =
    stdout || out !== undefined || context.options.json ? [] : notesOnDailyExport(request, files);
  return {
    ...result,
    notes: [...result.notes, ...replaced, ...notesOnDispositions(ofAccount, account.sources)],
  };
}

/** The files of the job `export`. */
const DAILY_FILES: readonly string[] = DEFAULT_DIMENSIONS.map((dimension) => `${dimension}.csv`);

function notesOnDailyExport(
  { contents: _, ...options }: ExportRequest,
  { manifest }: ProducedFiles,
): string[] {
  const isReplaced = manifest.files.some(({ file }) => DAILY_FILES.includes(file));
  if (!isReplaced || Object.keys(options).length === 0) return [];
  return [
    "The daily export of `calltally schedule` replaces these files: --out names a folder of their own.",
  ];
}

/** Whether it wrote all that the job `export` writes. */
function isDailyExport({ contents: _, ...options }: ExportRequest, { manifest }: ProducedFiles): boolean {
  const written = new Set(manifest.files.map(({ file }) => file));
  return Object.keys(options).length === 0 && DAILY_FILES.every((file) => written.has(file));
}

function toResult(files: ProducedFiles, context: Context, isStream = false) {
  const { statements } = files.manifest;
  const ended = { errors: quietDoubts(context, statements), exit: exitCodeOf(statements) };
  return isStream
    ? { notes: remarksOnStream(files), ...ended }
    : { data: dataOf(files), summary: describeMade(files, context.folder), notes: [], ...ended };
}

/** @throws UsageError if the cluster has several accounts and none is named */
function onlyAccountOf(accounts: readonly EngineAccount[]): EngineAccount {
  const only = onlyOf(accounts);
  if (only !== undefined) return only;
  const names = accounts.map(({ name }) => name);
  throw new UsageError(`The cluster has several accounts: ${names.join(", ")}`, {
    hint: `Name one, e.g. --account ${names[0]}, or ask for all with --by account,…`,
  });
}
