import { hash } from "node:crypto";
import type { Span } from "../base/calendar/dates.ts";
import { hasHistory } from "../base/calendar/history.ts";
import { type AttributionRules, countAliases } from "../calls/attribution/attribution-rules.ts";
import { CHANNEL_RULES_VERSION } from "../calls/attribution/channel-rules.ts";
import type { CallFilter } from "../calls/filter.ts";
import type { ReadOutcomes } from "../sources/engine.ts";
import type { FigureSession } from "../sources/figure-session.ts";
import type { SessionSpend } from "../sources/session-spend.ts";
import type { DescribedOrigin } from "../warehouse/origin.ts";
import type { Basis } from "../warehouse/runs/basis-schema.ts";
import type { CertificateMark } from "../warehouse/runs/certificate-table.ts";
import { describeSpend } from "./described-spend.ts";
import type { WrittenFile } from "./output/file-set.ts";
import type {
  DescribedOutcomes,
  DescribedSpan,
  DescribedSpend,
  RangeFacts,
} from "./statements/range-schema.ts";
import { type Statement, toSpoken } from "./statements/statements.ts";
import type { ComparedRange, Timeframe } from "./timeframe.ts";

/**
 * The same warehouse and options give the same bytes, but for PDFs, in which browsers note their version and the time;
 * conversions for Google Ads also depend on the time.
 */
export interface Manifest extends RangeFacts {
  run: Basis["run"];
  /** What proves the last proven full pass, which the calls rest on: see `calltally verify`; missing if there is none. */
  certificate?: CertificateMark;
  origin: DescribedOrigin;
  /** Present if the figures were read in a cluster. */
  published?: DescribedPublication;
  /** What a reader of the figures must know, doubts first. */
  statements: readonly Statement[];
  filter: DescribedFilter;
  rules: Omit<AttributionRules, "aliases" | "aliases_of" | "topics" | "channels" | "caller_digests"> & {
    channels: string;
    /** How many lines of own channels come before those rules; the table `rules` lists them. */
    own_channels: number;
    /** How many values have an alias; the table `rules` lists them. */
    aliases: number;
    /** How many lines of topics there are; the same table lists them. */
    topics: number;
    utm_values: "folded" | "as stored";
  };
  spend?: DescribedSpend;
  /** Present if calls were listed. */
  changes?: DescribedChanges;
  files: ManifestFile[];
  /** Result of the comparison with earlier exports; missing if there were none. */
  restatements?: {
    rollups: ComparedRollup[];
    /** `restatements.csv`, if figures changed. */
    file?: WrittenFile & { rows: number };
  };
  fingerprint: string;
}

export interface DescribedChanges {
  /** If only changed calls were listed: the calls that changed later, ISO 8601 UTC. */
  after?: string;
  /** The last change of a call: `--changed-since` with this time lists every later change, ISO 8601 UTC. */
  until: string;
}

export interface DescribedPublication {
  /** Address of the cluster, without the user. */
  to: string;
  account: string;
  /** When the cluster had confirmed everything, ISO 8601 UTC. */
  published_at: string;
}

export interface ComparedRollup {
  file: string;
  contents: string;
  /** When the earlier figures were exported, ISO 8601 UTC. */
  exported_at?: string;
  /** How many figures of complete periods changed; see `restatements.csv`. */
  restated_cells?: number;
  /** Why it was not compared. */
  not_compared?: string;
}

/** The filter as given; of excluded callers only their number. */
export type DescribedFilter = Omit<CallFilter, "exclude_callers"> &
  RangeFacts["filter"] & { gone_calls: "left out" | "counted" };

export interface TableEntry {
  /** The dimensions of a rollup, or the name of another kind of table. */
  contents: string;
  /** Without header and total. */
  rows: number;
  total_line?: true;
  /** Whether a line `(with spend)` follows. */
  with_spend_line?: true;
  /** Present if costs were asked for, and a dimension of this rollup has none. */
  without_costs?: true;
  top?: number;
  /** How many keys are folded into the row `(other)`. */
  keys_in_other?: number;
  /** The fewest calls of a row; smaller rows are folded into their period's row `(other)`. */
  min_cell?: number;
  /** What the rates of all rows are compared with, and in how many comparisons; see `…_versus_chance`. */
  versus?: { row: string; comparisons: number; beyond_chance: number; beyond_chance_among_all: number };
  /** How many rows are folded into rows `(other)` with figures, and their calls. */
  rows_in_other?: number;
  calls_in_other?: number;
  /** How many rows `(other)` are blank, because their whole period has fewer calls. */
  blank_rows?: number;
  /** Sums of the columns that add up. */
  sums?: Record<string, number>;
  /** Fingerprint of the key of `caller_hash`: hashes with the same one can be compared. */
  caller_key?: string;
  /** Of a list of calls: to how many phone numbers it is limited; missing if it is not. */
  of_numbers?: number;
  /** What was left out and why, in calls. */
  excluded?: Record<string, number>;
}

