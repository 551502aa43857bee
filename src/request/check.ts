import { UsageError } from "../base/errors.ts";
import { namesOf } from "../base/records.ts";
import { closedRange } from "../calendar/dates.ts";
import { findUnjudged } from "../figures/change-chance.ts";
import { type Dimension, SPEND_DIMENSIONS } from "../figures/dimensions.ts";
import { OUTCOME_FIGURES, RETURN_FIGURES, SPEND_FIGURES, TIME_FIGURES } from "../figures/metrics.ts";
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
import { ADJUSTMENTS, HYGIENE, isOneFile } from "./option-values.ts";

export interface SourceCan {
  lists: boolean;
  /** Whether it has utm values as served. */
  raw: boolean;
  clickIds: boolean;
}

export interface OutputCan {
  manyFiles: boolean;
  /** Whether the warehouse records what was exported. */
  remembers: boolean;
  mergesAccounts?: boolean;
}

export interface Wording {
  /** Spells an option of a request: `--tracking-number` for `filter.tracking_number`; empty if there is no such option. */
  spell: (option: string) => string;
  /** What to do about a request that is refused. */
  hint: string;
}

/** For requests that users write themselves, as in `calltally.yaml`. */
export const AS_WRITTEN: Wording = {
  spell: (option) => option,
  hint: "Change or leave out one of these options.",
};

/** @throws UsageError that names the first option in conflict with the others, the source or the output */
export function check(request: ExportRequest, can: Can, { spell, hint }: Wording): void {
  const contents = toContents(request, can.source);
  const [why] = refusals(request, contents, can, spell);
  if (why !== undefined) throw new UsageError(why, { hint });
}

interface Can {
  source: SourceCan;
  output: OutputCan;
}

function* refusals(request: ExportRequest, contents: readonly Content[], can: Can, spell: Wording["spell"]) {
  yield* untaken(request, contents, spell);
  const kinds = contents.map(({ kind }) => kind);
  const lists = kinds.filter(isList);
  const dimensions = contents.flatMap((content) => (content.kind === "rollup" ? content.dimensions : []));
  const asked: RequestParts = { request, can, kinds, lists, dimensions, s: spell };
  for (const conflicts of CONFLICTS) yield* conflicts(asked);
  for (const { kind } of contents) {
    const need = CONTENT_OPTIONS[kind].needs?.find((option) => !isGiven(request, option));
    if (need) yield `${kind} needs ${spell(need)}`;
  }
}

/** Options that no requested content takes; file options have to suit every content. */
function* untaken(request: ExportRequest, contents: readonly Content[], spell: Wording["spell"]) {
  const kinds = contents.map(({ kind }) => kind);
  for (const option of OPTIONS.filter((each) => isGiven(request, each))) {
    const others = kinds.filter((kind) => !takes(kind, option)).map(inWords);
    const [page] = kinds.filter(isPage);
    if (page && !takes(page, option)) yield `${spell(option)} does not apply to ${inWords(page)}`;
    const able = KINDS.filter((kind) => takes(kind, option));
    const takers = (able.every(isPage) ? able : able.filter((kind) => !isPage(kind))).map(inWords);
    if (others.length > 0 && FILE_OPTIONS.some((known) => known === option))
      yield `${spell(option)} does not apply to ${others.join(", ")}, which have the platform's fixed CSV format: leave it out`;
    if (others.length === kinds.length)
      yield `${spell(option)} applies only to ${takers.join(", ")}, and none was requested`;
  }
}

const KINDS = namesOf(CONTENT_OPTIONS);
const OPTIONS: readonly Option[] = [...new Set(KINDS.flatMap((kind) => CONTENT_OPTIONS[kind].takes))];
const inWords = (kind: ContentKind) => WORDS[kind] ?? kind;
const WORDS: { [Kind in ContentKind]?: string } = {
  rollup: "rollups",
  page: "the page",
  explore: "the page to explore",
};
const isPage = (kind: ContentKind) => kind === "page" || kind === "explore";
const takes = (kind: ContentKind, option: Option) => CONTENT_OPTIONS[kind].takes.includes(option);

