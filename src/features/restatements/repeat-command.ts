import { shellWord } from "../../base/text/shell-word.ts";
import type { Content } from "../../config/request/contents.ts";
import { UPLOADS } from "../../config/request/conversion-kinds.ts";
import { flagOf, OPTIONS } from "../../config/request/options.ts";
import type { Ask } from "../../config/request/resolve.ts";

type Options = Record<string, unknown>;

/** Returns the words after `calltally` that write the same file again, without folder, zone and account. */
export function repeatCommand(ask: Ask): string {
  const isPage = ask.contents.some(({ kind }) => kind === "page");
  const words = isPage ? ["report"] : ["export", ...ask.contents.flatMap(nameOf)];
  const flags = Object.entries({ ...optionsOf(ask), ...(isPage ? {} : tableOptionsOf(ask)) }).flatMap(
    ([option, value]) => toFlags(flagOf(option), value),
  );
  return [...words.map(shellWord), ...flags].join(" ");
}

/** Conversions are left out: a second upload would count them twice. */
function nameOf(content: Content): string[] {
  if (content.kind === "rollup") return content.dimensions.length === 1 ? [...content.dimensions] : [];
  return UPLOADS.some((upload) => upload === content.kind) ? [] : [content.kind];
}

function optionsOf(ask: Ask): Options {
  const { range, filter, isEmptyAllowed, grain, compare, spend, outcomes, revenueBy } = ask;
  const { exclude_callers, ...others } = filter;
  return {
    "range.from": range?.from,
    "range.to": range?.to,
    grain,
    compare: compare.map(({ as }) => as),
    spend: spend === true,
    outcomes: outcomes === true,
    revenue_by: revenueBy === OPTIONS.revenue_by.default ? undefined : revenueBy,
    ...Object.fromEntries(Object.entries(others).map(([name, value]) => [`filter.${name}`, value])),
    // Their numbers belong in no command.
    "filter.exclude_callers": exclude_callers && "FILE",
    "filter.allow_empty": isEmptyAllowed,
  };
}

function tableOptionsOf({
  contents,
  chance,
  versus,
  fill,
  total,
  columns,
  with: columnsOfCalls,
  format,
}: Ask): Options {
  const by = contents.find((content) => content.kind === "rollup" && content.dimensions.length !== 1);
  const { profile, delimiter } = { profile: undefined, delimiter: undefined, ...format };
  return {
    by: by?.kind === "rollup" && by.dimensions.length > 0 ? by.dimensions.join() : undefined,
    chance,
    versus,
    fill,
    total,
    columns: columns?.join(),
    with: columnsOfCalls?.join() || undefined,
    format: format.format === OPTIONS.format.default ? undefined : format.format,
    profile,
    delimiter: delimiter === "\t" ? "tab" : delimiter,
  };
}

function toFlags(flag: string, value: unknown): string[] {
  if (value === undefined || value === false) return [];
  if (value === true) return [flag];
  return [value].flat().map((each) => `${flag} ${shellWord(String(each))}`);
}
