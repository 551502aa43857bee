import { type DateRange, parseDate, parseLast } from "../calendar/dates.ts";
import type { Comparison } from "../calendar/grain.ts";
import { comparisonOfLast } from "../calendar/last.ts";
import { localDate } from "../calendar/local-time.ts";
import { cannotUse, describeError, UsageError } from "../errors.ts";
import {
  ACCOUNT,
  ADJUSTMENTS,
  CONVERSIONS,
  DEFAULT_CONVERSION,
  type Delimiter,
  UNSHARED_DIMENSIONS,
} from "../export/choices.ts";
import type { ExportFormat } from "../export/figure-job.ts";
import type { Target } from "../export/write-export.ts";
import type { CallFilter } from "../rollup/call-filter.ts";
import { DEFAULT_DIMENSIONS, type Dimension, SPEND_DIMENSIONS } from "../rollup/dimensions.ts";
import { readCallersFile } from "./callers-file.ts";
import type { Contents, ExportFlags } from "./export-command.ts";

/** Flags of `export` as a command line has them, or as something else says the same. */
export type GivenFlags = { [Flag in keyof ExportFlags]?: ExportFlags[Flag] | undefined };

/** Returns what is to be written; the default rollups where nothing is named. */
export function toTargets(contents: readonly Contents[], flags: GivenFlags): Target[] {
  const by = flags.by?.filter((dimension) => dimension !== ACCOUNT);
  const isShared = (dimension: Dimension) =>
    flags.minCell === undefined || !isOneOf(UNSHARED_DIMENSIONS, dimension);
  const named = contents.length > 0 || by !== undefined ? contents : DEFAULT_DIMENSIONS.filter(isShared);
  const targets = [...new Set(named)].map((content): Target => {
    switch (content) {
      case "calls":
        return { kind: "calls", with: flags.with ?? [] };
      case "callers":
        return { kind: "callers" };
      case "google-ads":
      case "google-leads":
      case "google-data-manager":
      case "microsoft-ads":
      case "ga4-events":
      case ADJUSTMENTS:
        return { kind: content, conversion: toConversion(flags) };
      default:
        return { kind: "rollup", dimensions: [content] };
    }
  });
  // A dimension that is named by itself as well is one file and not two.
  const isNamed = by?.length === 1 && by[0] !== undefined && contents.includes(by[0]);
  return by === undefined || isNamed ? targets : [...targets, { kind: "rollup", dimensions: by }];
}

function toConversion(flags: GivenFlags) {
  const {
    conversionName: name = DEFAULT_CONVERSION,
    conversionValue: value,
    currency,
    adUserData,
    adPersonalization,
    every = false,
    new: isNew = false,
    measurementId,
  } = flags;
  return { name, value, currency, adUserData, adPersonalization, every, isNew, measurementId };
}

/** Returns the days that calls are from; undefined for all of them. */
export function toRange(
  { from, to, last }: Pick<GivenFlags, "from" | "to" | "last">,
  timezone: string,
  nowMs: number,
): DateRange | undefined {
  if (last !== undefined) {
    const today = localDate(new Date(nowMs).toISOString(), timezone);
    return named("--last", () => parseLast(last, today));
  }
  if (from === undefined && to === undefined) return undefined;
  const range = {
    ...(from !== undefined && { from: named("--from", () => parseDate(from)) }),
    ...(to !== undefined && { to: named("--to", () => parseDate(to)) }),
  };
  if (range.from !== undefined && range.to !== undefined && range.from > range.to) {
    throw new UsageError(`--from ${range.from} is after --to ${range.to}`, {
      hint: `Did you mean --from ${range.to} --to ${range.from}?`,
    });
  }
  return range;
}

/** Returns what stands beside the figures; where `--last` names the range, by what that is counted in. */
export function toComparison({
  compare,
  last,
}: Pick<GivenFlags, "compare" | "last">): Comparison | undefined {
  return compare && last !== undefined ? comparisonOfLast(last, compare) : compare;
}

