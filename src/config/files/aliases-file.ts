import { recordOf } from "../../base/records.ts";
import { orMeant } from "../../base/text/nearest.ts";
import {
  ALIAS_FIELDS,
  type AliasField,
  type AttributionRules,
} from "../../calls/attribution/attribution-rules.ts";
import { foldUtm, presentText } from "../../calls/attribution/call-text.ts";
import { readCsvTable } from "./csv-file.ts";

const HINT =
  "Write a CSV file with the header raw,value,of and lines such as fb,facebook,source; only raw and value are required, and an empty value stands for not set.";

const OF = ["", ...ALIAS_FIELDS] as const;

export interface Aliases extends Pick<AttributionRules, "aliases"> {
  aliases_of: Record<AliasField, Record<string, string>>;
}

/** An empty value counts as not set. @throws UsageError that names the file, the line and the column */
export function readAliases(file: string): Aliases {
  const { rows, complain } = readCsvTable(file, `the aliases in ${file}`, {
    columns: ["raw", "value", "of"],
    required: ["raw", "value"],
    hint: HINT,
  });
  const linesOf = recordOf(OF, () => new Map<string, { value: string; line: number }>());
  for (const { line, textOf } of rows) {
    const [raw, wanted] = [textOf("raw"), foldUtm(textOf("of"))];
    const from = foldUtm(raw);
    if (from === "") throw complain(line, "raw", `${JSON.stringify(raw)} already counts as not set`);
    const of = OF.find((field) => field === wanted);
    if (of === undefined)
      throw complain(
        line,
        "of",
        `is ${JSON.stringify(wanted)}, not one of ${ALIAS_FIELDS.join(", ")}${orMeant(wanted, ALIAS_FIELDS)}`,
      );
    const value = of === "campaign" ? (presentText(textOf("value")) ?? "") : foldUtm(textOf("value"));
    const earlier = linesOf[of].get(from)?.value ?? value;
    if (earlier !== value)
      throw complain(line, "raw", `${from} is already ${earlier || "not set"} by an earlier line`);
    linesOf[of].set(from, { value, line });
  }
  for (const lines of Object.values(linesOf)) {
    // Aliases do not chain: the name would be counted in two rows, or in another's.
    const inForce = new Map([...linesOf[""], ...lines]);
    for (const { value, line } of inForce.values()) {
      const next = inForce.get(foldUtm(value));
      if (next !== undefined && next.value !== value)
        throw complain(line, "value", `${value} is itself renamed by line ${next.line}`);
    }
  }
  const toAliases = (of: (typeof OF)[number]) =>
    Object.fromEntries([...linesOf[of]].map(([from, { value }]) => [from, value]));
  return { aliases: toAliases(""), aliases_of: recordOf(ALIAS_FIELDS, toAliases) };
}
