import { UsageError } from "../base/errors.ts";
import { namesOf, SPEND_DIMENSIONS } from "../rollup/dimensions.ts";
import { SPEND_FIGURES, TIME_FIGURES } from "../rollup/metrics.ts";
import {
  CONTENT_OPTIONS,
  type Content,
  type ContentKind,
  FILE_OPTIONS,
  isList,
  isUnshared,
  type Option,
  toContents,
} from "./contents.ts";
import { toEventName } from "./event-name.ts";
import type { ExportRequest } from "./export-request.ts";
import { ADJUSTMENTS } from "./option-values.ts";

/** What can be read where the figures are. */
export interface SourceCan {
  /** Whether it has the calls themselves. */
  lists: boolean;
  /** Whether it has utm values as they are stored. */
  raw: boolean;
  clickIds: boolean;
}

/** What becomes of the files. */
export interface OutputCan {
  manyFiles: boolean;
  /** Whether the warehouse remembers what was written. */
  remembers: boolean;
  /** Whether the figures of several accounts are put into one table. */
  mergesAccounts?: boolean;
}

/** How options are spelled. */
export interface Wording {
  /** Returns the spelling of an option of a request: `--tracking-number` for `filter.tracking_number`. Empty where there is no such option. */
  spell: (option: string) => string;
  /** Where all options are explained. */
  hint?: string;
}

/** The wording of who writes a request itself, as in `calltally.yaml`. */
export const AS_WRITTEN: Wording = { spell: (option) => option };

/**
 * Refuses a request whose options do not go together, or that a source or an output cannot do.
 *
 * @throws UsageError that names the first such option
 */
export function check(
  request: ExportRequest,
  can: { source: SourceCan; output: OutputCan },
  { spell, hint }: Wording,
): void {
  const contents = toContents(request, can.source);
  const refusals = [
    ...untaken(request, contents, spell),
    ...conflicts(request, contents, { ...can, spell }),
    ...missing(request, contents, spell),
  ];
  const refused = refusals.find(([isRefused]) => isRefused);
  if (refused) throw new UsageError(refused[1], { hint });
}

type Refusal = [isRefused: unknown, why: string];

/** Options that no requested content takes; those of files have to suit every content. */
function untaken(request: ExportRequest, contents: readonly Content[], spell: Wording["spell"]): Refusal[] {
  const kinds = contents.map(({ kind }) => kind);
  return OPTIONS.filter((option) => isGiven(request, option)).flatMap((option): Refusal[] => {
    const others = kinds.filter((kind) => !takes(kind, option)).map(inWords);
    const takers = KINDS.filter((kind) => kind !== "page" && takes(kind, option)).map(inWords);
    const shapesFiles = FILE_OPTIONS.some((known) => known === option);
    return [
      [
        shapesFiles && others.length > 0,
        `${spell(option)} does not apply to ${others.join(", ")}, written in the fixed CSV format of the platform: leave it out`,
      ],
      [
        others.length === kinds.length,
        `${spell(option)} applies only to ${takers.join(", ")}, and none was requested`,
      ],
    ];
  });
}

function missing(request: ExportRequest, contents: readonly Content[], spell: Wording["spell"]): Refusal[] {
  return contents.flatMap(({ kind }) =>
    (CONTENT_OPTIONS[kind].needs ?? []).map(
      (need): Refusal => [!isGiven(request, need), `${kind} needs ${spell(need)}`],
    ),
  );
}

const KINDS = namesOf(CONTENT_OPTIONS);
const OPTIONS: readonly Option[] = [...new Set(KINDS.flatMap((kind) => CONTENT_OPTIONS[kind].takes))];
const inWords = (kind: ContentKind) => (kind === "rollup" ? "rollups" : kind === "page" ? "the page" : kind);
const takes = (kind: ContentKind, option: Option) => CONTENT_OPTIONS[kind].takes.includes(option);

/** Whether an option is there and asks for something: CSV is written anyway. */
function isGiven(request: ExportRequest, option: Option): boolean {
  const [key, part] = option.split(".");
  const values: Readonly<Record<string, unknown>> = {
    ...(part === undefined ? request : request.conversion),
  };
  const value = values[part ?? key ?? ""];
  const asksNothing = value === undefined || value === false || (Array.isArray(value) && value.length === 0);
  return !asksNothing && !(option === "format" && value === "csv");
}

