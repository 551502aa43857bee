import type { Dictionary } from "./dictionary.ts";
import type { Codes } from "./key-table.ts";

/** The most frequent name by campaign id, of ids whose calls have several names, or some no name. */
export type CampaignNames = ReadonlyMap<string, string>;

/** Replaces the names of campaigns by the one name of their id, in codes of dictionaries. */
export function unifyNames(
  names: CampaignNames,
  campaigns: { codes: Codes; dictionary: Dictionary },
  ids: { codes: Codes; dictionary: Dictionary },
): Codes {
  if (names.size === 0) return campaigns.codes;
  const ofIds = ids.dictionary.values.map((id) => {
    const name = names.get(String(id));
    return id === null || name === undefined ? undefined : campaigns.dictionary.codeOf(name);
  });
  return campaigns.codes.map((code, row) => ofIds[ids.codes[row] ?? 0] ?? code);
}
