import { systemClock } from "../base/clock.ts";
import { CalltallyError, EXIT } from "../base/errors.ts";
import type { ConversionJob, ReportRunOfFiles, UploadNotes } from "../conversions/upload-ledger.ts";
import type { Job, Lists } from "../export/job.ts";
import { fingerprintOf, type Manifest } from "../export/manifest.ts";
import type { Outlet, Output } from "../export/output/output.ts";
import { unmatchedTable } from "../export/unmatched-spend.ts";
import type { Ask } from "../request/resolve.ts";
import { writeChanges } from "../restatements/restatement-file.ts";
import type { Basis } from "../warehouse/runs/basis.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import { openRecorder } from "./recorder.ts";
import type { OpenSource, Source, SourceOptions } from "./source.ts";
import { collectTables, startJob } from "./start-job.ts";
import { writeContent } from "./writers.ts";

export interface ProduceOptions extends Partial<SourceOptions> {
  reportRun?: ReportRunOfFiles | undefined;
  /** Reads more at the moment of the files, before the first is written. If it throws, nothing changes. */
  inspect?: ((job: Job) => Promise<void>) | undefined;
}

export interface Made {
  /** Absolute path. */
  folder?: string;
  manifest: Manifest;
  /** Path of the key of `caller_hash` and of the ledger of uploads, if it was created. */
  newKey?: string | undefined;
  uploads?: UploadNotes;
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
): Promise<Made> {
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
    const recorder =
      warehouse && folder ? openRecorder(ask, warehouse, { folder, reportRun, onNewKey }) : undefined;
    await using outlet = await output.open(opened.origin);
    const { manifest, ...made } = await make(ask, { opened, outlet, folder, recorder, onNewKey }, options);
    const now = new Date(clock.now()).toISOString();
    await outlet.commit(manifest, (files) => recorder?.commitOf(files, manifest, now));
    return { ...(folder && { folder }), manifest, ...(newKey && { newKey }), ...made, ...recorder?.notes() };
  } catch (error) {
    throw warehouse === undefined ? error : nameFile(error, warehouse.path);
  }
}

type Recorder = ReturnType<typeof openRecorder>;

async function make(
  ask: Ask,
  means: Pick<Lists, "onNewKey"> & {
    opened: OpenSource;
    outlet: Outlet;
    folder?: string | undefined;
    recorder?: Recorder | undefined;
  },
  { signal, inspect, clock = systemClock }: ProduceOptions,
): Promise<Pick<Made, "manifest" | "isWarehouseEmpty">> {
  const { opened, outlet, folder, recorder, onNewKey } = means;
  recorder?.begin();
  using moment = await opened.read(ask.filter);
  if (outlet.table === undefined) assertSynced(moment.basis);
  if (moment.calls) recorder?.readAt(moment.calls.reader);
  const started = { ...(await startJob(ask, moment, opened)), nowMs: clock.now() };
  const write: Job["write"] = (file, content, audience) =>
    outlet.write(file, untilAborted(content, signal), audience);
  const tables = collectTables(ask, outlet, write);
  const lists = moment.calls && {
    ...moment.calls,
    onNewKey,
    ...(recorder?.uploads ?? { rewritten: [], remember: () => {} }),
  };
  const memory = lists && recorder?.compare(started, lists, opened.lookbackHours);
  const job: ConversionJob = {
    ...started,
    session: moment.session,
    readCoverage: moment.readCoverage,
    lists,
    remembered: memory,
    isPartitioned: folder !== undefined,
    write,
    table: tables.take,
  };
  await inspect?.(job);
  const rollups = ask.contents.flatMap((content) => (content.kind === "rollup" ? content.dimensions : []));
  if (rollups.length > 0) moment.session.expect(rollups, { raw: ask.raw, figures: ask.columns });
  const { manifest } = job;
  for (const content of ask.contents) {
    signal?.throwIfAborted();
    manifest.files.push(...(await writeContent(job, content)));
  }
  const hasCampaigns = ask.contents.some(
    (content) => content.kind === "rollup" && content.dimensions.includes("campaign"),
  );
  if (job.spend !== undefined && hasCampaigns)
    manifest.files.push(...(await job.table(await unmatchedTable(job, job.spend))));
  manifest.files.push(...(await tables.writeSheets(job)));
  manifest.fingerprint = fingerprintOf(manifest);
  const restatements = memory && (await writeChanges(job, memory));
  if (restatements) manifest.restatements = restatements;
  const isWarehouseEmpty = moment.readCoverage().calls === 0;
  job.state({ files: { ...manifest, isWarehouseEmpty } });
  return { manifest, isWarehouseEmpty };
}

/** @throws CalltallyError (exit 9) if the figures would be of whatever an unfinished sync has read */
export function assertSynced({ run }: Pick<Basis, "run">): void {
  if (run !== null) return;
  throw new CalltallyError(EXIT.undelivered, "Cannot write any figures: no sync has finished yet", {
    hint: "Run `calltally sync`; `calltally status` shows why the last one did not finish.",
  });
}

function* untilAborted<T>(chunks: Iterable<T>, signal: AbortSignal | undefined): Generator<T> {
  for (const chunk of chunks) {
    signal?.throwIfAborted();
    yield chunk;
  }
}
