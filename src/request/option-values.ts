import { DIMENSIONS } from "../rollup/dimensions.ts";

export const TABLE_FORMATS = ["csv", "tsv", "json", "ndjson", "parquet"] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Formats of an export; `xlsx` is one workbook with a sheet for each table. */
export const FORMATS = [...TABLE_FORMATS, "xlsx"] as const;

/**
 * Who reads the file. `machine`: every value as it is. `excel`: a byte order mark, and texts that Excel would turn into
 * numbers as `="…"`. Without one, texts are guarded against spreadsheet formulas.
 */
export const PROFILES = ["machine", "excel"] as const;
export type Profile = (typeof PROFILES)[number];

export const DELIMITERS = [",", ";", "|", "\t"] as const;
export type Delimiter = (typeof DELIMITERS)[number];
/** A tab is hard to write on a command line. */
export const DELIMITER_NAMES = [",", ";", "|", "tab"] as const;

/** Columns of `calls` that name people or give access to what they said; written only where they are asked for by name. */
export const PRIVATE_COLUMNS = ["caller_id", "summary", "transcription", "recording_url"] as const;
export type PrivateColumn = (typeof PRIVATE_COLUMNS)[number];

/** Longer tables of the keys with the most calls are unreadable. */
export const MAX_TOP = 10_000;

export const MIN_CELL = { least: 2, most: 1000 } as const;

/** Dimensions that name a person's click or a number, and so have no place in a share-safe file. */
export const UNSHARED_DIMENSIONS = ["gclid", "tracking_number"] as const;

export const CONSENTS = ["granted", "denied"] as const;

export const CONVERSIONS = [
  "google-ads",
  "google-leads",
  "google-data-manager",
  "microsoft-ads",
  "ga4-events",
] as const;

/** The file that corrects those of `google-ads`. */
export const ADJUSTMENTS = "google-ads-adjustments";

export const LISTS = ["calls", "callers", ...CONVERSIONS, ADJUSTMENTS] as const;
export type List = (typeof LISTS)[number];
export const CONTENTS = [...DIMENSIONS, ...LISTS] as const;
export type ConversionKind = (typeof CONVERSIONS)[number];

/** The column that names the account, where figures of several stand in one table. */
export const ACCOUNT = "account";

export const DEFAULT_CONVERSION = "Qualified call";

export const AMOUNT = /^\d{1,12}(\.\d{1,6})?$/;

export const MEASUREMENT_ID = /^G-[A-Z0-9]{4,20}$/;

export const PAGE_FILE = "report.html";
/** Its folder below that of exports, whose manifest lists other files. */
export const PAGE_FOLDER = "report";
