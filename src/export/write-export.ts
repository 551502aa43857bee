import { createHash } from "node:crypto";
import { join } from "node:path";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { type Clock, systemClock } from "../clock.ts";
import { CalltallyError, EXIT, UsageError } from "../errors.ts";
import { type Audience, realFile } from "../folder.ts";
import type { CallFilter } from "../rollup/call-filter.ts";
import { RollupSession } from "../rollup/session.ts";
import type { SessionSpend } from "../rollup/session-spend.ts";
import type { AttributionProgress } from "../warehouse/attribute-all.ts";
import { countCalls } from "../warehouse/call-table.ts";
import { prepareCallerName } from "../warehouse/caller-hash.ts";
import { rememberRollups } from "../warehouse/exported-rollups.ts";
import { insertExports } from "../warehouse/exports.ts";
import { beginFactLog } from "../warehouse/fact-log.ts";
import { openAsPermitted, openReader, type Warehouse } from "../warehouse/open.ts";
import { describeOrigin, readOrigin } from "../warehouse/origin.ts";
import { insertRestatements } from "../warehouse/restatement-table.ts";
import { isInForce, readRulesInForce } from "../warehouse/rules.ts";
import { hasSpend } from "../warehouse/spend-table.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import {
  enterUploads,
  findReplacedUploads,
  readLastUploadFile,
  recoverUploads,
  settleUploads,
  type UploadBatch,
  type UploadFile,
} from "../warehouse/upload-table.ts";
import { type AdjustmentsTarget, writeAdjustments } from "./adjustments.ts";
import { applyRulesAlone, otherRulesError } from "./apply-rules.ts";
import { ADJUSTMENTS } from "./choices.ts";
import { type ConversionTarget, writeConversions } from "./conversions.ts";
import type { FormatOptions } from "./encode-table.ts";
import { type CallersTarget, callersTable } from "./export-callers.ts";
import { type CallsTarget, callsTable, writeCallsByMonth } from "./export-calls.ts";
import { FileSet, type WrittenFile } from "./file-set.ts";
import { claimFolder } from "./folder-owner.ts";
import { type Compared, GivenOut } from "./given-out.ts";
import { fingerprintOf, type Manifest, type ManifestFile, startManifest } from "./manifest.ts";
import { type NamedTable, writeTable } from "./named-table.ts";
import { findRestatementFile, RESTATEMENT_FILE, writeRestatements } from "./restatement-file.ts";
import { type RollupTarget, rollupTable, WORKBOOK } from "./rollups.ts";
import { resolveScope, type Scope, type ScopeOptions } from "./scope.ts";
import { assertFilterShareSafe, toShareSafe } from "./share-safe.ts";
import { unmatchedTable } from "./spend-files.ts";

/** A kind of file to write. */
export type Target =
  | RollupTarget
  | CallsTarget
  | CallersTarget
  | ConversionTarget
  | AdjustmentsTarget
  | CustomTarget;

/** Files that another part of the program makes of the same moment of the warehouse. */
export interface CustomTarget {
  kind: "custom";
  /** Whether it has figures that are compared with those that the file held before. @default false */
  isCompared?: boolean;
  write: (job: ExportJob) => Promise<ManifestFile[]>;
}

/** How tables become files: one each, or all of them sheets of one workbook. */
export type ExportFormat = FormatOptions | { format: "xlsx" };

/** How figures are made and written. */
export interface FigureOptions {
  /** Attribution rules; facts computed by other rules are recomputed before anything is written. */
  rules: AttributionRules;
  /** Hours after a call in which late transcripts and corrections are looked for. */
  lookbackHours: number;
  /** Whether utm values are grouped as they are stored. @default false */
  raw?: boolean;
  /** Whether each key has a row in each period. @default false */
  fill?: boolean;
  /** How many keys have rows of their own; the others are in the row `(other)`. @default all */
  top?: number | undefined;
  /** Makes share-safe files: no row of fewer calls, and no text like a phone number or mail address. @default others */
  minCell?: number | undefined;
  /** Whether a line of totals follows the rows. @default false */
  total?: boolean;
  /** Whether what ads cost stands beside the calls; `if any`, where any was imported for the days. @default false */
  spend?: boolean | "if any";
  /** @default CSV */
  format?: ExportFormat;
}