/** Whether an option was given and asks for something: CSV is written anyway. */
function isGiven(request: ExportRequest, option: Option): boolean {
  const [key = "", part] = option.split(".");
  const values: Readonly<Record<string, unknown>> = part === undefined ? request : { ...request.conversion };
  const value = values[part ?? key];
  const asksNothing = value === undefined || value === false || (Array.isArray(value) && value.length === 0);
  return !asksNothing && !(option === "format" && value === "csv");
}

/** A request, and what its conflicts depend on. */
interface RequestParts {
  request: ExportRequest;
  can: Can;
  kinds: readonly ContentKind[];
  lists: readonly ContentKind[];
  dimensions: readonly Dimension[];
  s: Wording["spell"];
}

function* outcomeConflicts({ request, can: { source }, dimensions, s }: RequestParts): Generator<string> {
  const { outcomes, revenue_by, spend, columns = [], min_cell, filter = {}, format } = request;
  const asked = outcomes ? "outcomes" : filter.outcome && "filter.outcome";
  if (asked && !source.lists)
    yield `${s(asked)} cannot be used with ${s("engine")}: outcomes are not published`;
  const figure = columns.find((name) => OUTCOME_FIGURES.includes(name));
  if (figure && !outcomes) yield `${s("columns")} ${figure} needs ${s("outcomes")}`;
  const both = columns.find((name) => RETURN_FIGURES.includes(name));
  if (both && !spend) yield `${s("columns")} ${both} needs ${s("spend")}`;
  if (revenue_by === undefined || revenue_by === "call") return;
  if (format === "explore")
    yield `${s("revenue_by")} ${revenue_by} does not apply to the page to explore: it counts outcomes in the period of their call`;
  if (!outcomes && format !== "html") yield `${s("revenue_by")} needs ${s("outcomes")}`;
  const local = dimensions.find((name) => name === "weekday" || name === "hour");
  if (local) yield `${s("revenue_by")} ${revenue_by} cannot be used with ${local}, which is of the call`;
  if (min_cell !== undefined)
    yield `${s("revenue_by")} ${revenue_by} adds rows of jobs without calls: not with ${s("min_cell")}`;
  if (columns.includes("revenue_per_call"))
    yield `${s("columns")} revenue_per_call cannot be used with ${s("revenue_by")} ${revenue_by}: the calls of a period are not those of its jobs`;
}

function* mergeConflicts({ request, can, s }: RequestParts): Generator<string> {
  const { format = "csv", columns = [], contents: named = [] } = request;
  if (!can.output.mergesAccounts) return;
  const apart = (["total", "fill", "top", "min_cell"] as const).find((option) => isGiven(request, option));
  if (apart) yield `${s(apart)} is for one account: callers are not merged across accounts`;
  if (isOneFile(format))
    yield `${s("format")} ${format} is for one account: all of its tables are based on one warehouse`;
  if (named.length > 0) yield `${s("by")} with account writes one file; leave out ${named.join(" ")}`;
  if (columns.length > 0 && !columns.includes("calls"))
    yield `${s("columns")} needs calls when accounts are merged: the rows are sorted by them`;
}

