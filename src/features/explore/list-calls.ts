import type { Span } from "../../base/calendar/dates.ts";
import { localTime } from "../../base/calendar/local-time.ts";
import { UsageError } from "../../base/errors.ts";
import { RULED_MEMBERS, type RuledMembers, readTraits } from "../../calls/attribution/call-traits.ts";
import { type CallColumn, callColumns, derive } from "../../export/export-calls.ts";
import { type ExportJob, listsOf } from "../../export/job.ts";
import { Dictionary, type FactValue } from "../../figures/dictionary.ts";
import type { KeyColumn } from "../../figures/dimensions.ts";
import type { KeyCodes } from "./page-data.ts";
import { LISTED, type ListedColumn } from "./page-facts.ts";

/** The key that finds a listed call. */
export const CALL_ID: KeyColumn = {
  name: "call_id",
  type: "integer",
  of: { fact: "call_id" },
  isNamed: false,
  isId: true,
};

/** Columns of the list `calls` that are listed, in addition to private ones. */
const COLUMNS: readonly string[] = ["call_id", "call_started_local", "duration_seconds", "disposition"];

/** Of texts in the list: a browser holds them twice, and more would take it seconds to unpack. */
const MAX_TEXT = 25_000_000;

/**
 * Reads the list of calls: some columns of the list `calls`, and what decided the source.
 * @param ids the calls, in the order of the codes that are returned
 * @throws UsageError for more text than a page can hold
 */
export function listCalls(
  job: ExportJob,
  span: Span,
  ids: KeyCodes,
): { columns: ListedColumn[]; codes: KeyCodes[] } {
  const { ask } = job;
  const { session, reader } = listsOf(job);
  const { with: privateColumns = [], timezone } = ask;
  // The list has no pseudonyms.
  const all = callColumns(session.rules, localTime(timezone), String, privateColumns);
  const listable = all.filter(({ name }) => [...COLUMNS, ...privateColumns].includes(name));
  const select = reader.sqlite.prepare<[FactValue], RuledMembers>(
    `SELECT ${RULED_MEMBERS.join(", ")} FROM calls WHERE call_id = ?`,
  );
  const columns: readonly Pick<CallColumn, "name" | "type">[] = [
    ...listable,
    { name: "source_rule", type: "text" },
  ];
  const dictionaries = columns.map(() => new Dictionary());
  const places = new Map<FactValue, number>();
  const codes: number[][] = columns.map(() => []);
  let characters = 0;
  const { read } = session.calls(
    listable.map(({ of }) => of),
    span,
  );
  for (const listed of derive(read(), listable)) {
    const [id = null] = listed;
    const members = select.get(id);
    places.set(id, places.size);
    const values = [...listed, members ? readTraits(members, session.rules, null).sourceRule : null];
    for (const [index, value] of values.entries()) {
      const known = dictionaries[index]?.values.length;
      codes[index]?.push(dictionaries[index]?.codeOf(value) ?? 0);
      if (dictionaries[index]?.values.length !== known) characters += String(value).length;
    }
    if (characters > MAX_TEXT)
      throw new UsageError(
        `Cannot make a page to explore with these calls: their texts have more than ${MAX_TEXT / 1_000_000} million characters`,
        { hint: `Choose fewer days, a filter, or fewer columns with ${ask.spell("with")}.` },
      );
  }
  return {
    columns: columns.map(({ name, type }) => ({ name, type })),
    codes: columns.map(({ name }, index) => ({
      name: LISTED + name,
      codes: ids.codes.map((code) => codes[index]?.[places.get(ids.values?.[code] ?? null) ?? 0] ?? 0),
      values: dictionaries[index]?.values,
    })),
  };
}