/** What `takes` and `needs` cannot express. */
function conflicts(
  request: ExportRequest,
  contents: readonly Content[],
  { source, output, spell: s }: { source: SourceCan; output: OutputCan } & Pick<Wording, "spell">,
): Refusal[] {
  const {
    by = [],
    format = "csv",
    range,
    grain,
    compare,
    fill,
    raw,
    spend,
    columns = [],
    top,
    filter = {},
  } = request;
  const { profile, delimiter, conversion = {} } = request;
  const { mergesAccounts = false } = output;
  const isShared = request.min_cell !== undefined;
  const named = request.contents ?? [];
  const kinds = contents.map(({ kind }) => kind);
  const lists = kinds.filter(isList);
  const dimensions = contents.flatMap((content) => (content.kind === "rollup" ? content.dimensions : []));
  const unshared = [...named, ...by].filter((name) => !isList(name) && isUnshared(name));
  const costless = dimensions.find((name) => !SPEND_DIMENSIONS.includes(name));
  const twice = by.find((name, index) => by.indexOf(name) !== index);
  const time = columns.find((name) => TIME_FIGURES.includes(name));
  const cost = columns.find((name) => SPEND_FIGURES.includes(name));
  const apart = (["total", "fill", "top", "min_cell"] as const).find((option) => isGiven(request, option));
  const isClosed = range?.last !== undefined || (range?.from !== undefined && range.to !== undefined);
  const last = s("range.last");
  const closed = `${s("range.from")} and ${s("range.to")}${last === "" ? "" : `, or ${last}`}: it compares with a period of the same length`;
  const adjusts = kinds.includes(ADJUSTMENTS);
  const { exclude_callers: _, include_gone: __, allow_empty: ___, ...selecting } = filter;
  const selected = Object.entries({ ...selecting, ...range }).filter(([, value]) => value);
  const isNoEvent = conversion.name !== undefined && toEventName(conversion.name) === undefined;
  return [
    [mergesAccounts && apart, `${s(apart ?? "")} is for one account: callers are not merged across accounts`],
    [
      mergesAccounts && format === "xlsx",
      `${s("format")} xlsx is for one account: each of its sheets is based on one warehouse`,
    ],
    [
      mergesAccounts && named.length > 0,
      `${s("by")} with account writes one file; leave out ${named.join(" ")}`,
    ],
    [
      mergesAccounts && columns.length > 0 && !columns.includes("calls"),
      `${s("columns")} needs calls where accounts are put together: the rows are sorted by them`,
    ],
    [
      isShared && lists.length > 0,
      `${s("min_cell")} is for figures: each row of ${lists.join(" and ")} is of one call or caller`,
    ],
    [
      isShared && unshared.length > 0,
      `${s("min_cell")} writes files that may be shared, and ${unshared.join(" and ")} in them would name clicks or numbers`,
    ],
    [
      isShared && filter.tracking_number,
      `${s("min_cell")} writes files that may be shared, and the manifest would hold the number of ${s("filter.tracking_number")}`,
    ],
    [isShared && top, `${s("min_cell")} and ${s("top")} both put rows into (other): use one or the other`],
    [
      isShared && fill,
      `${s("fill")} would write 0 for rows that ${s("min_cell")} puts into (other): leave one of them out`,
    ],
    [
      isShared && spend,
      `${s("spend")} adds rows of costs without calls, and costs per call show how few calls there were: not with ${s("min_cell")}`,
    ],
    [isShared && time, `${s("columns")} ${time} is the time of a single call: not with ${s("min_cell")}`],
    [fill && !grain, `${s("fill")} needs ${s("grain")}: it fills periods`],
    [
      format === "html" && request.contents,
      `${s("format")} html is a page of its own: leave out ${s("contents")}`,
    ],
    [format === "html" && request.by, `${s("format")} html is a page of its own: leave out ${s("by")}`],
    [compare && !isClosed && format !== "html", `${s("compare")} needs ${closed}`],
    [format === "html" && range && !isClosed, `A report needs ${closed}`],
    [twice, `${s("by")} has ${twice} twice`],
    [
      top && dimensions.length === 0 && kinds.includes("rollup"),
      `${s("top")} needs ${s("by")}: it keeps keys of dimensions`,
    ],
    [
      spend && costless,
      `${s("spend")} applies to ${SPEND_DIMENSIONS.join(", ")}, and not to ${costless}: ad costs are known only for these`,
    ],
    [cost && !spend, `${s("columns")} ${cost} needs ${s("spend")}`],
    [profile && format !== "csv" && format !== "tsv", `${s("profile")} is for csv and tsv`],
    [delimiter && format !== "csv", `${s("delimiter")} is for csv`],
    [
      !output.remembers && conversion.new,
      `${s("conversion.new")} remembers what it writes, and ${s("stdout")} remembers nothing: use one or the other`,
    ],
    [
      !output.remembers && adjusts,
      `${ADJUSTMENTS} remembers what it writes, and ${s("stdout")} remembers nothing: leave it out`,
    ],
    [
      adjusts && conversion.value !== undefined && Number(conversion.value) === 0,
      `${s("conversion.value")} 0 cannot be restated: Google Ads removes such a conversion, and takes no further adjustment of it`,
    ],
    [
      adjusts && kinds.length === 1 && selected.length > 0,
      `${ADJUSTMENTS} looks at all uploaded conversions: remove date and call filters; ${s("filter.exclude_callers")} and ${s("filter.include_gone")} are allowed`,
    ],
    [
      conversion.currency && conversion.value === undefined,
      `${s("conversion.currency")} needs ${s("conversion.value")}`,
    ],
    [
      isNoEvent && kinds.includes("ga4-events"),
      `${s("conversion.name")} ${conversion.name} makes no name of an event of Google Analytics: up to 40 letters, digits and _, a letter first, not beginning with ga_, google_ or firebase_`,
    ],
    [
      !output.manyFiles && !mergesAccounts && kinds.length > 1 && format !== "xlsx",
      `${s("stdout")} writes one file, and ${kinds.length} were requested: name one, or use ${s("format")} xlsx`,
    ],
    [
      !source.raw && raw,
      `${s("raw")} is not for ${s("engine")}: utm values as they are stored are not published`,
    ],
    [
      !source.lists && lists.length > 0,
      `${lists.join(", ")} cannot be read with ${s("engine")}: the cluster computes figures, and has no lists`,
    ],
    [
      !source.clickIds && dimensions.includes("gclid"),
      `gclid cannot be read with ${s("engine")}: keyed digests of click ids were published. Publish with CALLTALLY_PUBLISH_PERSONAL_DATA=true, or ask the warehouse`,
    ],
  ];
}