function* sharingConflicts({ request, lists, s }: RequestParts): Generator<string> {
  const { min_cell, contents: named = [], by = [], columns = [], filter = {}, top, fill, spend } = request;
  const { format } = request;
  if (min_cell === undefined) return;
  const isShared = `${s("min_cell")} writes files that may be shared`;
  const unshared = [...named, ...by].filter((name) => name !== HYGIENE && !isList(name) && isUnshared(name));
  const time = columns.find((name) => TIME_FIGURES.includes(name));
  if (named.includes(HYGIENE))
    yield `${s("min_cell")} is for figures: ${HYGIENE} also lists tags of few calls`;
  if (lists.length > 0)
    yield `${s("min_cell")} is for figures: each row of ${lists.join(" and ")} is one call or caller`;
  if (unshared.length > 0)
    yield `${isShared}, and ${unshared.join(" and ")} in them would identify clicks or numbers`;
  if (filter.tracking_number)
    yield `${isShared}, and the manifest would contain the number of ${s("filter.tracking_number")}`;
  if (request.rows) yield `${s("min_cell")} is for figures, and ${s("rows")} lists single calls`;
  if (format === "explore" && by.includes("hour"))
    yield `${s("min_cell")} groups calls by day: leave hour out of ${s("by")}`;
  if (format === "explore" && request.outcomes)
    yield `${s("min_cell")} leaves outcomes out of the page to explore: leave out ${s("outcomes")}`;
  if (top) yield `${s("min_cell")} and ${s("top")} both fold rows into (other): use one or the other`;
  if (fill)
    yield `${s("fill")} would write 0 for rows that ${s("min_cell")} folds into (other): leave one of them out`;
  if (spend)
    yield `${s("spend")} adds rows of costs without calls, and costs per call would reveal small numbers of calls: not with ${s("min_cell")}`;
  if (time) yield `${s("columns")} ${time} is the time of a single call: not with ${s("min_cell")}`;
}

function* figureConflicts({ request, can, kinds, dimensions, s }: RequestParts): Generator<string> {
  const { by = [], format = "csv", range, grain, compare, fill, spend, columns = [], top } = request;
  const { profile, delimiter } = request;
  if (request.chance && !compare) yield `${s("chance")} needs ${s("compare")}: it judges changes`;
  const unjudged = request.chance && findUnjudged(columns);
  if (unjudged) yield `${s("chance")} of ${unjudged.rate} needs ${unjudged.whole} among ${s("columns")}`;
  if (fill && !grain) yield `${s("fill")} needs ${s("grain")}: it fills periods`;
  const isClosed = range?.last !== undefined || closedRange(range) !== undefined;
  const last = s("range.last");
  const closed = `${s("range.from")} and ${s("range.to")}${last === "" ? "" : `, or ${last}`}: it compares with a period of the same length`;
  if (format === "html") {
    if (request.contents) yield `${s("format")} html is a page of its own: leave out ${s("contents")}`;
    if (request.by) yield `${s("format")} html is a page of its own: leave out ${s("by")}`;
    if (range && !isClosed) yield `A report needs ${closed}`;
  } else if (format === "explore") {
    if (request.with && !request.rows) yield `${s("with")} needs ${s("rows")}: it adds columns to the calls`;
    if (request.contents) yield `${s("format")} explore is a page of its own: leave out ${s("contents")}`;
    if (request.filter?.tracking_number)
      yield `The page to explore would contain the number of ${s("filter.tracking_number")}`;
    const unshared = by.find(isUnshared);
    if (unshared) yield `The page to explore has no ${unshared}, which identifies clicks or numbers`;
    if (!can.source.lists)
      yield `The page to explore cannot be made with ${s("engine")}: the cluster computes figures, but not lists`;
  } else if (compare && !isClosed) yield `${s("compare")} needs ${closed}`;
  const twice = by.find((name, index) => by.indexOf(name) !== index);
  if (twice) yield `${s("by")} has ${twice} twice`;
  if (top && dimensions.length === 0 && kinds.includes("rollup"))
    yield `${s("top")} needs ${s("by")}: it keeps keys of dimensions`;
  const costless = dimensions.find((name) => !SPEND_DIMENSIONS.includes(name));
  if (spend && costless)
    yield `${s("spend")} applies only to ${SPEND_DIMENSIONS.join(", ")}, not to ${costless}`;
  const cost = columns.find((name) => SPEND_FIGURES.includes(name));
  if (cost && !spend) yield `${s("columns")} ${cost} needs ${s("spend")}`;
  if (profile && format !== "csv") yield `${s("profile")} is for csv`;
  if (delimiter && format !== "csv") yield `${s("delimiter")} is for csv`;
}

