import { namesOf } from "../../base/records.ts";
import { EVENT_NAME, type NameRule } from "./event-name.ts";

/**
 * A kind of conversions, as far as a request must know it; `features/conversions/conversion-kinds.ts` has the rest.
 * Contents, options, refusals, completion, the ledger of uploads, `explain` and `forget` follow the two tables.
 */
interface RequestedKind {
  /** Options below `conversion` that not every kind takes. */
  takes?: readonly ("ad_user_data" | "ad_personalization" | "measurement_id")[];
  needs?: readonly "measurement_id"[];
  /** Names that the platform accepts. @default any */
  names?: NameRule;
  /** The contents with corrections of its conversions, and why the platform takes no 0. @default none can be adjusted */
  adjustments?: { contents: string; whyNotZero: string };
}

const CONSENT = ["ad_user_data", "ad_personalization"] as const;

export const CONVERSION_KINDS = {
  "google-ads": {
    takes: CONSENT,
    adjustments: {
      contents: "google-ads-adjustments",
      whyNotZero: "Google Ads removes such a conversion, and accepts no further adjustment",
    },
  },
  "google-leads": { takes: CONSENT },
  "google-data-manager": { takes: CONSENT },
  "microsoft-ads": {},
  "ga4-events": { takes: ["measurement_id"], needs: ["measurement_id"], names: EVENT_NAME },
} as const satisfies Readonly<Record<string, RequestedKind>>;

type Kinds = typeof CONVERSION_KINDS;
export type ConversionKind = keyof Kinds;
/** The kinds whose conversions can be corrected. */
export type AdjustableKind = {
  [Kind in ConversionKind]: Kinds[Kind] extends { adjustments: object } ? Kind : never;
}[ConversionKind];
/** The contents with corrections of a kind. */
export type AdjustmentKind = Kinds[AdjustableKind]["adjustments"]["contents"];

export const CONVERSIONS = namesOf(CONVERSION_KINDS);
const ADJUSTABLE = CONVERSIONS.filter(
  (kind): kind is AdjustableKind => "adjustments" in CONVERSION_KINDS[kind],
);
export const ADJUSTMENTS: readonly AdjustmentKind[] = ADJUSTABLE.map(
  (kind) => CONVERSION_KINDS[kind].adjustments.contents,
);

/** All contents that are uploaded to ad platforms. */
export const UPLOADS = [...CONVERSIONS, ...ADJUSTMENTS];

export function isAdjustments(contents: string): contents is AdjustmentKind {
  return ADJUSTMENTS.some((each) => each === contents);
}

/** Returns the kind whose conversions these contents correct. */
export function adjustedBy(contents: AdjustmentKind): AdjustableKind {
  const kind = ADJUSTABLE.find((each) => CONVERSION_KINDS[each].adjustments.contents === contents);
  if (kind === undefined) throw new TypeError(`No kind is adjusted by ${contents}`);
  return kind;
}

export function ruleOfKind(kind: ConversionKind): RequestedKind {
  return CONVERSION_KINDS[kind];
}

/** Returns the kinds that cannot do without an option. */
export function kindsNeeding(option: NonNullable<RequestedKind["needs"]>[number]): ConversionKind[] {
  return CONVERSIONS.filter((kind) => ruleOfKind(kind).needs?.includes(option));
}

/** Returns the kinds that take an option which not every kind takes. */
export function kindsTaking(option: NonNullable<RequestedKind["takes"]>[number]): ConversionKind[] {
  return CONVERSIONS.filter((kind) => ruleOfKind(kind).takes?.includes(option));
}

/** Returns the contents of the file of calls that are left out of a file for upload, with reasons. */
export const excludedOf = (contents: string): string => `${contents}.excluded`;
