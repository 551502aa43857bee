import { join } from "node:path";
import { type Clock, systemClock } from "../clock.ts";
import { CalltallyError, EXIT, UsageError } from "../errors.ts";
import { realFile } from "../folder.ts";
import { RollupSession } from "../rollup/session.ts";
import type { AttributionProgress } from "../warehouse/attribute-all.ts";
import { readBasis } from "../warehouse/basis.ts";
import { countCalls } from "../warehouse/call-table.ts";
import { prepareCallerName } from "../warehouse/caller-hash.ts";
import { beginFactLog } from "../warehouse/fact-log.ts";
import { openAsPermitted, openReader, type Warehouse } from "../warehouse/open.ts";
import { describeOrigin, readOrigin } from "../warehouse/origin.ts";
import { type OwnWarehouse, openOwn } from "../warehouse/own-warehouse.ts";
import { isInForce, readRulesInForce } from "../warehouse/rules.ts";
import { hasSpend } from "../warehouse/spend-table.ts";
import { nameFile, withFileNamed } from "../warehouse/sqlite-errors.ts";
import { readStanding } from "../warehouse/standing.ts";
import { readLastUploadFile } from "../warehouse/upload-table.ts";
import { type AdjustmentsTarget, writeAdjustments } from "./adjustments.ts";
import { applyRulesAlone, otherRulesError } from "./apply-rules.ts";
import { ADJUSTMENTS } from "./choices.ts";
import { type ConversionTarget, writeConversions } from "./conversions.ts";
import { type CallersTarget, callersTable } from "./export-callers.ts";
import { type CallsTarget, callsTable, writeCallsByMonth } from "./export-calls.ts";
import {
  type FigureJob,
  type FigureOptions,
  type FigureTarget,
  finishFigures,
  passOn,
  startFigures,
  untilAborted,
  writeAsFormat,
  writeFigures,
} from "./figure-job.ts";
import { FileSet } from "./file-set.ts";
import { claimFolder } from "./folder-owner.ts";
import { type Compared, GivenOut } from "./given-out.ts";
import { encodeManifest, type Manifest, type ManifestFile } from "./manifest.ts";
import type { NamedTable } from "./named-table.ts";
import { recordExport } from "./record-export.ts";
import { findRestatementFile, RESTATEMENT_FILE, writeRestatements } from "./restatement-file.ts";
import type { ScopeOptions } from "./scope.ts";
import {
  type ReportRunOfFiles,
  UploadLedger,
  type UploadNotes,
  type WrittenUpload,
} from "./upload-ledger.ts";

/** A kind of file to write. */
export type Target = FigureTarget | CallsTarget | CallersTarget | ConversionTarget | AdjustmentsTarget;