export interface SheetEntry extends TableEntry {
  sheet: string;
  /** How many texts were cut because they exceed a cell's length; missing if none. */
  cut_texts?: number;
}

/** A file and its contents; for a workbook or database, `rows` are those of all its tables. */
export interface ManifestFile extends WrittenFile, TableEntry {
  /** For a workbook or database: its sheets or tables, without those that describe them. */
  sheets?: SheetEntry[];
  /** Calls considered for a file of conversions; each is a row or among the excluded. */
  examined?: number;
  only_new?: true;
  adjustments?: { retract: number; restate: number };
}

type UnwrittenManifest = {
  [Member in "fingerprint" | "published" | "restatements" | "statements"]?: unknown;
} & {
  files: readonly (Partial<WrittenFile> & { contents?: unknown })[];
};

/**
 * Returns a digest of the figures' basis and sums: SHA-256, in hex, of the manifest as JSON without white space,
 * without `fingerprint`, `published`, `restatements` and `statements`, and without `file`, `bytes` and `sha256` of
 * each file.
 */
export function fingerprintOf({
  fingerprint: _,
  published: __,
  restatements: ___,
  statements: ____,
  files,
  ...manifest
}: UnwrittenManifest): string {
  const known = files.map(({ file, bytes, sha256, ...described }) => described);
  return hash("sha256", JSON.stringify({ ...manifest, files: known }));
}

export async function startManifest(
  basis: Basis,
  session: FigureSession,
  timeframe: Timeframe,
  {
    raw,
    lookbackHours,
    spend,
    outcomes,
    published,
  }: {
    raw: boolean;
    /** Hours after a call in which late transcripts and corrections are looked for. */
    lookbackHours: number;
    spend: SessionSpend | undefined;
    outcomes: ReadOutcomes | undefined;
    published: DescribedPublication | undefined;
  },
): Promise<Manifest> {
  const { run, certificate, origin } = basis;
  const { exclude_callers, include_gone, ...filter } = timeframe.filter;
  const until = settledUntil(run, lookbackHours);
  const { compared } = timeframe;
  const firstStart = await session.readFirstStart();
  const describeSpan = ({ startsAt, endsAt }: Span, range: ComparedRange = {}): DescribedSpan => ({
    ...range,
    ...(startsAt !== undefined && { starts_at: startsAt }),
    ...(endsAt !== undefined && { ends_at: endsAt }),
    ...((until === undefined || endsAt === undefined || endsAt > until) && { provisional: true }),
    ...(!hasHistory(startsAt, firstStart) && { short_history: true }),
  });
  const { aliases: _, aliases_of: __, topics, channels, caller_digests: ___, ...rules } = session.rules;
  return {
    run,
    ...(certificate && { certificate }),
    origin,
    ...(published && { published }),
    statements: [],
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
    ...(compared.length > 0 && {
      compared_with: compared.map(({ as, span, range, isCovered, lackingUpTo }) => ({
        as,
        ...describeSpan(span, range),
        ...(!isCovered && ({ begins_before_first_call: true } as const)),
        ...(lackingUpTo !== undefined && { lacking_up_to: lackingUpTo }),
      })),
    }),
    ...(timeframe.grain && {
      periods: timeframe.periods.map(({ period, ...span }) => ({ period, ...describeSpan(span) })),
    }),
    rules: {
      ...rules,
      channels: CHANNEL_RULES_VERSION,
      own_channels: channels.length,
      aliases: countAliases(session.rules),
      topics: topics.length,
      utm_values: raw ? "as stored" : "folded",
    },
    ...(spend && { spend: describeSpend(spend, timeframe) }),
    ...(outcomes && { outcomes: describeOutcomes(outcomes) }),
    files: [],
    fingerprint: "",
  };
}

function describeOutcomes({ form, jobs, matched }: ReadOutcomes): DescribedOutcomes {
  return { currency: form.currency ?? null, revenue_by: form.by, jobs, matched };
}

/**
 * Returns until when figures are complete, ISO 8601 UTC; undefined before the first finished sync. Transcripts and
 * corrections may come for this many hours after a call; a later sync has seen them.
 */
export function settledUntil(
  run: Pick<NonNullable<Basis["run"]>, "finished_at"> | null | undefined,
  lookbackHours: number,
): string | undefined {
  if (!run?.finished_at) return undefined;
  return new Date(Date.parse(run.finished_at) - lookbackHours * 3_600_000).toISOString();
}

export function encodeManifest(manifest: { statements: readonly Statement[] }): string {
  const statements = manifest.statements.map(toSpoken);
  return `${JSON.stringify({ ...manifest, statements }, null, 2)}\n`;
}
