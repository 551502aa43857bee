import { createHash } from "node:crypto";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { cannotUse } from "../errors.ts";
import type { Audience } from "../folder.ts";
import type { CallFilter } from "../rollup/call-filter.ts";
import type { FigureSession } from "../rollup/figure-session.ts";
import type { SessionSpend } from "../rollup/session-spend.ts";
import type { Basis } from "../warehouse/basis.ts";
import type { Standing } from "../warehouse/standing.ts";
import type { FormatOptions } from "./encode-table.ts";
import type { WrittenFile } from "./file-set.ts";
import type { GivenOut } from "./given-out.ts";
import { fingerprintOf, type Manifest, type ManifestFile, startManifest } from "./manifest.ts";
import { type NamedTable, writeTable } from "./named-table.ts";
import { type RollupTarget, rollupTable, WORKBOOK } from "./rollups.ts";
import { resolveScope, type Scope, type ScopeOptions } from "./scope.ts";
import { assertFilterShareSafe, toShareSafe, toShareSafeStanding } from "./share-safe.ts";
import { unmatchedTable } from "./spend-files.ts";

/** A file of figures, which whatever holds the facts of calls can be asked for. */
export type FigureTarget = RollupTarget | CustomTarget;

/** Files that another part of the program makes of the same moment. */
export interface CustomTarget {
  kind: "custom";
  /** Whether it has figures that are compared with those that the file held before. @default false */
  isCompared?: boolean;
  write: (job: FigureJob) => Promise<ManifestFile[]>;
}

/** How tables become files: one each, or all of them sheets of one workbook. */
export type ExportFormat = FormatOptions | { format: "xlsx" };

/** Which figures are made, and how they are written. */
export interface FigureShape {
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

/** How figures are made and written. */
export interface FigureOptions extends FigureShape {
  /** Attribution rules; facts computed by other rules are recomputed before anything is written. */
  rules: AttributionRules;
  /** Hours after a call in which late transcripts and corrections are looked for. */
  lookbackHours: number;
}

/** What the writer of a file of figures works with. */
export interface FigureJob extends Required<Omit<FigureShape, "spend">> {
  scope: Scope;
  session: FigureSession;
  /** What ads cost; undefined where it was not asked for. */
  spend: SessionSpend | undefined;
  /** What the files stand on, those that were written before among it. */
  manifest: Manifest;
  /** Returns how complete and how fresh the copy is that they stand on. */
  readBasis: () => Basis;
  /** Compares the figures with those that the same files held before, where they are written into a folder. */
  givenOut: GivenOut | undefined;
  /** Writes one file of the export, in chunks; for its owner alone if it names people. */
  write: (file: string, content: Iterable<Buffer | string>, audience?: Audience) => Promise<WrittenFile>;
}

export interface StartOptions extends ScopeOptions, FigureShape {
  /** Hours after a call in which late transcripts and corrections are looked for. */
  lookbackHours: number;
  /** Whether the filter may have values that no call has. @default false */
  isEmptyAllowed?: boolean | undefined;
}

/**
 * Starts a job: what is asked, resolved to instants, and the manifest of files that are yet to be written.
 *
 * @throws UsageError for a value of the filter that no call has
 */
export function startFigures(
  session: FigureSession,
  standing: Standing,
  { hasSpend }: { hasSpend: () => boolean },
  options: StartOptions,
) {
  const { raw = false, fill = false, total = false, top, minCell, format = { format: "csv" } } = options;
  const isSpendAsked = options.spend === true || (options.spend === "if any" && hasSpend());
  const loaded = isSpendAsked ? session.loadSpend(options.timezone) : undefined;
  if (!options.isEmptyAllowed) assertMatched(session, options.filter);
  const scope = resolveScope(session, options);
  if (minCell !== undefined) assertFilterShareSafe(scope.filter);
  const spend = options.spend === "if any" && loaded?.days(scope.span) === undefined ? undefined : loaded;
  const shown = minCell === undefined ? standing : toShareSafeStanding(standing, minCell);
  const manifest = startManifest(shown, session, scope, { ...options, raw, spend });
  return { raw, fill, total, top, minCell, format, scope, spend, manifest };
}

/** Writes the files of figures; what is to be a sheet joins the others, which are written together. */
export async function writeFigures(
  job: FigureJob,
  target: FigureTarget,
  sheets: NamedTable[],
): Promise<ManifestFile[]> {
  return target.kind === "custom"
    ? await target.write(job)
    : await writeAsFormat(job, rollupTable(job, target), sheets);
}

/** Writes what comes after the files of all targets, and completes the manifest. */
export async function finishFigures(
  job: FigureJob,
  targets: readonly { kind: string; dimensions?: readonly string[] }[],
  sheets: NamedTable[],
): Promise<void> {
  const { manifest, spend } = job;
  const hasCampaigns = targets.some(({ dimensions = [] }) => dimensions.includes("campaign"));
  if (spend !== undefined && hasCampaigns) {
    manifest.files.push(...(await writeAsFormat(job, unmatchedTable(job, spend), sheets)));
  }
  if (sheets.length > 0) {
    const { writeWorkbook } = await import("./workbook.ts"); // for those alone who ask for one
    manifest.files.push(await writeWorkbook(job, sheets, manifest));
  }
  manifest.fingerprint = fingerprintOf(manifest);
}

/** Writes a table as a file of its own, or keeps it as a sheet. */
export async function writeAsFormat(
  job: FigureJob,
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

/** Refuses a filter with a value that no call has: its files would be right, empty, and not what was meant. */
function assertMatched(session: FigureSession, filter: CallFilter = {}): void {
  const [unmatched] = session.findUnmatched(filter);
  if (unmatched === undefined) return;
  const { filter: name, text, advice } = unmatched;
  throw cannotUse(
    `--${name.replaceAll("_", "-")} ${text}`,
    "no call in the warehouse has this value",
    `${advice ?? `calltally export ${name} --stdout shows those there are.`} With --allow-empty it is accepted.`,
  );
}

/** Passes chunks on, until the signal aborts. */
export function* untilAborted<T>(chunks: Iterable<T>, signal: AbortSignal | undefined): Generator<T> {
  for (const chunk of chunks) {
    signal?.throwIfAborted();
    yield chunk;
  }
}

/** Passes the content of a file on, and describes it. */
export async function passOn(
  file: string,
  content: Iterable<Buffer | string>,
  writeChunk: ((chunk: Buffer) => Promise<void>) | undefined,
): Promise<WrittenFile> {
  const sha256 = createHash("sha256");
  let bytes = 0;
  for (const chunk of content) {
    const buffer = Buffer.from(chunk);
    sha256.update(buffer);
    bytes += buffer.length;
    await writeChunk?.(buffer);
  }
  return { file, bytes, sha256: sha256.digest("hex") };
}
