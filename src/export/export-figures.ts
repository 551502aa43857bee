import type { CallFilter } from "../rollup/call-filter.ts";
import type { FigureSession } from "../rollup/figure-session.ts";
import type { Basis } from "../warehouse/basis.ts";
import type { Standing } from "../warehouse/standing.ts";
import {
  type FigureJob,
  type FigureShape,
  type FigureTarget,
  finishFigures,
  passOn,
  startFigures,
  untilAborted,
  writeFigures,
} from "./figure-job.ts";
import { FileSet } from "./file-set.ts";
import { claimFolder } from "./folder-owner.ts";
import { type DescribedPublication, encodeManifest, type Manifest } from "./manifest.ts";
import type { NamedTable } from "./named-table.ts";
import { findRestatementFile } from "./restatement-file.ts";
import type { ScopeOptions } from "./scope.ts";
import type { ExportResult } from "./write-export.ts";

/** An account whose figures are read elsewhere than in its warehouse, at one moment. */
export interface FigureSource {
  /** What the figures stand on. */
  standing: Standing;
  basis: Basis;
  published: DescribedPublication;
  lookbackHours: number;
  hasSpend: boolean;
  /** Starts to answer questions of the calls that a filter lets through. */
  openSession: (filter: CallFilter) => FigureSession & Disposable;
}

export interface FigureExportOptions extends ScopeOptions, FigureShape {
  targets: readonly FigureTarget[];
  /** Whether the filter may have values that no call has. @default false */
  isEmptyAllowed?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** What was written; there is no warehouse that could remember it. */
type WrittenFigures = Pick<ExportResult, "manifest" | "isWarehouseEmpty">;

/**
 * Writes files of figures, and `manifest.json` after them.
 *
 * @throws UsageError where the folder holds the files of another warehouse
 */
export async function exportFiguresToFolder(
  source: FigureSource,
  options: FigureExportOptions & { folder: string; replace?: boolean | undefined },
): Promise<ExportResult> {
  const { signal, replace = false } = options;
  const { origin } = source.standing;
  await using files = await FileSet.open(options.folder);
  const { folder } = files;
  const claim = () => [...claimFolder(folder, origin, replace), ...findRestatementFile(folder)];
  claim();
  // It gets its name before all others: of a run that is killed while files get theirs, no manifest says what they are not.
  await files.write("manifest.json", [`${JSON.stringify({ origin, unfinished: true, files: [] })}\n`]);
  const written = await exportFigures(source, options, (file, content, audience) =>
    files.write(file, untilAborted(content, signal), audience),
  );
  await files.write("manifest.json", [encodeManifest(written.manifest)]);
  await files.publish({ claim, signal });
  return { folder, ...written };
}

/** Writes the first file in chunks to wherever they go; what would stand in files beside it is counted alone. */
export async function exportFiguresToStream(
  source: FigureSource,
  { writeChunk, ...options }: FigureExportOptions & { writeChunk: (chunk: Buffer) => Promise<void> },
): Promise<WrittenFigures> {
  let files = 0;
  return await exportFigures(source, options, async (file, content) => {
    const isAsked = files++ === 0;
    return await passOn(file, untilAborted(content, options.signal), isAsked ? writeChunk : undefined);
  });
}

async function exportFigures(
  source: FigureSource,
  options: FigureExportOptions,
  write: FigureJob["write"],
): Promise<WrittenFigures> {
  const { standing, published, lookbackHours, hasSpend, basis } = source;
  using session = source.openSession(options.filter ?? {});
  const asked = { ...options, lookbackHours };
  const { manifest: started, ...job } = startFigures(session, standing, { hasSpend: () => hasSpend }, asked);
  const { run, origin, ...rest } = started;
  const manifest: Manifest = { run, origin, published, ...rest };
  const whole = { ...job, session, manifest, readBasis: () => basis, givenOut: undefined, write };
  const sheets: NamedTable[] = [];
  for (const target of options.targets) {
    options.signal?.throwIfAborted();
    manifest.files.push(...(await writeFigures(whole, target, sheets)));
  }
  await finishFigures(whole, options.targets, sheets);
  return { manifest, isWarehouseEmpty: basis.calls === 0 };
}