export interface ExportOptions extends OwnWarehouse, ScopeOptions, FigureOptions {
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

/** What the writer of one kind of file works with. */
export interface ExportJob extends FigureJob {
  nowMs: number;
  database: string;
  /** The warehouse at one moment, by a connection of its own that only reads. */
  reader: Warehouse;
  session: RollupSession;
  /** Whether calls may be cut into files by month. */
  isPartitioned: boolean;
  /** Receives the path of a newly created key for `caller_hash`. */
  onNewKey: (file: string) => void;
  /** The run of a report whose conversions in earlier files are to be written again, and no others. */
  repeats?: number | undefined;
  /** Numbers of files of killed exports that this one replaces: they do not count. */
  rewritten: readonly number[];
  /** Takes note of a file of conversions: it counts as uploaded once it has its name. */
  remember: (file: WrittenUpload) => void;
}

export interface ExportResult {
  folder: string;
  manifest: Manifest;
  /** Path of the key of `caller_hash` and of the ledger of uploads, where this export had to make one. */
  newKey?: string | undefined;
  /** Present where the warehouse can only be read here, so that its tables do not have these files. */
  unrecorded?: true;
  /** What is to be known of the ledger of uploads. */
  uploads?: UploadNotes;
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
  using warehouse = openOwn(options, openAsPermitted, options);
  const { readonly: isReadOnly } = warehouse.sqlite;
  await applyRulesAlone(warehouse, options.rules, { ...options, nowMs: clock.now() });
  // Before the folder is opened, which removes old drafts.
  const uploads = withFileNamed(warehouse.path, () => new UploadLedger(warehouse, options));
  await using files = await FileSet.open(options.folder);
  const { folder } = files;
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
  const remember: ExportJob["remember"] = (file) => {
    if (isReadOnly && file.isChosen) throw unrememberedError(warehouse.path, file.file.file);
    uploads.add(file);
  };
  const log = mayBeRemembered(options, warehouse) ? beginFactLog(warehouse) : undefined;
  const made = await writeTargets(warehouse, {
    ...options,
    write,
    remember,
    rewritten: uploads.rewritten,
    ...(reportRun?.isRepeated && { repeats: reportRun.runId }),
    isPartitioned: true,
    givenOutIn: realFile(folder),
  });
  const { compared, lastUploadFile, ...written } = made;
  const { manifest } = written;
  await files.write("manifest.json", [encodeManifest(manifest)]);
  for (const { file } of [...manifest.files, { file: RESTATEMENT_FILE }, { file: "manifest.json" }]) {
    if (realFile(join(files.folder, file)) !== warehouse.path) continue;
    throw new UsageError(`Cannot write ${file} to ${files.folder}: the warehouse has that name`);
  }
  const isPartitioned = manifest.files.some(({ file }) => file.startsWith("calls/"));
  const now = new Date(clock.now()).toISOString();
  const recorded = { files, manifest, uploads, lastUploadFile, compared, log, now };
  await files.publish({
    replace: isPartitioned ? PARTITIONS : undefined,
    claim,
    commit: isReadOnly ? undefined : recordExport(warehouse, recorded),
    signal,
  });
  const notes = uploads.notes();
  const newKey = written.newKey ?? uploads.newKey;
  return {
    folder,
    ...written,
    ...(newKey !== undefined && { newKey }),
    ...(Object.keys(notes).length > 0 && { uploads: notes }),
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
  using warehouse = openOwn(options, openAsPermitted, options);
  await applyRulesAlone(warehouse, options.rules, { ...options, nowMs: clock.now() });
  let files = 0;
  const write: ExportJob["write"] = async (file, content) => {
    const isAsked = files++ === 0;
    return await passOn(file, untilAborted(content, signal), isAsked ? writeChunk : undefined);
  };
  return await writeTargets(warehouse, {
    ...options,
    write,
    remember: () => {},
    rewritten: [],
    isPartitioned: false,
  });
}

type TargetOptions = ExportOptions &
  Pick<ExportJob, "write" | "remember" | "rewritten" | "repeats" | "isPartitioned"> & {
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
  const started = startFigures(session, readStanding(reader), { hasSpend: () => hasSpend(reader) }, options);
  const { manifest } = started;
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
          ...started,
          reader,
          session,
          folder,
          isReadOnly: warehouse.sqlite.readonly,
          onNewKey,
          nowMs,
        });
  const job: ExportJob = {
    ...options,
    ...started,
    readBasis: () => readBasis(reader),
    givenOut,
    reader,
    session,
    nowMs,
    onNewKey,
  };
  const sheets: NamedTable[] = [];
  for (const target of options.targets) {
    options.signal?.throwIfAborted();
    manifest.files.push(...(await writeTarget(job, target, sheets)));
  }
  await finishFigures(job, options.targets, sheets);
  const compared = givenOut?.compare();
  if (compared !== undefined && compared.rollups.length > 0) {
    const { rollups, restatements } = compared;
    const file = restatements.length > 0 ? await writeRestatements(job, restatements) : undefined;
    manifest.restatements = { rollups, ...(file && { file: { ...file, rows: restatements.length } }) };
  }
  const isWarehouseEmpty = countCalls(reader).live === 0;
  return { manifest, newKey, isWarehouseEmpty, compared, lastUploadFile: readLastUploadFile(reader) };
}

/** Writes the files of a target; what is to be a sheet joins the others, which are written together. */
async function writeTarget(job: ExportJob, target: Target, sheets: NamedTable[]): Promise<ManifestFile[]> {
  const { format, isPartitioned } = job;
  const write = (table: NamedTable) => writeAsFormat(job, table, sheets);
  switch (target.kind) {
    case "rollup":
    case "custom":
      return await writeFigures(job, target, sheets);
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
  }
}
