import { systemClock } from "../base/clock.ts";
import { UsageError } from "../base/errors.ts";
import { readCallersFile } from "../config/callers-file.ts";
import { CLUSTER_CAN, type EngineAccount } from "../produce/published-source.ts";
import { WAREHOUSE_CAN } from "../produce/warehouse-source.ts";
import { check, type OutputCan, type SourceCan, type Wording } from "../request/check.ts";
import type { ExportRequest, RequestedContent } from "../request/export-request.ts";
import { ACCOUNT } from "../request/option-values.ts";
import { type Ask, resolve } from "../request/resolve.ts";
import type { Dimension } from "../rollup/dimensions.ts";
import type { ExportFlags } from "./export-options.ts";

/** Flags of `export` and `report`. */
type RequestFlags = Partial<ExportFlags>;

/** The flags that say where figures are read, and where files go. */
export type OutletFlags = Pick<ExportFlags, "engine" | "stdout" | "out" | "json" | "replace" | "timezone">;

/** Options whose flags are not named after their last part. */
const FLAGS: Readonly<Record<string, string>> = {
  contents: "the contents",
  "filter.min_duration_seconds": "--min-duration",
  "conversion.name": "--conversion-name",
  "conversion.value": "--conversion-value",
};

/** How the command line spells options. */
export const FLAG_WORDING: Wording = {
  spell: (option) => FLAGS[option] ?? `--${option.slice(option.indexOf(".") + 1).replaceAll("_", "-")}`,
  hint: "See calltally export --help.",
};

/** Returns the request that a command line makes; `account` in `--by` is not part of it. */
export function toRequest(
  contents: readonly RequestedContent[],
  flags: RequestFlags,
): { [Key in keyof Required<ExportRequest>]: ExportRequest[Key] } {
  const { last, from, to, orgUnit, channel, source, campaign, disposition, trackingNumber } = flags;
  const by = flags.by?.filter((dimension): dimension is Dimension => dimension !== ACCOUNT);
  const isDated = [last, from, to].some((given) => given !== undefined);
  return {
    contents: contents.length > 0 ? [...contents] : undefined,
    by,
    range: isDated ? { last, from, to } : undefined,
    grain: flags.grain,
    compare: flags.compare,
    fill: flags.fill,
    total: flags.total,
    raw: flags.raw,
    spend: flags.spend,
    columns: flags.columns && [...flags.columns],
    min_cell: flags.minCell,
    top: flags.top,
    filter: {
      org_unit: toList(orgUnit),
      channel: toList(channel),
      source: toList(source),
      campaign: toList(campaign),
      disposition: toList(disposition),
      min_duration_seconds: flags.minDuration,
      first_time: flags.firstTime,
      has_gclid: flags.hasGclid,
      tracking_number: toList(trackingNumber),
      exclude_callers: toList(flags.excludeCallers),
      include_gone: flags.includeGone,
      allow_empty: flags.allowEmpty,
    },
    format: flags.format,
    profile: flags.profile,
    delimiter: flags.delimiter,
    with: flags.with && [...flags.with],
    conversion: {
      name: flags.conversionName,
      value: flags.conversionValue,
      currency: flags.currency,
      ad_user_data: flags.adUserData,
      ad_personalization: flags.adPersonalization,
      every: flags.every,
      new: flags.new,
      measurement_id: flags.measurementId,
    },
  };
}

/**
 * Checks a request before anything is opened.
 *
 * @throws UsageError for a request that the source or the output cannot meet
 */
export function assertPossible(
  request: ExportRequest,
  { engine, stdout, out, json }: OutletFlags,
  output: OutputCan,
): void {
  if (stdout && out !== undefined)
    throw new UsageError("--out is for files, and --stdout writes none: use one or the other");
  if (stdout && json)
    throw new UsageError("--json prints the manifest, and --stdout writes none: use one or the other");
  check(request, { source: engine === undefined ? WAREHOUSE_CAN : CLUSTER_CAN, output }, FLAG_WORDING);
}

/** Returns a request with its days and defaults, for a source and an output that are known. */
export function toAsk(
  request: ExportRequest,
  can: { source: SourceCan; output: OutputCan },
  timezone: string,
): Ask {
  check(request, can, FLAG_WORDING);
  return resolve(request, {
    nowMs: systemClock.now(),
    timezone,
    readCallers: (path) => readCallersFile(path),
    clickIds: can.source.clickIds,
    spell: FLAG_WORDING.spell,
  });
}

/** Returns the zone that a flag names, or that the account was published with. */
export function zoneOf({ timezone, settings }: EngineAccount, flags: OutletFlags): string {
  return flags.timezone === undefined ? timezone : settings.timezone;
}

const toList = <T>(values: readonly T[] | undefined): T[] | undefined => values && [...values];