export interface ExportOptions extends ScopeOptions, FigureOptions {
  /** Path of the warehouse. */
  database: string;
  targets: readonly Target[];
  /** Whether the filter may have values that no call in the warehouse has. @default false */
  isEmptyAllowed?: boolean | undefined;
  clock?: Clock;
  signal?: AbortSignal | undefined;
  /** Receives the progress of recomputing the attribution after a change of the rules. */
  onAttributed?: ((progress: AttributionProgress) => void) | undefined;
}

export interface FolderExportOptions extends ExportOptions {
  folder: string;
  /** Whether the files of another warehouse may be replaced. @default false */
  replace?: boolean | undefined;
  /** The run of a report that the files are for. */
  reportRun?: ReportRunOfFiles | undefined;
}

/** The run of a report that files are written for. */
export interface ReportRunOfFiles {
  runId: number;
  /** Whether somebody may have the files that it wrote before it was cut short. */
  isRepeated: boolean;
}

/** What the writer of one kind of file works with. */
export interface ExportJob extends Required<Omit<FigureOptions, "spend">> {
  database: string;
  scope: Scope;
  /** The warehouse at one moment, by a connection of its own that only reads. */
  reader: Warehouse;
  session: RollupSession;
  /** What ads cost; undefined where it was not asked for. */
  spend: SessionSpend | undefined;
  /** What the files stand on, those that were written before among it. */
  manifest: Manifest;
  nowMs: number;
  /** Compares the figures with those that the same files held before, where they are written into a folder. */
  givenOut: GivenOut | undefined;
  /** Whether calls may be cut into files by month. */
  isPartitioned: boolean;
  /** Receives the path of a newly created key for `caller_hash`. */
  onNewKey: (file: string) => void;
  /** The run of a report whose conversions in earlier files are to be written again, and no others. */
  repeats?: number | undefined;
  /** Takes note of a file of conversions: it counts as uploaded once it has its name. */
  remember: (batch: Omit<UploadBatch, "path" | "sha256" | "reportRunId"> & { file: WrittenFile }) => void;
  /** Writes one file of the export, in chunks; for its owner alone if it names people. */
  write: (file: string, content: Iterable<Buffer | string>, audience?: Audience) => Promise<WrittenFile>;
}

export interface ExportResult {
  folder: string;
  manifest: Manifest;
  /** Path of the key of `caller_hash`, where this export had to make one. */
  newKey?: string | undefined;
  /** Present where the warehouse can only be read here, so that its tables do not have these files. */
  unrecorded?: true;
  /** Files of conversions that counted as uploaded, by whoever exports by hand, and were replaced by what is new since. */
  replaced?: Pick<UploadFile, "upload_file_id" | "contents" | "rows" | "written_at">[];
  /** Whether there are no calls but gone ones, so that there was nothing to filter. */
  isWarehouseEmpty: boolean;
}

/** Where Parquet files of calls lie; the next export replaces all of them. */
const PARTITIONS = "calls/month=*/calls.parquet";

/**
 * Writes files of figures or calls, and `manifest.json` after them; all from one moment of the warehouse.
 *
 * @throws UsageError where the folder holds the files of another warehouse
 * @throws CalltallyError (exit 6) where another export has written conversions meanwhile that could be the same
 * @throws CalltallyError of the warehouse or the disk; the files that were there before stay as they are
 */