/** Returns which calls count. */
export function toFilter(flags: GivenFlags): CallFilter {
  const { orgUnit, channel, source, campaign, disposition, minDuration, trackingNumber, excludeCallers } =
    flags;
  return {
    ...(orgUnit && { org_unit: orgUnit }),
    ...(channel && { channel }),
    ...(source && { source }),
    ...(campaign && { campaign }),
    ...(disposition && { disposition }),
    ...(minDuration !== undefined && { min_duration_seconds: minDuration }),
    ...(flags.firstTime && { first_time: true }),
    ...(flags.hasGclid && { has_gclid: true }),
    ...(trackingNumber && { tracking_number: trackingNumber }),
    ...(excludeCallers && { exclude_callers: excludeCallers.flatMap((file) => readCallersFile(file)) }),
    ...(flags.includeGone && { include_gone: true }),
  };
}

/** Returns how the files are written. */
export function toFormat({ format = "csv", profile, delimiter }: GivenFlags): ExportFormat {
  if (format === "xlsx") return { format };
  const sign: Delimiter | undefined = delimiter === "tab" ? "\t" : delimiter;
  return { format, profile, delimiter: sign };
}

/** Refuses flags that would go unheard beside the others. */
export function assertTogether(targets: readonly Target[], flags: GivenFlags): void {
  const {
    grain,
    fill = false,
    compare,
    total = false,
    raw = false,
    spend = false,
    top,
    minCell,
    stdout = false,
    format = "csv",
    profile,
    delimiter,
    from,
    to,
    last,
  } = flags;
  const has = (...kinds: Target["kind"][]) => targets.some(({ kind }) => kinds.includes(kind));
  const conversions = targets.map(({ kind }) => kind).filter((kind) => isOneOf(CONVERSIONS, kind));
  const hasConversions = conversions.length > 0;
  const fixed = [...conversions, ...(has(ADJUSTMENTS) ? [ADJUSTMENTS] : [])];
  const isAdjustedAlone = has(ADJUSTMENTS) && targets.every(({ kind }) => kind === ADJUSTMENTS);
  const spendless = targets
    .flatMap((target) => (target.kind === "rollup" ? target.dimensions : []))
    .find((dimension) => !SPEND_DIMENSIONS.includes(dimension));
  const refusals: [isRefused: boolean, message: string][] = [
    ...(minCell === undefined ? [] : shareRefusals(targets, flags)),
    [fill && grain === undefined, "--fill needs --grain: it fills periods"],
    [
      compare !== undefined && last === undefined && (from === undefined || to === undefined),
      "--compare needs --from and --to, or --last: it compares with a period of the same length",
    ],
    [
      !has("rollup") &&
        (grain !== undefined ||
          fill ||
          compare !== undefined ||
          total ||
          raw ||
          top !== undefined ||
          minCell !== undefined),
      "--grain, --fill, --compare, --total, --raw, --top and --min-cell apply only to rollups, and none was requested",
    ],
    [spend && !has("rollup"), "--spend applies only to rollups, and none was requested"],
    [
      spend && spendless !== undefined,
      `--spend applies to ${SPEND_DIMENSIONS.join(", ")}, and not to ${spendless}: what ads cost is known by these alone`,
    ],
    [
      flags.with !== undefined && !has("calls"),
      "--with is for calls: calltally export calls --with caller_id",
    ],
    [
      fixed.length > 0 && (format !== "csv" || profile !== undefined || delimiter !== undefined),
      `${fixed.join(" and ")} ${fixed.length === 1 ? "has the fixed CSV format of its" : "have the fixed CSV formats of their"} platform: leave out --format, --profile and --delimiter`,
    ],
    [profile !== undefined && format !== "csv" && format !== "tsv", "--profile is for csv and tsv"],
    [delimiter !== undefined && format !== "csv", "--delimiter is for csv"],
    [
      fixed.length === 0 && flags.conversionValue !== undefined,
      `--conversion-value is for ${CONVERSIONS.join(", ")} and ${ADJUSTMENTS}`,
    ],
    [
      !hasConversions && (flags.every === true || flags.new === true),
      `--every and --new are for ${CONVERSIONS.join(", ")}`,
    ],
    [
      !has("google-ads", "google-leads", "google-data-manager") &&
        (flags.adUserData !== undefined || flags.adPersonalization !== undefined),
      "--ad-user-data and --ad-personalization are for google-ads, google-leads and google-data-manager",
    ],
    [
      has("ga4-events") !== (flags.measurementId !== undefined),
      has("ga4-events")
        ? "ga4-events needs --measurement-id G-…, the data stream that the events are of"
        : "--measurement-id is for ga4-events",
    ],
    [
      stdout && flags.new === true,
      "--new remembers what it writes, and --stdout remembers nothing: use one or the other",
    ],
    [
      stdout && has(ADJUSTMENTS),
      `${ADJUSTMENTS} remembers what it writes, and --stdout remembers nothing: leave it out`,
    ],
    [
      has(ADJUSTMENTS) && flags.conversionValue !== undefined && Number(flags.conversionValue) === 0,
      "--conversion-value 0 cannot be restated: Google Ads removes such a conversion, and takes no further adjustment of it",
    ],
    [
      isAdjustedAlone && Object.keys(selecting(flags)).length > 0,
      `${ADJUSTMENTS} looks at all uploaded conversions: leave out what selects days or calls, but for --exclude-callers and --include-gone`,
    ],
    [
      flags.currency !== undefined && flags.conversionValue === undefined,
      "--currency needs --conversion-value",
    ],
    [
      stdout && targets.length > 1 && format !== "xlsx",
      `--stdout writes one file, and ${targets.length} were requested: name one, or use --format xlsx`,
    ],
    ...outputRefusals(flags),
  ];
  const refused = refusals.find(([isRefused]) => isRefused);
  if (refused) throw new UsageError(refused[1], { hint: "See calltally export --help." });
}

