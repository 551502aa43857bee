import { hash } from "node:crypto";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { CHANNEL_RULES_VERSION } from "../attribution/channel-rules.ts";
import { formatQuantity } from "../base/quantity-text.ts";
import type { DateRange } from "../calendar/dates.ts";
import { HISTORY_DAYS, hasHistory } from "../calendar/history.ts";
import { localDate } from "../calendar/local-time.ts";
import type { CallFilter, Span } from "../rollup/call-filter.ts";
import type { FigureSession } from "../rollup/figure-session.ts";
import type { SessionSpend } from "../rollup/session-spend.ts";
import type { Unlisted } from "../warehouse/calls/gone.ts";
import type { DescribedOrigin } from "../warehouse/origin.ts";
import type { Standing } from "../warehouse/runs/standing.ts";
import { type DescribedSpend, describeSpend } from "./described-spend.ts";
import type { WrittenFile } from "./output/file-set.ts";
import type { Timeframe } from "./timeframe.ts";

export interface DescribedSpan extends DateRange {
  /** ISO 8601 UTC; missing where it is open. */
  starts_at?: string;
  /** Not part of it. */
  ends_at?: string;
  /** Present where late transcripts and corrections may still change figures. */
  provisional?: true;
  /** Present where fewer than 90 days of calls lie before it: callers of earlier days count as first-time callers. */
  short_history?: true;
}

/** The same warehouse and options give the same bytes; conversions for Google Ads go with the time as well. */
export interface Manifest {
  run: Standing["run"];
  origin: DescribedOrigin;
  /** Present where the figures were not read in the warehouse, but in a cluster that it was published to. */
  published?: DescribedPublication;
  /** Why the figures may be wrong until somebody has looked; missing where nothing is known to be. */
  caveats?: Caveats;
  /** Calls that count though the service no longer lists them: older than any that it lists. Missing where there are none. */
  unlisted?: Unlisted;
  /** Zone whose days and periods count; times with a Z are UTC. */
  timezone: string;
  filter: DescribedFilter;
  range: DescribedSpan;
  compared_with?: DescribedSpan & {
    /** Present where the warehouse has no calls from its beginning on, so that less was counted than there was. */
    begins_before_first_call?: true;
  };
  periods?: ({ period: string } & DescribedSpan)[];
  rules: Omit<AttributionRules, "aliases" | "caller_digests"> & {
    channels: string;
    /** How many utm values are counted under another; they stand in the table `rules`. */
    aliases: number;
    utm_values: "folded" | "as stored";
  };
  spend?: DescribedSpend;
  files: ManifestFile[];
  /** What came of the comparison with what the files held before; missing where nothing was exported before. */
  restatements?: {
    rollups: ComparedRollup[];
    /** `restatements.csv`, where any figure is another now. */
    file?: WrittenFile & { rows: number };
  };
  fingerprint: string;
}

export interface DescribedPublication {
  /** Address of the cluster, without the user. */
  to: string;
  account: string;
  /** When the cluster had confirmed all of it, ISO 8601 UTC. */
  published_at: string;
}

export interface ComparedRollup {
  file: string;
  contents: string;
  /** When the earlier figures were exported, ISO 8601 UTC. */
  given_out_at?: string;
  /** How many figures of complete periods are others now; they stand in `restatements.csv`. */
  restated_cells?: number;
  /** Why it was not compared. */
  not_compared?: string;
}

export interface Caveats {
  /** Calls are there, but no sync has ever come to its end: nobody knows of how many they are a part. */
  no_finished_sync?: true;
  /** Why the last sync could not tell whether it read all calls. */
  unverified?: string;
  /** A first load is under way, or was cut short: which call is a caller's first is not known yet. */
  first_load?: true;
  /** Calls that went missing at once, over the missing-call threshold; they still count until `sync --accept-gone`. Null for some that are too few to be shared. */
  withheld_calls?: number | null;
}