export async function exportToFolder(options: FolderExportOptions): Promise<ExportResult> {
  const { clock = systemClock, signal, reportRun } = options;
  using warehouse = openAsPermitted(options.database, options);
  const { readonly: isReadOnly } = warehouse.sqlite;
  await applyRulesAlone(warehouse, options.rules, { ...options, nowMs: clock.now() });
  await using files = await FileSet.open(options.folder);
  const { folder } = files;
  const pathOf = (file: string) => join(realFile(folder), file);
  if (!isReadOnly) {
    const replaced = options.targets.map(({ kind }) => pathOf(`${kind}.csv`));
    nameErrors(warehouse, () => recoverUploads(warehouse, { replaced }));
  }
  const origin = describeOrigin(readOrigin(warehouse));
  const claim = () => [
    ...claimFolder(folder, origin, options.replace ?? false),
    ...findRestatementFile(folder),
  ];
  claim();
  // It gets its name before all others: of a run that is killed while files get theirs, no manifest says what they are not.
  await files.write("manifest.json", [`${JSON.stringify({ origin, unfinished: true, files: [] })}\n`]);
  const write: ExportJob["write"] = (file, content, audience) =>
    files.write(file, untilAborted(content, signal), audience);
  const uploads: UploadBatch[] = [];
  const remember: ExportJob["remember"] = ({ file, ...batch }) => {
    if (isReadOnly && batch.isChosen) throw unrememberedError(warehouse.path, file.file);
    uploads.push({
      ...batch,
      path: pathOf(file.file),
      sha256: file.sha256,
      reportRunId: reportRun?.runId ?? null,
    });
  };
  const log = mayBeRemembered(options, warehouse) ? beginFactLog(warehouse) : undefined;
  const made = await writeTargets(warehouse, {
    ...options,
    write,
    remember,
    ...(reportRun?.isRepeated && { repeats: reportRun.runId }),
    isPartitioned: true,
    givenOutIn: realFile(folder),
  });
  const { compared, lastUploadFile, ...written } = made;
  const { manifest } = written;
  await files.write("manifest.json", [`${JSON.stringify(manifest, null, 2)}\n`]);
  for (const { file } of [...manifest.files, { file: RESTATEMENT_FILE }, { file: "manifest.json" }]) {
    if (realFile(join(files.folder, file)) !== warehouse.path) continue;
    throw new UsageError(`Cannot write ${file} to ${files.folder}: the warehouse has that name`);
  }
  const isPartitioned = manifest.files.some(({ file }) => file.startsWith("calls/"));
  const now = new Date(clock.now()).toISOString();
  let entered: number[] = [];
  // After the files: of an export that is killed before, the next one finds what changed since the one before it.
  const record = () => {
    settleUploads(warehouse, entered);
    const { file: restated } = manifest.restatements ?? {};
    insertExports(
      warehouse,
      [...manifest.files, ...(restated ? [restated] : [])].map(({ file, sha256, rows }) => ({
        exported_at: now,
        path: join(folder, file),
        sha256,
        rows,
        filter: JSON.stringify({ ...manifest.filter, ...manifest.range }),
        run_id: manifest.run?.run_id ?? null,
      })),
    );
    if (compared === undefined) return;
    insertRestatements(warehouse, compared.restatements);
    rememberRollups(warehouse, compared.remember, { log, exportedAt: now });
  };
  let replaced: UploadFile[] = [];
  const publishing = {
    replace: isPartitioned ? PARTITIONS : undefined,
    claim: () => {
      const others = claim();
      if (uploads.length === 0 || isReadOnly) return others;
      const chosen = uploads.filter(({ isChosen, reportRunId }) => isChosen && reportRunId === null);
      const paths = chosen.map(({ path }) => path);
      nameErrors(warehouse, () => {
        replaced = findReplacedUploads(warehouse, paths);
      });
      nameErrors(warehouse, () => {
        entered = enterUploads(warehouse, uploads, { after: lastUploadFile, now });
      });
      return others;
    },
    record: isReadOnly ? undefined : () => nameErrors(warehouse, () => writeTransaction(warehouse, record)),
    signal,
  };
  await files.publish(publishing).catch((error: unknown) => {
    recoverUploads(warehouse, { own: entered });
    throw error;
  });
  const shown = replaced.map(({ upload_file_id, contents, rows, written_at }) => ({
    upload_file_id,
    contents,
    rows,
    written_at,
  }));
  return {
    folder,
    ...written,
    ...(shown.length > 0 && { replaced: shown }),
    ...(isReadOnly && { unrecorded: true }),
  };
}

function unrememberedError(database: string, file: string): CalltallyError {
  return new CalltallyError(
    EXIT.storage,
    `Cannot write ${file}: this user may only read ${database}, which could not remember its conversions`,
    { hint: "Let the owner of the warehouse write it; without --new any reader can write conversions." },
  );
}

