import { CalltallyError } from "../base/errors.ts";
import { toFileError } from "../base/file-access.ts";

/** How hints for the command line name what the library has as an option or function. */
const OPTIONS: readonly (readonly [RegExp, string])[] = [
  [/`?calltally sync --full`?/g, '`syncWarehouse` with `mode: "full"`'],
  [/`calltally sync`/g, "`syncWarehouse`"],
  [/Unset CALLTALLY_DATABASE, or set it to another file/g, "Use another `database`"],
  [/ --rebind does not change the unit: the calls/g, " The calls"],
  [/--min-cell\b/g, "`min_cell`"],
  [/with --out\b/g, "as `folder`"],
  [/, or replace (those files|the file) with --replace/g, ""],
  [/--limit\b/g, "CALLTALLY_LIMIT"],
  [/--(format|top)\b/g, "`$1`"],
  [/CALLTALLY_DATABASE/g, "`database`"],
  [/CALLTALLY_BASE_URL/g, "`baseUrl`"],
  [/CALLTALLY_TOKEN(_FILE)?/g, "`token`"],
  [/CALLTALLY_ORG_UNIT_ID/g, "`orgUnitId`"],
  [/\bCALLTALLY_\w+/g, "`settings.$&`"],
];

/** Returns the error for a caller of the library: an error of the file system as an expected one, with a hint in its words. */
export function inOwnWords(thrown: unknown): unknown {
  const error = toFileError(thrown) ?? thrown;
  if (!(error instanceof CalltallyError)) return error;
  const hint = OPTIONS.reduce((text, [pattern, option]) => text.replaceAll(pattern, option), error.hint);
  if (hint === error.hint) return error;
  return new CalltallyError(error.exitCode, error.message, { cause: error.cause, hint });
}
