import { systemClock } from "../../base/clock.ts";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { realFile } from "../../base/folder.ts";
import type { Ask } from "../../config/request/resolve.ts";
import type {
  ExportJob,
  Reading,
  SectionJob,
  SectionName,
  StartedJob,
  WriteSection,
} from "../../export/job.ts";
import { type Letterhead, PLAIN } from "../../export/letterhead/letterhead.ts";
import { fingerprintOf, type Manifest } from "../../export/manifest.ts";
import type { Outlet, Output } from "../../export/output/output.ts";
import { commitOf, exportLog } from "../../export/record-export.ts";
import type { ExportNote, ExportStep, ReportRunOfFiles } from "../../export/step.ts";
import { unmatchedTable } from "../../export/unmatched-spend.ts";
import { FEATURES } from "../../features/list.ts";
import { nameFile } from "../../warehouse/file/sqlite-errors.ts";
import type { Basis } from "../../warehouse/runs/basis-schema.ts";
import type { OpenSource, Source, SourceOptions } from "./source.ts";
import { collectTables, startJob } from "./start-job.ts";
import { writeContent } from "./writers.ts";

export interface ProduceOptions extends Partial<SourceOptions> {
  /** The account's name in calltally.yaml; undefined for the only one. */
  account?: string | undefined;
  /** Whose figures pages and sheets show. @default nobody's */
  letterhead?: Letterhead | undefined;
  reportRun?: ReportRunOfFiles | undefined;
  /** The browser that prints pages. @default one that is installed */
  browser?: string | undefined;
}

export interface ProducedFiles {
  /** Absolute path. */
  folder?: string;
  manifest: Manifest;
  /** Path of the key of `caller_hash` and of the ledger of uploads, if it was created. */
  newKey?: string | undefined;
  note: ExportNote;
  /** Present if the warehouse is read-only, so its tables do not list these files. */
  unrecorded?: true;
  isWarehouseEmpty: boolean;
}

/**
 * Writes the requested files or tables and their manifest, all from one moment of the source.
 * @throws UsageError for a value of the filter that no call has, and for a folder with the files of another warehouse
 * @throws CalltallyError (exit 6) if another export has meanwhile written conversions that overlap
 * @throws CalltallyError (exit 9) for files before any sync has finished
 */
export async function produce(
  ask: Ask,
  source: Source,
  output: Output,
  options: ProduceOptions = {},
): Promise<ProducedFiles> {
  const { files } = await produceAndRead(ask, source, output, options, async () => ({ value: undefined }));
  return files;
}

/** Also reads more at the moment of the files, before the first is written. If that throws, nothing changes. */
export async function produceAndRead<T>(
  ask: Ask,
  source: Source,
  output: Output,
  options: ProduceOptions,
  read: (job: ExportJob) => Promise<Reading<T>>,
): Promise<{ files: ProducedFiles; value: T }> {
  const clock = options.clock ?? systemClock;
  using opened = await source.open({ ...options, clock });
  const { warehouse } = opened;
  try {
    const { folder } = output;
    const { reportRun } = options;
    let newKey: string | undefined;
    const onNewKey = (file: string) => {
      newKey = file;
    };
    const { lookbackHours } = opened;
    const isRecorded = warehouse !== undefined && folder !== undefined;
    const recorded = isRecorded
      ? { warehouse, folder: realFile(folder), reportRun, lookbackHours, onNewKey }
      : undefined;
    const steps = isRecorded ? [exportLog()] : [];
    for (const { startExport } of FEATURES) if (startExport) steps.push(await startExport({ ask, recorded }));
    await using outlet = await output.open(opened.origin);
    const { manifest, isWarehouseEmpty, value } = await make(
      ask,
      { opened, outlet, folder, steps, onNewKey },
      options,
      read,
    );
    const now = new Date(clock.now()).toISOString();
    const writer = isRecorded ? warehouse.writer : undefined;
    await outlet.commit(
      manifest,
      (files, manifestSha256) => writer && commitOf(writer, steps, { files, manifest, manifestSha256, now }),
    );
    const notes = steps.flatMap((step) => step.note?.() ?? []);
    const files: ProducedFiles = {
      ...(folder && { folder }),
      manifest,
      ...(newKey && { newKey }),
      isWarehouseEmpty,
      note: {
        data: Object.assign({}, ...notes.map(({ data }) => data)),
        lines: notes.flatMap(({ lines }) => lines),
      },
      ...(isRecorded && writer === undefined && { unrecorded: true }),
    };
    return { files, value };
  } catch (error) {
    throw warehouse === undefined ? error : nameFile(error, warehouse.path);
  }
}