/** The filter as it was given; of the callers left out their number alone. */
export type DescribedFilter = Omit<CallFilter, "exclude_callers"> & {
  gone_calls: "left out" | "counted";
  excluded_callers?: number;
  /** How many of them no call in the warehouse is from, as when they are mistyped. */
  excluded_callers_without_calls?: number;
};

export interface TableEntry {
  /** The dimensions of a rollup, or the name of another kind of table. */
  contents: string;
  /** Lines without header and total. */
  rows: number;
  total_line?: true;
  top?: number;
  /** How many others are together in the row `(other)`. */
  keys_in_other?: number;
  /** How many calls a row has at least, where rows of fewer are together in the row `(other)` of their period. */
  min_cell?: number;
  /** How many rows are together in rows `(other)` that have figures, and their calls. */
  rows_in_other?: number;
  calls_in_other?: number;
  /** How many rows `(other)` have no figures, since their whole period has fewer calls. */
  blank_rows?: number;
  /** Sums of the columns that add up; uniques do not. */
  sums?: Record<string, number>;
  /** Fingerprint of the key of `caller_hash`: hashes can be compared where it is the same. */
  caller_key?: string;
  /** What was left out of it and why, in numbers of calls. */
  excluded?: Record<string, number>;
}

export interface SheetEntry extends TableEntry {
  sheet: string;
  /** How many texts were longer than a cell holds, and are cut; missing where none is. */
  cut_texts?: number;
}

/** A file, and what is in it; of a workbook, `rows` are those of all its sheets. */
export interface ManifestFile extends WrittenFile, TableEntry {
  /** Present for a workbook: its sheets after the first, which says what they stand on. */
  sheets?: SheetEntry[];
  /** Calls looked at for a file of conversions; each is a row, or among those left out. */
  examined?: number;
  only_new?: true;
  adjustments?: { retract: number; restate: number };
}

type UnwrittenManifest = { [Member in "fingerprint" | "published" | "restatements"]?: unknown } & {
  files: readonly (Partial<WrittenFile> & { contents?: unknown })[];
};

/**
 * Returns a digest of what figures stand on and of their sums: SHA-256, in hex, of the manifest as JSON without white
 * space, without `fingerprint`, `published` and `restatements`, and of each file without `file`, `bytes` and `sha256`.
 */
export function fingerprintOf({
  fingerprint: _,
  published: __,
  restatements: ___,
  files,
  ...manifest
}: UnwrittenManifest): string {
  const known = files.map(({ file, bytes, sha256, ...described }) => described);
  return hash("sha256", JSON.stringify({ ...manifest, files: known }));
}

export async function startManifest(
  standing: Standing,
  session: FigureSession,
  timeframe: Timeframe,
  {
    raw,
    lookbackHours,
    spend,
    published,
  }: {
    raw: boolean;
    /** Hours after a call in which late transcripts and corrections are looked for. */
    lookbackHours: number;
    spend: SessionSpend | undefined;
    published: DescribedPublication | undefined;
  },
): Promise<Manifest> {
  const { run, origin, unlisted } = standing;
  const { exclude_callers, include_gone, ...filter } = timeframe.filter;
  const until = settledUntil(run, lookbackHours);
  const firstStart = await session.readFirstStart();
  const describeSpan = ({ startsAt, endsAt }: Span, range: DateRange = {}): DescribedSpan => ({
    ...range,
    ...(startsAt !== undefined && { starts_at: startsAt }),
    ...(endsAt !== undefined && { ends_at: endsAt }),
    ...((until === undefined || endsAt === undefined || endsAt > until) && { provisional: true }),
    ...(!hasHistory(startsAt, firstStart) && { short_history: true }),
  });
  const caveats = findCaveats(standing);
  const { aliases, caller_digests: _, ...rules } = session.rules;
  return {
    run,
    origin,
    ...(published && { published }),
    ...(caveats && { caveats }),
    ...(unlisted && { unlisted }),
    timezone: timeframe.timezone,
    filter: {
      gone_calls: include_gone ? "counted" : "left out",
      ...filter,
      ...(exclude_callers !== undefined && {
        excluded_callers: exclude_callers.length,
        excluded_callers_without_calls: await session.countUnknownCallers(exclude_callers),
      }),
    },
    range: describeSpan(timeframe.span, timeframe.range),
    ...(timeframe.previousSpan && {
      compared_with: {
        ...describeSpan(timeframe.previousSpan, timeframe.previousRange),
        ...(!timeframe.isPreviousCovered && { begins_before_first_call: true }),
      },
    }),
    ...(timeframe.grain && {
      periods: timeframe.periods.map(({ period, ...span }) => ({ period, ...describeSpan(span) })),
    }),
    rules: {
      ...rules,
      channels: CHANNEL_RULES_VERSION,
      aliases: Object.keys(aliases).length,
      utm_values: raw ? "as stored" : "folded",
    },
    ...(spend && { spend: describeSpend(spend, timeframe) }),
    files: [],
    fingerprint: "",
  };
}

