import { formatCount } from "../base/text/quantity-text.ts";
import type { Manifest } from "../export/manifest.ts";
import { toSpoken } from "../export/statements/statements.ts";
import { toShown } from "./hide-personal.ts";

export interface Answer {
  basis: ReturnType<typeof toBasis>;
  data: Readonly<Record<string, unknown>>;
  /** How to ask for less. */
  less: string;
}

/** Says what an answer is based on, and what its reader must know. */
export function toBasis(
  manifest: Pick<Manifest, "run" | "statements" | "timezone"> &
    Partial<Pick<Manifest, "range" | "compared_with">>,
  about: { account: string | undefined; isProvisional: boolean; spend?: readonly string[] },
) {
  const { run, statements, timezone, range, compared_with } = manifest;
  return {
    ...(about.account !== undefined && { account: about.account }),
    run: run?.run_id ?? null,
    verdict: run?.verdict ?? null,
    verdict_reason: run?.verdict_reason ?? null,
    finished_at: run?.finished_at ?? null,
    ...(range && { range }),
    ...(compared_with && { compared_with }),
    timezone,
    provisional: about.isProvisional,
    statements: statements.map(toSpoken),
    ...(about.spend && { spend: about.spend }),
  };
}

const MAX_CHARACTERS = 25_000;
/** Even the shortest items are too long for more. */
const MAX_ITEMS = 10_000;

/** Returns an answer of at most 25,000 characters as JSON: of long lists, the first items. */
export function toBounded(
  { basis, data, less }: Omit<Answer, "basis"> & Partial<Answer>,
  isPersonal: boolean,
): Record<string, unknown> {
  const shown = toShown(firstItems(data, MAX_ITEMS), isPersonal);
  const upTo = (count: number) => {
    const cuts = Object.entries(data).flatMap(([name, value]) =>
      Array.isArray(value) && value.length > count
        ? [`${formatCount(count)} of ${formatCount(value.length)} ${name}`]
        : [],
    );
    const cut = cuts.length > 0 && `Shows the first ${cuts.join(" and ")}. ${less}`;
    return { ...(basis && { basis }), ...firstItems(shown, count), ...(cut && { cut }) };
  };
  let [fitting, tooMany] = [0, MAX_ITEMS + 1];
  while (tooMany - fitting > 1) {
    const count = Math.floor((fitting + tooMany) / 2);
    if (JSON.stringify(upTo(count)).length <= MAX_CHARACTERS) fitting = count;
    else tooMany = count;
  }
  return upTo(fitting);
}

function firstItems(data: Answer["data"], count: number): Answer["data"] {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, count) : value]),
  );
}
