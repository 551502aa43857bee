import { isList } from "../contents.ts";
import { adjustedBy, CONVERSION_KINDS, CONVERSIONS, isAdjustments, ruleOfKind } from "../conversion-kinds.ts";
import { HYGIENE, inWords, isOneFile } from "../option-values.ts";
import { ALL_OPTIONS } from "../options.ts";
import { isGiven } from "./refusal.ts";
import type { RequestParts, RequestRefusals } from "./request-parts.ts";

/** Of one file with several accounts. */
const MERGED: RequestRefusals = [
  ...(["total", "fill", "top", "min_cell"] as const).map((option) => ({
    options: [option],
    text: `{${option}} is for one account: callers are not merged across accounts`,
  })),
  { options: ["versus"], text: "{versus} is for one account: each has its own rows" },
  {
    when: ({ request: { format } }) => format !== undefined && isOneFile(format) && format,
    text: "{format} {found} is for one account: all of its tables are based on one warehouse",
  },
  {
    when: ({ request }) => request.contents?.join(" "),
    text: "{by} with account writes one file; leave out {found}",
  },
  {
    options: ["columns"],
    when: ({ request }) => !request.columns?.includes("calls"),
    text: "{columns} needs calls when accounts are merged: the rows are sorted by them",
  },
];
export const MERGE_REFUSALS: RequestRefusals = MERGED.map(({ when = () => true, ...refusal }) => ({
  ...refusal,
  when: (parts) => parts.output.mergesAccounts === true && when(parts),
}));

const CALL_OPTIONS = [...ALL_OPTIONS.keys()].filter(
  (option) => option === "caller" || /^(range|filter)\./.test(option),
);

/** A call that no longer matches would be missed. */
export const CHANGE_REFUSALS: RequestRefusals = [
  ...(["changed_since", "caller"] as const).map((option) => ({
    options: [option],
    when: ({ kinds }: RequestParts) =>
      kinds
        .filter((kind) => kind !== "calls")
        .map(inWords)
        .join(", "),
    text: `{${option}} lists calls: leave out {found}`,
  })),
  {
    options: ["changed_since"],
    when: ({ request }) => request.profile === "excel",
    text: "{changed_since} is for programs, and {profile} excel changes texts and times for Excel: leave it out",
  },
  {
    options: ["changed_since"],
    when: ({ request, spell }) => {
      const allowed = ["filter.include_gone", "filter.allow_empty"];
      const selecting = CALL_OPTIONS.find((option) => !allowed.includes(option) && isGiven(request, option));
      return selecting && spell(selecting);
    },
    text: "{changed_since} cannot be used with {found}: a call that no longer matches would be missed",
  },
];

const adjustmentsIn = ({ kinds }: RequestParts) => kinds.find(isAdjustments);

export const CONVERSION_REFUSALS: RequestRefusals = [
  {
    options: ["conversion.new"],
    when: ({ output }) => !output.remembers,
    text: "{conversion.new} records what it writes, and {stdout} records nothing: use one or the other",
  },
  {
    when: (parts) => !parts.output.remembers && adjustmentsIn(parts),
    text: "{found} records what it writes, and {stdout} records nothing: leave it out",
  },
  {
    options: ["conversion.value"],
    when: (parts) => {
      const adjustments = adjustmentsIn(parts);
      if (adjustments === undefined || Number(parts.request.conversion?.value) !== 0) return undefined;
      return CONVERSION_KINDS[adjustedBy(adjustments)].adjustments.whyNotZero;
    },
    text: "{conversion.value} 0 cannot be restated: {found}",
  },
  {
    when: ({ request: { range, filter = {} }, kinds }) => {
      const { exclude_callers: _, include_gone: __, allow_empty: ___, ...selecting } = filter;
      const isSelected = Object.values({ ...selecting, ...range }).some(Boolean);
      return isSelected && kinds.every(isAdjustments) && kinds.join(", ");
    },
    text: "{found} looks at all uploaded conversions: remove date and call filters; {filter.exclude_callers} and {filter.include_gone} are allowed",
  },
  {
    options: ["conversion.name"],
    when: ({ request: { conversion: { name = "" } = {} }, kinds }) => {
      const rules = CONVERSIONS.filter((kind) => kinds.includes(kind)).map((kind) => ruleOfKind(kind).names);
      const broken = rules.find((rule) => rule !== undefined && rule.toName(name) === undefined);
      return broken && `${name} ${broken.problem}`;
    },
    text: "{conversion.name} {found}",
  },
];

/** Of what the source has, and where the files go. */
export const PLACE_REFUSALS: RequestRefusals = [
  {
    when: ({ request: { format }, output, kinds }) => {
      const isTooMany = !output.manyFiles && !output.mergesAccounts && kinds.length > 1;
      return isTooMany && !(format !== undefined && isOneFile(format)) && String(kinds.length);
    },
    text: "{stdout} writes one file, but {found} were requested: name one, or use {format} xlsx or sqlite",
  },
  {
    options: ["raw"],
    when: ({ source }) => !source.raw,
    text: "{raw} cannot be used with {engine}: utm values are not published as stored",
  },
  {
    when: ({ source, kinds }) =>
      !source.lists && kinds.filter((kind) => isList(kind) || kind === HYGIENE).join(", "),
    text: "{found} cannot be read with {engine}: the cluster computes figures, but not lists",
  },
  {
    when: ({ source, dimensions }) => !source.clickIds && dimensions.includes("gclid"),
    text: "gclid cannot be read with {engine}: keyed digests of click ids were published. Publish with CALLTALLY_PUBLISH_PERSONAL_DATA=true, or read the warehouse",
  },
];
