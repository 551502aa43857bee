import { type Clock, systemClock } from "../base/clock.ts";
import { UnmatchedError } from "../base/errors.ts";
import type { ConversionJob } from "../conversions/conversion-job.ts";
import type { ReportRunOfFiles, UploadNotes } from "../conversions/upload-ledger.ts";
import { encodeTable } from "../export/formats/encode-table.ts";
import type { Job } from "../export/job.ts";
import { fingerprintOf, type Manifest, type ManifestFile, startManifest } from "../export/manifest.ts";
import type { NamedTable } from "../export/named-table.ts";
import type { Outlet, Output } from "../export/output/output.ts";
import { WORKBOOK } from "../export/rollups.ts";
import { resolveScope } from "../export/scope.ts";
import { assertFilterShareSafe, toShareSafe, toShareSafeStanding } from "../export/share-safe.ts";
import { unmatchedTable } from "../export/unmatched-spend.ts";
import type { Ask } from "../request/resolve.ts";
import type { FigureMemory } from "../restatements/figure-memory.ts";
import { writeRestatements } from "../restatements/restatement-file.ts";
import type { FigureSession } from "../rollup/figure-session.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import { Recorder } from "./recorder.ts";
import type { Moment, OpenSource, Source, SourceOptions } from "./source.ts";
import { writeContent } from "./writers.ts";

export interface ProduceOptions extends Partial<SourceOptions> {
  /** The run of a report that the files are for. */
  reportRun?: ReportRunOfFiles | undefined;
  /** Reads more at the moment of the files, before the first of them is written. What it throws keeps everything as it was. */
  inspect?: ((job: Job) => Promise<void>) | undefined;
}

/** What was made. */
export interface Made {
  /** Absolute path of the folder that files went to. */
  folder?: string;
  manifest: Manifest;
  /** Path of the key of `caller_hash` and of the ledger of uploads, where it had to be made. */
  newKey?: string | undefined;
  /** What a person has to know of the ledger of uploads. */
  uploads?: UploadNotes;
  /** Present where the warehouse can only be read here, so that its tables do not have these files. */
  unrecorded?: true;
  /** Whether no call counts, so that there was nothing to filter. */
  isWarehouseEmpty: boolean;
}

/**
 * Makes the files or tables that a question asks for, all from one moment of the source, and the manifest of them.
 *
 * @throws UsageError for a value of the filter that no call has, and for a folder with the files of another warehouse
 * @throws CalltallyError (exit 6) where another export has written conversions meanwhile that could be the same
 */
export async function produce(
  ask: Ask,
  source: Source,
  output: Output,
  options: ProduceOptions = {},
): Promise<Made> {
  const clock = options.clock ?? systemClock;
  using opened = await source.open({ ...options, clock });
  const { warehouse } = opened;
  try {
    const { folder } = output;
    const recorder =
      warehouse && folder ? new Recorder(ask, warehouse, folder, options.reportRun) : undefined;
    await using outlet = await output.open(opened.origin);
    const { manifest, ...made } = await make(ask, { opened, outlet, recorder, clock }, options);
    const now = new Date(clock.now()).toISOString();
    await outlet.commit(manifest, (files) => recorder?.commitOf(files, manifest, now));
    const { newKey = made.newKey, ...notes } = recorder?.notes() ?? {};
    return { ...(folder && { folder }), manifest, ...made, ...(newKey && { newKey }), ...notes };
  } catch (error) {
    throw warehouse === undefined ? error : nameFile(error, warehouse.path);
  }
}

interface Means {
  opened: OpenSource;
  outlet: Outlet;
  recorder: Recorder | undefined;
  clock: Clock;
}

