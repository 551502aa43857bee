import { UsageError } from "../errors.ts";
import { SPEND_DIMENSIONS } from "../rollup/dimensions.ts";
import { SPEND_FIGURES, TIME_FIGURES } from "../rollup/metrics.ts";
import { ADJUSTMENTS } from "./choices.ts";
import {
  CONTENT_OPTIONS,
  type ContentKind,
  FILE_OPTIONS,
  isList,
  isUnshared,
  type Option,
  toContents,
} from "./contents.ts";
import { toEventName } from "./event-name.ts";
import type { ExportRequest } from "./export-request.ts";

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

/** How whoever asks spells options. */
export interface Wording {
  /** Returns the spelling of an option of a request: `--tracking-number` for `filter.tracking_number`. Empty where there is no such option. */
  spell: (option: string) => string;
  /** Where all options are explained. */
  hint?: string;
}

interface Facts {
  request: ExportRequest;
  kinds: readonly ContentKind[];
  /** Names of the contents that are lists. */
  lists: readonly string[];
  dimensions: readonly (readonly string[])[];
  source: SourceCan;
  output: OutputCan;
  spell: Wording["spell"];
}

/**
 * Refuses a request whose options do not go together, or that a source or an output cannot do.
 *
 * @throws UsageError that names the first such option
 */
export function check(
  request: ExportRequest,
  { source, output }: { source: SourceCan; output: OutputCan },
  { spell, hint }: Wording,
): void {
  const contents = toContents(request, source);
  const kinds = contents.map(({ kind }) => kind);
  const dimensions = contents.flatMap((content) => (content.kind === "rollup" ? [content.dimensions] : []));
  const facts = { request, kinds, lists: kinds.filter(isList), dimensions, source, output, spell };
  for (const refuse of [...CONFLICTS, refuseUntaken, refuseMissing]) {
    const message = refuse(facts);
    if (message) throw new UsageError(message, { hint });
  }
}

/** Refuses what would do nothing, or not shape every file. */
function refuseUntaken({ request, kinds, spell }: Facts): string | undefined {
  for (const option of OPTIONS.filter((each) => isGiven(request, each))) {
    const others = kinds.filter((kind) => !takes(kind, option));
    const mustAll = FILE_OPTIONS.some((shaping) => shaping === option);
    if (mustAll && others.length > 0) {
      return `${spell(option)} does not apply to ${others.map(inWords).join(", ")}, which ${others.length === 1 ? "has a fixed format" : "have fixed formats"}`;
    }
    if (others.length < kinds.length) continue;
    const takers = KINDS.filter((kind) => takes(kind, option)).map(inWords);
    return `${spell(option)} applies only to ${takers.join(", ")}, and none was requested`;
  }
  return undefined;
}

function refuseMissing({ request, kinds, spell }: Facts): string | undefined {
  for (const kind of kinds) {
    const missing = CONTENT_OPTIONS[kind].needs?.find((need) => !isGiven(request, need));
    if (missing !== undefined) return `${kind} needs ${spell(missing)}`;
  }
  return undefined;
}

const KINDS = Object.keys(CONTENT_OPTIONS).filter((kind): kind is ContentKind => kind in CONTENT_OPTIONS);
const OPTIONS: readonly Option[] = [...new Set(KINDS.flatMap((kind) => CONTENT_OPTIONS[kind].takes))];
const inWords = (kind: ContentKind) => (kind === "rollup" ? "rollups" : kind === "page" ? "the page" : kind);
const takes = (kind: ContentKind, option: Option) => CONTENT_OPTIONS[kind].takes.includes(option);

/** What is given as what it is anyway changes nothing. */
function isGiven(request: ExportRequest, option: Option): boolean {
  const values: Readonly<Record<string, unknown>> = {
    ...request,
    ...Object.fromEntries(
      Object.entries(request.conversion ?? {}).map(([key, value]) => [`conversion.${key}`, value]),
    ),
  };
  const value = values[option];
  return value !== undefined && value !== false && !(option === "format" && value === "csv");
}