/**
 * Returns until when figures are complete, ISO 8601 UTC; undefined before the first sync has ended. Transcripts come and
 * dispositions are corrected for so long after a call; a sync later than that has seen them.
 */
export function settledUntil(
  run: Pick<NonNullable<Standing["run"]>, "finished_at"> | null | undefined,
  lookbackHours: number,
): string | undefined {
  if (!run?.finished_at) return undefined;
  return new Date(Date.parse(run.finished_at) - lookbackHours * 3_600_000).toISOString();
}

function findCaveats({ run, withheld_calls, first_load }: Standing): Caveats | undefined {
  const caveats: Caveats = {
    ...(run === null && { no_finished_sync: true }),
    ...(run?.verdict === "unverified" && { unverified: run.verdict_reason ?? "it does not say why" }),
    ...(first_load && { first_load: true }),
    ...(withheld_calls !== 0 && { withheld_calls }),
  };
  return Object.keys(caveats).length > 0 ? caveats : undefined;
}

export function encodeManifest(manifest: object): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

export function describeRestated({
  restatements,
  timezone,
}: Pick<Manifest, "restatements" | "timezone">): string[] {
  const restated = (restatements?.rollups ?? []).filter(({ restated_cells = 0 }) => restated_cells > 0);
  const cells = restated.reduce((sum, { restated_cells = 0 }) => sum + restated_cells, 0);
  if (cells === 0) return [];
  const days = new Set(restated.map(({ given_out_at = "" }) => localDate(given_out_at, timezone)));
  const when = days.size === 1 ? `on ${[...days].join()}` : "before";
  const count = formatQuantity(cells, "figure");
  return [`${count} exported ${when} ${cells === 1 ? "has" : "have"} changed: see restatements.csv.`];
}

export function describeHistory({
  range,
  compared_with,
  periods = [],
}: Pick<Manifest, "range" | "compared_with" | "periods">): string[] {
  const short = periods.filter(({ short_history }) => short_history);
  const isAll = short.length === periods.length;
  const which = isAll ? "these days" : `the periods up to ${short.at(-1)?.period}`;
  const fewer = `fewer than ${HISTORY_DAYS} days of calls lie before`;
  return [
    ...(range.short_history ? [`First-time callers of ${which} may be too many: ${fewer} them.`] : []),
    ...(compared_with?.short_history
      ? [`The change of first-time callers is not computed: ${fewer} the days compared with.`]
      : []),
  ];
}

export const MADE_UP = "These calls are made up: calltally demo made the warehouse.";

export function describeCaveats({ caveats = {} }: Pick<Manifest, "caveats">): string[] {
  const { no_finished_sync, unverified, first_load, withheld_calls } = caveats;
  const sentences = [
    no_finished_sync && "No sync has finished yet: the figures are based on whatever was read so far.",
    unverified !== undefined && `The last sync is unverified, so calls may be missing: ${unverified}.`,
    first_load && "The first load has not ended: first-time callers are not known yet, and counted as none.",
    withheld_calls !== undefined &&
      `${withheld_calls ?? "Some"} calls went missing at once, over the missing-call threshold, and still count: see calltally status.`,
  ];
  return sentences.filter((sentence) => typeof sentence === "string");
}
