import { namesOf } from "../../base/records.ts";
import { DIMENSIONS, type Dimension } from "../../figures/dimensions.ts";
import { UPLOADS } from "./conversion-kinds.ts";

export const TABLE_FORMATS = ["csv", "json", "ndjson", "parquet"] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Formats of one file with all tables, and its name. */
export const ONE_FILE = { xlsx: "calltally.xlsx", sqlite: "calltally.sqlite" } as const;
export type OneFileFormat = keyof typeof ONE_FILE;
export const isOneFile = (format: string): format is OneFileFormat => Object.hasOwn(ONE_FILE, format);

export const FORMATS = [...TABLE_FORMATS, ...namesOf(ONE_FILE)];
export type Format = (typeof FORMATS)[number];

interface Page {
  /** The content that the format stands for. */
  kind: string;
  words: string;
  /** Its file. */
  file: string;
  /** Whether an installed browser prints it. */
  isPrinted?: true;
  /** Whether the dimensions of the page may be chosen. */
  hasDimensions?: true;
}

/** Formats that are a page, with a content of its own. */
export const PAGES = {
  html: { kind: "page", words: "the page", file: "report.html" },
  pdf: { kind: "page", words: "the page", file: "report.pdf", isPrinted: true },
  explore: { kind: "explore", words: "the page to explore", file: "explore.html", hasDimensions: true },
} as const satisfies Readonly<Record<string, Page>>;
export type PageFormat = keyof typeof PAGES;
export const PAGE_FORMATS = namesOf(PAGES);
export const PAGE_KINDS = [...new Set(PAGE_FORMATS.map((format) => PAGES[format].kind))];
/** Formats of the page of charts. */
export const CHART_FORMATS = PAGE_FORMATS.filter((format) => PAGES[format].kind === "page");
export const isChartFormat = (format: string | undefined): boolean =>
  CHART_FORMATS.some((each) => each === format);
export const isPageFormat = (format: string | undefined): format is PageFormat =>
  format !== undefined && Object.hasOwn(PAGES, format);
export const isPrinted = (format: string | undefined): boolean =>
  isPageFormat(format) && "isPrinted" in PAGES[format];

/** What people call formats, by their own names here. */
export const FORMAT_NAMES = {
  excel: "xlsx",
  jsonl: "ndjson",
  xls: "xlsx",
  sqlite3: "sqlite",
  db: "sqlite",
} as const satisfies Readonly<Record<string, Format>>;

/**
 * `machine`: every value unchanged. `excel`: a byte order mark, and `="…"` around texts that Excel would turn into
 * numbers. By default, texts are guarded against spreadsheet formulas, except in lists of changed calls.
 */
export const PROFILES = ["machine", "excel"] as const;
export type Profile = (typeof PROFILES)[number];

export const DELIMITERS = [",", ";", "|", "\t"] as const;
export type Delimiter = (typeof DELIMITERS)[number];
/** A tab is hard to type on a command line. */
export const DELIMITER_NAMES = [",", ";", "|", "tab"] as const;

/** Columns of `calls` that identify people or reveal what they said; written only if requested by name. */
export const PRIVATE_COLUMNS = ["caller_id", "summary", "transcription", "recording_url"] as const;
export type PrivateColumn = (typeof PRIVATE_COLUMNS)[number];

/** Larger tables of top keys are unreadable. */
export const MAX_TOP = 10_000;

export const MIN_CELL = { least: 2, most: 1000 } as const;

/** Dimensions that identify a click or a number, and so do not belong in a share-safe file. */
export const UNSHARED_DIMENSIONS = ["gclid", "tracking_number"] as const;

/** What the page to explore has by default. */
export const EXPLORE_DIMENSIONS = [
  ...["channel", "source", "medium", "campaign", "org_unit", "topic", "disposition"],
  ...["insight_name", "referring_host", "weekday", "hour"],
] as const satisfies Dimension[];

export const CONSENTS = ["granted", "denied"] as const;

/** Lists of calls and callers; the others are for ad platforms. */
export const CALL_LISTS = ["calls", "callers", "callbacks"] as const;
export const LISTS = [...CALL_LISTS, ...UPLOADS] as const;
export type List = (typeof LISTS)[number];
/** Lists of values, not of people. */
export const HYGIENE = "hygiene";
/** What an export writes; it names each dimension on its own. */
export const CONTENT_KINDS = ["rollup", ...PAGE_KINDS, ...CALL_LISTS, HYGIENE, ...UPLOADS] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];
const WORDS = new Map<ContentKind, string>([
  ["rollup", "rollups"],
  ...PAGE_FORMATS.map((format) => [PAGES[format].kind, PAGES[format].words] as const),
]);
export const inWords = (kind: ContentKind): string => WORDS.get(kind) ?? kind;

/** Contents that any format can hold; files for ad platforms have a fixed one. */
export const TABLES = ["rollup", ...CALL_LISTS, HYGIENE] as const;

export const CONTENTS = [...DIMENSIONS, ...LISTS, HYGIENE] as const;

/** The column that names the account in tables of several. */
export const ACCOUNT = "account";

/** What makes a call a conversion. */
export const QUALIFY = ["qualified", "booked", "sold"] as const;
export const DEFAULT_NAMES = {
  qualified: "Qualified call",
  booked: "Booked call",
  sold: "Sold call",
} as const;

/** In place of an amount: a conversion is worth what its calls earned. */
export const OUTCOME_VALUE = "outcome";

export const AMOUNT = /^\d{1,12}(\.\d{1,6})?$/;

export const MEASUREMENT_ID = /^G-[A-Z0-9]{4,20}$/;

export const PAGE_FILE = PAGES.html.file;
/** Its folder inside the export folder, with a manifest of its own. */
export const PAGE_FOLDER = "report";
/** The file of the page of charts. */
export const chartFileOf = ({ isPrinted }: { isPrinted: boolean }): string =>
  (isPrinted ? PAGES.pdf : PAGES.html).file;

export const EXPLORE_FILE = PAGES.explore.file;
/** Its folder inside the export folder. */
export const EXPLORE_FOLDER = "explore";

/** All accounts on one page, and in a workbook next to it. */
export const OVERVIEW_FILE = "overview.html";
export const OVERVIEW_FOLDER = "overview";
