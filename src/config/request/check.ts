import { UsageError } from "../../base/errors.ts";
import type { OutputCan, SourceCan } from "./can.ts";
import { type Content, isList, toContents } from "./contents.ts";
import type { ExportRequest } from "./export-request.ts";
import type { OptionRow } from "./option-row.ts";
import { CONTENT_KINDS, type ContentKind, inWords, PAGE_KINDS } from "./option-values.ts";
import { ALL_OPTIONS } from "./options.ts";
import { findRefusals, isGiven, type Spell } from "./refusals/refusal.ts";
import { REFUSALS } from "./refusals/refusals.ts";

export interface Wording {
  /** Spells an option of a request: `--tracking-number` for `filter.tracking_number`; empty if there is no such option. */
  spell: Spell;
  /** What to do about a request that is refused. */
  hint: string;
}

/** For requests that users write themselves, as in `calltally.yaml`. */
export const AS_WRITTEN: Wording = {
  spell: (option) => option,
  hint: "Change or leave out one of these options.",
};

interface Can {
  source: SourceCan;
  output: OutputCan;
}

/** @throws UsageError that names the first option in conflict with the others, the source or the output */
export function check(request: ExportRequest, can: Can, { spell, hint }: Wording): void {
  const contents = toContents(request, can.source);
  const [why] = refusals(request, contents, can, spell);
  if (why !== undefined) throw new UsageError(why, { hint });
}

function* refusals(request: ExportRequest, contents: readonly Content[], can: Can, spell: Spell) {
  const kinds = contents.map(({ kind }) => kind);
  const rows = [...ALL_OPTIONS].filter(([name]) => isGiven(request, name));
  for (const [name, row] of rows) yield* untaken(spell(name), row, kinds);
  const lists = kinds.filter(isList);
  const rollups = contents.flatMap((content) => (content.kind === "rollup" ? [content.dimensions] : []));
  const parts = { request, ...can, kinds, lists, rollups, dimensions: rollups.flat(), spell };
  for (const { text } of findRefusals(REFUSALS.request, parts, { options: request, spell })) yield text;
  for (const kind of kinds) {
    const isMissing = ([name, { neededBy }]: [string, OptionRow]) =>
      neededBy?.includes(kind) && !isGiven(request, name);
    const [need] = [...ALL_OPTIONS].find(isMissing) ?? [];
    if (need) yield `${kind} needs ${spell(need)}`;
  }
}

/** Says why an option does not apply to what is requested; options of every file have to suit every content. */
function* untaken(option: string, { takenBy, isOfEveryFile }: OptionRow, kinds: readonly ContentKind[]) {
  if (takenBy === undefined) return;
  const others = kinds.filter((kind) => !takenBy.includes(kind)).map(inWords);
  const page = kinds.find(isPage);
  if (page && !takenBy.includes(page)) yield `${option} does not apply to ${inWords(page)}`;
  if (others.length > 0 && isOfEveryFile)
    yield `${option} does not apply to ${others.join(", ")}, which have the platform's fixed CSV format: leave it out`;
  if (others.length < kinds.length) return;
  const able = CONTENT_KINDS.filter((kind) => takenBy.includes(kind));
  const takers = able.every(isPage) ? able : able.filter((kind) => !isPage(kind));
  yield `${option} applies only to ${takers.map(inWords).join(", ")}, and none was requested`;
}

const isPage = (kind: ContentKind) => PAGE_KINDS.some((page) => page === kind);