/** Whether any of the figures may have to be explained later on: those of days, or periods, that are over one day. */
function mayBeRemembered(options: ExportOptions, { sqlite }: Warehouse): boolean {
  const { targets, grain, range, raw, top, minCell, filter } = options;
  const isClosed = grain !== undefined || (range?.from !== undefined && range.to !== undefined);
  const isPlain = !raw && top === undefined && minCell === undefined && !filter?.include_gone;
  return (
    isClosed &&
    isPlain &&
    !sqlite.readonly &&
    targets.some((target) => target.kind === "rollup" || (target.kind === "custom" && target.isCompared))
  );
}

/**
 * Writes the first file in chunks to wherever they go, and records nothing; what would stand in files beside it is
 * counted alone.
 */
export async function exportToStream(
  options: ExportOptions & { writeChunk: (chunk: Buffer) => Promise<void> },
): Promise<Written> {
  const { writeChunk, signal, clock = systemClock } = options;
  using warehouse = openAsPermitted(options.database, options);
  await applyRulesAlone(warehouse, options.rules, { ...options, nowMs: clock.now() });
  let files = 0;
  const write: ExportJob["write"] = async (file, content) => {
    const isAsked = files++ === 0;
    const sha256 = createHash("sha256");
    let bytes = 0;
    for (const chunk of untilAborted(content, signal)) {
      const buffer = Buffer.from(chunk);
      sha256.update(buffer);
      bytes += buffer.length;
      if (isAsked) await writeChunk(buffer);
    }
    return { file, bytes, sha256: sha256.digest("hex") };
  };
  return await writeTargets(warehouse, {
    ...options,
    write,
    remember: () => {},
    isPartitioned: false,
  });
}

/** Makes errors of SQLite's name the warehouse. */
function nameErrors(warehouse: Warehouse, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw nameFile(error, warehouse.path);
  }
}

type TargetOptions = ExportOptions &
  Pick<ExportJob, "write" | "remember" | "repeats" | "isPartitioned"> & {
    /** Folder whose figures are compared with those that stand there. @default none are compared */
    givenOutIn?: string;
  };

interface Written extends Pick<ExportResult, "manifest" | "newKey" | "isWarehouseEmpty"> {
  compared?: Compared | undefined;
  /** The latest file of conversions that the ledger had. */
  lastUploadFile: number;
}

async function writeTargets(warehouse: Warehouse, options: TargetOptions): Promise<Written> {
  try {
    return await readTargets(warehouse, options);
  } catch (error) {
    throw nameFile(error, warehouse.path);
  }
}