/** A call that no longer matches would be missed. */
function* changeConflicts({ request, kinds, s }: RequestParts): Generator<string> {
  const { changed_since, range = {}, filter: { include_gone: _, allow_empty: __, ...filter } = {} } = request;
  if (changed_since === undefined) return;
  const others = kinds.filter((kind) => kind !== "calls");
  if (others.length > 0)
    yield `${s("changed_since")} lists calls: leave out ${others.map(inWords).join(", ")}`;
  if (request.profile === "excel")
    yield `${s("changed_since")} is for programs, and ${s("profile")} excel changes texts and times for Excel: leave it out`;
  for (const [group, options] of Object.entries({ range, filter })) {
    const given = Object.entries(options).find(([, value]) => value !== undefined && value !== false);
    if (given)
      yield `${s("changed_since")} cannot be used with ${s(`${group}.${given[0]}`)}: a call that no longer matches would be missed`;
  }
}

function* conversionConflicts({ request, can, kinds, s }: RequestParts): Generator<string> {
  const { range, filter = {}, conversion = {} } = request;
  const adjusts = kinds.includes(ADJUSTMENTS);
  if (!can.output.remembers) {
    if (conversion.new)
      yield `${s("conversion.new")} records what it writes, and ${s("stdout")} records nothing: use one or the other`;
    if (adjusts)
      yield `${ADJUSTMENTS} records what it writes, and ${s("stdout")} records nothing: leave it out`;
  }
  if (adjusts && conversion.value !== undefined && Number(conversion.value) === 0)
    yield `${s("conversion.value")} 0 cannot be restated: Google Ads removes such a conversion, and accepts no further adjustment`;
  const { exclude_callers: _, include_gone: __, allow_empty: ___, ...selecting } = filter;
  const isSelected = Object.values({ ...selecting, ...range }).some(Boolean);
  if (adjusts && kinds.length === 1 && isSelected)
    yield `${ADJUSTMENTS} looks at all uploaded conversions: remove date and call filters; ${s("filter.exclude_callers")} and ${s("filter.include_gone")} are allowed`;
  if (conversion.name !== undefined && kinds.includes("ga4-events") && !toEventName(conversion.name))
    yield `${s("conversion.name")} ${conversion.name} gives no valid event name of Google Analytics: up to 40 letters, digits and _, a letter first, not beginning with ga_, google_ or firebase_`;
}

function* placeConflicts({
  request,
  can: { source, output },
  kinds,
  dimensions,
  s,
}: RequestParts): Generator<string> {
  const { format = "csv", raw } = request;
  if (!output.manyFiles && !output.mergesAccounts && kinds.length > 1 && !isOneFile(format))
    yield `${s("stdout")} writes one file, but ${kinds.length} were requested: name one, or use ${s("format")} xlsx or sqlite`;
  if (!source.raw && raw)
    yield `${s("raw")} cannot be used with ${s("engine")}: utm values are not published as stored`;
  const unread = kinds.filter((kind) => isList(kind) || kind === HYGIENE);
  if (!source.lists && unread.length > 0)
    yield `${unread.join(", ")} cannot be read with ${s("engine")}: the cluster computes figures, but not lists`;
  if (!source.clickIds && dimensions.includes("gclid"))
    yield `gclid cannot be read with ${s("engine")}: keyed digests of click ids were published. Publish with CALLTALLY_PUBLISH_PERSONAL_DATA=true, or read the warehouse`;
}

/** Conflicts that `takes` and `needs` cannot express; the first is reported. */
const CONFLICTS = [
  mergeConflicts,
  sharingConflicts,
  figureConflicts,
  outcomeConflicts,
  changeConflicts,
  conversionConflicts,
  placeConflicts,
];