async function make(
  ask: Ask,
  { opened, outlet, recorder, clock }: Means,
  { signal, inspect }: ProduceOptions,
): Promise<Pick<Made, "manifest" | "newKey" | "isWarehouseEmpty">> {
  recorder?.begin();
  using moment = await opened.read(ask.filter);
  if (moment.calls) recorder?.readAt(moment.calls.reader);
  let newKey: string | undefined;
  const onNewKey = (file: string) => {
    newKey = file;
  };
  const started = { ...(await start(ask, moment, opened)), nowMs: clock.now() };
  const write: Job["write"] = (file, content, audience) =>
    outlet.write(file, untilAborted(content, signal), audience);
  const sheets: NamedTable[] = [];
  const lists = moment.calls && {
    ...moment.calls,
    onNewKey,
    ...(recorder?.uploads ?? { rewritten: [], remember: () => {} }),
  };
  const memory = lists && recorder?.compare(started, lists, opened.lookbackHours);
  const job: ConversionJob = {
    ...started,
    session: moment.session,
    readBasis: moment.readBasis,
    lists,
    remembered: memory,
    isPartitioned: recorder !== undefined,
    write,
    table: (table) => takeTable(table, { ask, outlet, write, sheets }),
  };
  await inspect?.(job);
  const { manifest } = job;
  for (const content of ask.contents) {
    signal?.throwIfAborted();
    manifest.files.push(...(await writeContent(job, content)));
  }
  await finish(job, sheets, memory);
  return { manifest, newKey, isWarehouseEmpty: moment.isEmpty() };
}

/** Starts a job: its days as instants, and the manifest of files that are yet to be written. */
async function start(
  ask: Ask,
  moment: Moment,
  { lookbackHours }: OpenSource,
): Promise<Pick<Job, "ask" | "scope" | "spend" | "manifest">> {
  const { session, standing, published } = moment;
  const { raw = false, minCell } = ask;
  const isSpendAsked = ask.spend === true || (ask.spend === "if any" && moment.hasSpend());
  const loaded = isSpendAsked ? await session.loadSpend(ask.timezone) : undefined;
  if (!ask.isEmptyAllowed) await assertMatched(session, ask);
  const scope = await resolveScope(session, ask);
  if (minCell !== undefined) assertFilterShareSafe(scope.filter);
  const spend = ask.spend === "if any" && loaded?.days(scope.span) === undefined ? undefined : loaded;
  const shown = minCell === undefined ? standing : toShareSafeStanding(standing, minCell);
  const manifest = await startManifest(shown, session, scope, { raw, lookbackHours, spend, published });
  return { ask, scope, spend, manifest };
}

/** Writes a table as a file of its own, keeps it as a sheet, or hands it on as it is. */
async function takeTable(
  table: NamedTable,
  { ask, outlet, write, sheets }: { ask: Ask; outlet: Outlet; write: Job["write"]; sheets: NamedTable[] },
): Promise<ManifestFile[]> {
  const { format, minCell } = ask;
  const file =
    format.format === "xlsx" ? `${WORKBOOK}, sheet ${table.name}` : `${table.name}.${format.format}`;
  const checked = minCell === undefined ? table : toShareSafe(table, file);
  if (outlet.table) return [{ ...outlet.table(checked), ...checked.entry }];
  if (format.format !== "xlsx") {
    const written = await write(file, await encodeTable(checked, format), checked.audience);
    return [{ ...written, ...checked.entry }];
  }
  sheets.push(checked);
  return [];
}

/** Writes what comes after the files of all contents, and completes the manifest. */
async function finish(
  job: Job,
  sheets: readonly NamedTable[],
  memory: FigureMemory | undefined,
): Promise<void> {
  const { ask, manifest, spend } = job;
  const hasCampaigns = ask.contents.some(
    (content) => content.kind === "rollup" && content.dimensions.includes("campaign"),
  );
  if (spend !== undefined && hasCampaigns)
    manifest.files.push(...(await job.table(await unmatchedTable(job, spend))));
  if (sheets.length > 0) {
    const { writeWorkbook } = await import("../export/formats/xlsx/workbook.ts");
    manifest.files.push(await writeWorkbook(job, sheets));
  }
  manifest.fingerprint = fingerprintOf(manifest);
  const { rollups, restatements } = memory?.compare() ?? { rollups: [], restatements: [] };
  if (rollups.length === 0) return;
  const file = restatements.length > 0 ? await writeRestatements(job, restatements) : undefined;
  manifest.restatements = { rollups, ...(file && { file: { ...file, rows: restatements.length } }) };
}

/** Refuses values that no call has: the files would be right, empty, and not what was meant. */
async function assertMatched(session: FigureSession, { filter, spell }: Ask): Promise<void> {
  const unmatched = await session.findUnmatched(filter);
  if (unmatched.length > 0) throw new UnmatchedError(unmatched, spell);
}

/** Passes chunks on, until the signal aborts. */
function* untilAborted<T>(chunks: Iterable<T>, signal: AbortSignal | undefined): Generator<T> {
  for (const chunk of chunks) {
    signal?.throwIfAborted();
    yield chunk;
  }
}
