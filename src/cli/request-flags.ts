import type { Wording } from "../request/check.ts";
import type { ExportRequest, RequestedContent } from "../request/export-request.ts";
import { ACCOUNT } from "../request/option-values.ts";
import type { Dimension } from "../rollup/dimensions.ts";
import type { ExportFlags } from "./export-options.ts";

/** Flags of `export` and `report`. */
type RequestFlags = Partial<ExportFlags>;

/** Options whose flags are not called as their last part. */
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

const toList = <T>(values: readonly T[] | undefined): T[] | undefined => values && [...values];