async function make<T>(
  ask: Ask,
  means: {
    opened: OpenSource;
    outlet: Outlet;
    folder: string | undefined;
    steps: readonly ExportStep[];
    onNewKey: (file: string) => void;
  },
  { account, letterhead = PLAIN, signal, browser, clock = systemClock }: ProduceOptions,
  read: (job: ExportJob) => Promise<Reading<T>>,
): Promise<Pick<ProducedFiles, "manifest" | "isWarehouseEmpty"> & { value: T }> {
  const { opened, outlet, folder, steps, onNewKey } = means;
  const print = ask.isPrinted ? await loadPrinter(browser, signal) : undefined;
  for (const step of steps) step.begin?.();
  using moment = await opened.read(ask.filter);
  if (outlet.table === undefined) assertSynced(moment.basis);
  const begun = await startJob(ask, moment, opened);
  const write: ExportJob["write"] = (file, content, audience) =>
    outlet.write(file, untilAborted(content, signal), audience);
  const tables = collectTables(ask, outlet, write);
  const started: StartedJob = {
    ...begun,
    account,
    letterhead,
    nowMs: clock.now(),
    session: moment.session,
    readCoverage: moment.readCoverage,
    lists: moment.calls && { ...moment.calls, onNewKey },
    isPartitioned: folder !== undefined,
    write,
    print,
    table: tables.take,
  };
  const whole: SectionJob = Object.assign({}, started, ...steps.map((step) => step.at?.(started)));
  const job: ExportJob = { ...whole, readSection: (name) => readSection(whole, steps, name) };
  const { value, facts } = await read(job);
  if (facts !== undefined) job.state(facts);
  const rollups = ask.contents.flatMap((content) => (content.kind === "rollup" ? content.dimensions : []));
  if (rollups.length > 0) moment.session.expect(rollups, { raw: ask.raw, figures: ask.columns });
  const { manifest } = job;
  for (const content of ask.contents) {
    signal?.throwIfAborted();
    manifest.files.push(...(await writeContent(job, content, steps)));
  }
  const hasCampaigns = ask.contents.some(
    (content) => content.kind === "rollup" && content.dimensions.includes("campaign"),
  );
  if (job.spend !== undefined && hasCampaigns)
    manifest.files.push(...(await job.table(await unmatchedTable(job, job.spend))));
  manifest.files.push(...(await tables.writeSheets(job)));
  manifest.fingerprint = fingerprintOf(manifest);
  for (const step of steps) await step.finish?.(job);
  const isWarehouseEmpty = moment.readCoverage().calls === 0;
  job.state({ files: { ...manifest, isWarehouseEmpty } });
  return { manifest, isWarehouseEmpty, value };
}

async function loadPrinter(browser: string | undefined, signal: AbortSignal | undefined) {
  const { chooseBrowser, printerOf } = await import("../../export/formats/pdf/print-page.ts");
  return printerOf(chooseBrowser(browser), { signal });
}

async function readSection(
  job: SectionJob,
  steps: readonly ExportStep[],
  name: SectionName,
): Promise<WriteSection> {
  const { sections } = steps.find((step) => step.sections?.[name]) ?? {};
  return (await sections?.[name]?.(job)) ?? (() => "");
}

/** @throws CalltallyError (exit 9) if the figures would be of whatever an unfinished sync has read */
export function assertSynced({ run }: Pick<Basis, "run">): void {
  if (run !== null) return;
  throw new CalltallyError(EXIT.undelivered, "Cannot write any figures: no sync has finished yet", {
    hint: ({ sync }) => `Run ${sync}; \`calltally status\` shows why the last one did not finish.`,
  });
}

function* untilAborted<T>(chunks: Iterable<T>, signal: AbortSignal | undefined): Generator<T> {
  for (const chunk of chunks) {
    signal?.throwIfAborted();
    yield chunk;
  }
}