async function readTargets(warehouse: Warehouse, options: TargetOptions): Promise<Written> {
  using reader = openReader(warehouse);
  const { raw = false, fill = false, total = false, top, minCell, format = { format: "csv" } } = options;
  const { clock = systemClock } = options;
  // Another process may have applied its own settings since.
  const rules = () => {
    const inForce = readRulesInForce(reader);
    if (!isInForce(inForce, options.rules)) throw otherRulesError(reader.path);
    return inForce.rules;
  };
  using session = new RollupSession(reader.sqlite, {
    rules,
    filter: options.filter,
    nameCaller: prepareCallerName(reader),
  });
  const isSpendAsked = options.spend === true || (options.spend === "if any" && hasSpend(reader));
  const loaded = isSpendAsked ? session.loadSpend(options.timezone) : undefined;
  if (!options.isEmptyAllowed) assertMatched(session, options.filter);
  const scope = resolveScope(session, options);
  if (minCell !== undefined) assertFilterShareSafe(scope.filter);
  const spend = options.spend === "if any" && loaded?.days(scope.span) === undefined ? undefined : loaded;
  const manifest = startManifest(reader, session, scope, { ...options, raw, spend });
  let newKey: string | undefined;
  const onNewKey = (file: string) => {
    newKey = file;
  };
  const { givenOutIn: folder } = options;
  const nowMs = clock.now();
  const givenOut =
    folder === undefined
      ? undefined
      : new GivenOut({
          ...options,
          reader,
          session,
          scope,
          raw,
          top,
          minCell,
          folder,
          isReadOnly: warehouse.sqlite.readonly,
          onNewKey,
          nowMs,
        });
  const job = {
    ...options,
    givenOut,
    raw,
    fill,
    total,
    top,
    minCell,
    format,
    scope,
    reader,
    session,
    spend,
    manifest,
    nowMs,
    onNewKey,
  };
  const sheets: NamedTable[] = [];
  for (const target of options.targets) {
    options.signal?.throwIfAborted();
    manifest.files.push(...(await writeTarget(job, target, sheets)));
  }
  const hasCampaigns = options.targets.some(
    (target) => target.kind === "rollup" && target.dimensions.includes("campaign"),
  );
  if (spend !== undefined && hasCampaigns) {
    manifest.files.push(...(await writeAsFormat(job, unmatchedTable(job, spend), sheets)));
  }
  if (sheets.length > 0) {
    const { writeWorkbook } = await import("./workbook.ts"); // for those alone who ask for one
    manifest.files.push(await writeWorkbook(job, sheets, manifest));
  }
  manifest.fingerprint = fingerprintOf(manifest);
  const compared = givenOut?.compare();
  if (compared !== undefined && compared.rollups.length > 0) {
    const { rollups, restatements } = compared;
    const file = restatements.length > 0 ? await writeRestatements(job, restatements) : undefined;
    manifest.restatements = { rollups, ...(file && { file: { ...file, rows: restatements.length } }) };
  }
  const isWarehouseEmpty = countCalls(reader).live === 0;
  return { manifest, newKey, isWarehouseEmpty, compared, lastUploadFile: readLastUploadFile(reader) };
}

/** Refuses a filter with a value that no call has: its files would be right, empty, and not what was meant. */
function assertMatched(session: RollupSession, filter: CallFilter = {}): void {
  const [unmatched] = session.findUnmatched(filter);
  if (unmatched === undefined) return;
  const { filter: name, text, meant } = unmatched;
  const advice =
    meant === undefined
      ? `calltally export ${name} --stdout shows those there are`
      : `Did you mean ${meant}?`;
  throw new UsageError(`--${name.replaceAll("_", "-")} ${text}: no call in the warehouse has this value`, {
    hint: `${advice}${meant === undefined ? ". " : " "}With --allow-empty it is accepted.`,
  });
}

/** Writes the files of a target; what is to be a sheet joins the others, which are written together. */
async function writeTarget(job: ExportJob, target: Target, sheets: NamedTable[]): Promise<ManifestFile[]> {
  const { format, isPartitioned } = job;
  const write = (table: NamedTable) => writeAsFormat(job, table, sheets);
  switch (target.kind) {
    case "rollup":
      return await write(rollupTable(job, target));
    case "calls": {
      const calls = callsTable(job, target);
      return format.format === "parquet" && isPartitioned
        ? await writeCallsByMonth(job, calls)
        : await write(calls);
    }
    case "google-ads":
    case "google-leads":
    case "google-data-manager":
    case "microsoft-ads":
    case "ga4-events":
      return await writeConversions(job, target);
    case ADJUSTMENTS:
      return await writeAdjustments(job, target);
    case "callers":
      return await write(callersTable(job));
    case "custom":
      return await target.write(job);
  }
}

async function writeAsFormat(
  job: ExportJob,
  table: NamedTable,
  sheets: NamedTable[],
): Promise<ManifestFile[]> {
  const { format, minCell } = job;
  const isWorkbook = format.format === "xlsx";
  const file = isWorkbook ? `${WORKBOOK}, sheet ${table.name}` : `${table.name}.${format.format}`;
  const checked = minCell === undefined ? table : toShareSafe(table, file);
  if (!isWorkbook) return [await writeTable(job, checked, format)];
  sheets.push(checked);
  return [];
}

function* untilAborted<T>(chunks: Iterable<T>, signal: AbortSignal | undefined): Generator<T> {
  for (const chunk of chunks) {
    signal?.throwIfAborted();
    yield chunk;
  }
}
