import { integer, text } from "drizzle-orm/sqlite-core";
import { recordOf } from "../../base/records.ts";
import { type Call, COLUMNS, type Member } from "../../call/columns.ts";
import { about } from "../described.ts";

const BUILDERS = { id: () => integer().primaryKey(), number: () => integer(), text: () => text() };

type BuilderOf<Name extends Member> = (typeof BUILDERS)[null extends Call[Name]
  ? Call[Name] extends number | null
    ? "number"
    : "text"
  : "id"];

/** Returns columns for some members of a call. */
export function columnsOf<Name extends Member>(
  names: readonly Name[],
): { [N in Name]: ReturnType<BuilderOf<N>> };
export function columnsOf(names: readonly Member[]): object {
  return recordOf(names, (name) => {
    const { type, help, ...column } = COLUMNS[name];
    const isNumber = type === "integer" || type === "duration";
    const builder = BUILDERS[type === "id" ? "id" : isNumber ? "number" : "text"]();
    return about(builder, help, "personal" in column ? column.personal : undefined);
  });
}