/** What `takes` and `needs` cannot express; each returns why it refuses. */
const CONFLICTS: readonly ((facts: Facts) => string | false | undefined)[] = [
  ({ request, output, spell }) => {
    const apart = (["total", "fill", "top", "min_cell"] as const).find((key) => isGiven(request, key));
    if (output.mergesAccounts && apart !== undefined)
      return `${spell(apart)} is for one account: callers are not merged across accounts`;
    return (
      output.mergesAccounts &&
      request.format === "xlsx" &&
      `${spell("format")} xlsx is for one account: each of its sheets is based on one warehouse`
    );
  },
  ({ request: { contents = [] }, output, spell }) =>
    output.mergesAccounts &&
    contents.length > 0 &&
    `${spell("by")} with account writes one file; leave out ${contents.join(" ")}`,
  ({ request: { columns }, output, spell }) =>
    output.mergesAccounts &&
    columns?.includes("calls") === false &&
    `${spell("columns")} needs calls where accounts are put together: the rows are sorted by them`,
  ({ request: { min_cell }, lists, spell }) =>
    min_cell !== undefined &&
    lists.length > 0 &&
    `${spell("min_cell")} is for figures: each row of ${lists.join(" and ")} is of one call or caller`,
  ({ request: { min_cell, contents = [], by = [] }, spell }) => {
    const named = [...contents, ...by].filter((name) => !isList(name) && isUnshared(name));
    return (
      min_cell !== undefined &&
      named.length > 0 &&
      `${spell("min_cell")} writes files that may be shared, and ${named.join(" and ")} in them would name clicks or numbers`
    );
  },
  ({ request: { min_cell, filter }, spell }) =>
    min_cell !== undefined &&
    filter?.tracking_number !== undefined &&
    `${spell("min_cell")} writes files that may be shared, and the manifest would hold the number of ${spell("filter.tracking_number")}`,
  ({ request: { min_cell, top }, spell }) =>
    min_cell !== undefined &&
    top !== undefined &&
    `${spell("min_cell")} and ${spell("top")} both put rows into (other): use one or the other`,
  ({ request: { min_cell, fill }, spell }) =>
    min_cell !== undefined &&
    fill &&
    `${spell("fill")} would write 0 for rows that ${spell("min_cell")} puts into (other): leave one of them out`,
  ({ request: { min_cell, spend }, spell }) =>
    min_cell !== undefined &&
    spend &&
    `${spell("spend")} adds rows of costs without calls, and costs per call show how few calls there were: not with ${spell("min_cell")}`,
  ({ request: { min_cell, columns = [] }, spell }) => {
    const time = columns.find((name) => TIME_FIGURES.includes(name));
    return (
      min_cell !== undefined &&
      time !== undefined &&
      `${spell("columns")} ${time} is the time of a single call: not with ${spell("min_cell")}`
    );
  },
  ({ request: { fill, grain }, spell }) =>
    fill && grain === undefined && `${spell("fill")} needs ${spell("grain")}: it fills periods`,
  ({ request: { format, contents, by }, spell }) => {
    const unheard = [...(contents === undefined ? [] : ["contents"]), ...(by === undefined ? [] : ["by"])];
    return (
      format === "html" &&
      unheard.length > 0 &&
      `${spell("format")} html is a page of its own: leave out ${unheard.map(spell).join(", ")}`
    );
  },
  ({ request, spell }) =>
    request.compare !== undefined &&
    !isClosed(request) &&
    `${spell("compare")} needs ${closedRange(spell)}: it compares with a period of the same length`,
  ({ request, spell }) =>
    request.format === "html" &&
    request.range !== undefined &&
    !isClosed(request) &&
    `A report needs ${closedRange(spell)}: it compares with a period of the same length`,
  ({ request: { by = [] }, spell }) => {
    const twice = by.find((name, index) => by.indexOf(name) !== index);
    return twice !== undefined && `${spell("by")} has ${twice} twice`;
  },
  ({ request: { top }, dimensions, spell }) =>
    top !== undefined &&
    dimensions.some(({ length }) => length === 0) &&
    `${spell("top")} needs ${spell("by")}: it keeps keys of dimensions`,
  ({ request: { spend }, dimensions, spell }) => {
    const costless = dimensions.flat().find((name) => !SPEND_DIMENSIONS.some((known) => known === name));
    return (
      spend &&
      costless !== undefined &&
      `${spell("spend")} applies to ${SPEND_DIMENSIONS.join(", ")}, and not to ${costless}: what ads cost is known by these alone`
    );
  },
  ({ request: { spend, columns = [] }, spell }) => {
    const cost = columns.find((name) => SPEND_FIGURES.includes(name));
    return !spend && cost !== undefined && `${spell("columns")} ${cost} needs ${spell("spend")}`;
  },
  ({ request: { profile, format = "csv" }, spell }) =>
    profile !== undefined && format !== "csv" && format !== "tsv" && `${spell("profile")} is for csv and tsv`,
  ({ request: { delimiter, format = "csv" }, spell }) =>
    delimiter !== undefined && format !== "csv" && `${spell("delimiter")} is for csv`,
  ({ request: { conversion }, output, spell }) =>
    !output.remembers &&
    conversion?.new &&
    `${spell("conversion.new")} remembers what it writes, and ${spell("stdout")} remembers nothing: use one or the other`,
  ({ kinds, output, spell }) =>
    !output.remembers &&
    kinds.includes(ADJUSTMENTS) &&
    `${ADJUSTMENTS} remembers what it writes, and ${spell("stdout")} remembers nothing: leave it out`,
  ({ request: { conversion }, kinds, spell }) =>
    kinds.includes(ADJUSTMENTS) &&
    conversion?.value !== undefined &&
    Number(conversion.value) === 0 &&
    `${spell("conversion.value")} 0 cannot be restated: Google Ads removes such a conversion, and takes no further adjustment of it`,
  ({ request, kinds, spell }) => {
    const { exclude_callers: _, include_gone: __, allow_empty: ___, ...selecting } = request.filter ?? {};
    const given = [
      ...Object.entries(request.range ?? {}).map(([key, value]) => [`range.${key}`, value] as const),
      ...Object.entries(selecting).map(([key, value]) => [`filter.${key}`, value] as const),
    ].filter(([, value]) => value !== undefined && value !== false);
    const isAlone = kinds.length > 0 && kinds.every((kind) => kind === ADJUSTMENTS);
    return (
      isAlone &&
      given.length > 0 &&
      `${ADJUSTMENTS} looks at all uploaded conversions: leave out ${given.map(([key]) => spell(key)).join(", ")}`
    );
  },
  ({ request: { conversion }, spell }) =>
    conversion?.currency !== undefined &&
    conversion.value === undefined &&
    `${spell("conversion.currency")} needs ${spell("conversion.value")}`,
  ({ request: { conversion }, kinds, spell }) => {
    const { name } = conversion ?? {};
    return (
      name !== undefined &&
      kinds.includes("ga4-events") &&
      toEventName(name) === undefined &&
      `${spell("conversion.name")} ${name} makes no name of an event of Google Analytics, which takes up to 40 letters, digits and _, a letter first, and not ga_, google_ or firebase_ at the beginning`
    );
  },
  ({ request: { format }, kinds, output, spell }) =>
    !output.manyFiles &&
    !output.mergesAccounts &&
    kinds.length > 1 &&
    format !== "xlsx" &&
    `${spell("stdout")} writes one file, and ${kinds.length} were requested: name one, or use ${spell("format")} xlsx`,
  ({ request: { raw }, source, spell }) =>
    !source.raw &&
    raw &&
    `${spell("raw")} is not for ${spell("engine")}: utm values as they are stored are not published`,
  ({ lists, source, spell }) =>
    !source.lists &&
    lists.length > 0 &&
    `${lists.join(", ")} ${lists.length === 1 ? "is" : "are"} not for ${spell("engine")}: the cluster computes figures, and has no lists`,
  ({ dimensions, source, spell }) =>
    !source.clickIds &&
    dimensions.some((names) => names.includes("gclid")) &&
    `gclid cannot be read with ${spell("engine")}: keyed digests of click ids were published. Publish with CALLTALLY_PUBLISH_PERSONAL_DATA=true, or ask the warehouse`,
];

/** The options that close a range at both ends. */
function closedRange(spell: Wording["spell"]): string {
  const last = spell("range.last");
  return `${spell("range.from")} and ${spell("range.to")}${last === "" ? "" : `, or ${last}`}`;
}

function isClosed({ range }: ExportRequest): boolean {
  return range?.last !== undefined || (range?.from !== undefined && range.to !== undefined);
}