/** Refuses what would make a share-safe file unsafe, or figures of few calls computable. */
function shareRefusals(
  targets: readonly Target[],
  flags: GivenFlags,
): [isRefused: boolean, message: string][] {
  const lists = targets.map(({ kind }) => kind).filter((kind) => kind !== "rollup");
  const named = targets
    .flatMap((target) => (target.kind === "rollup" ? target.dimensions : []))
    .filter((dimension) => isOneOf(UNSHARED_DIMENSIONS, dimension));
  return [
    [
      lists.length > 0,
      `--min-cell is for figures: each row of ${lists.join(" and ")} is of one call or caller`,
    ],
    [
      named.length > 0,
      `--min-cell writes files that may be shared, and ${named.join(" and ")} in them would name clicks or numbers`,
    ],
    [
      flags.trackingNumber !== undefined,
      "--min-cell writes files that may be shared, and the manifest would hold the number of --tracking-number",
    ],
    [flags.top !== undefined, "--min-cell and --top both put rows into (other): use one or the other"],
    [
      flags.fill === true,
      "--fill would write 0 for rows that --min-cell puts into (other): leave one of them out",
    ],
    [
      flags.spend === true,
      "--spend adds rows of costs without calls, and costs per call tell how few calls there were: not with --min-cell",
    ],
  ];
}

/** The flags that say which calls a file is about, and not which of a click counts. */
function selecting(flags: GivenFlags): object {
  const { from, to, last } = flags;
  const {
    exclude_callers: _,
    include_gone: __,
    ...filter
  } = toFilter({ ...flags, excludeCallers: undefined });
  return { ...filter, ...(from && { from }), ...(to && { to }), ...(last && { last }) };
}

function isOneOf<T extends string>(values: readonly T[], value: string): value is T {
  return values.some((each) => each === value);
}

/** Refuses flags about files and the manifest beside `--stdout`. */
export function assertOutput(flags: OutputFlags): void {
  const refused = outputRefusals(flags).find(([isRefused]) => isRefused);
  if (refused) throw new UsageError(refused[1]);
}

type OutputFlags = Pick<GivenFlags, "stdout" | "out" | "json">;

function outputRefusals({ stdout, out, json }: OutputFlags): [isRefused: boolean, message: string][] {
  return [
    [
      stdout === true && out !== undefined,
      "--out is for files, and --stdout writes none: use one or the other",
    ],
    [
      stdout === true && json === true,
      "--json prints the manifest, and --stdout writes none: use one or the other",
    ],
  ];
}

function named<T>(flag: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw cannotUse(flag, describeError(error));
  }
}
