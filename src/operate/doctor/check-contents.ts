import { ageOf } from "../../base/clock.ts";
import { CalltallyError, UsageError } from "../../base/errors.ts";
import { formatAge } from "../../base/text/quantity-text.ts";
import { isAllKept, KEEP_KINDS, KIND_NAMES, toKeepText } from "../../calls/privacy/keep-settings.ts";
import type { Settings } from "../../config/load-settings.ts";
import { openCallerDigests } from "../../warehouse/calls/caller-hash.ts";
import { openForgotten } from "../../warehouse/calls/forgotten-callers.ts";
import { countOtherUnits } from "../../warehouse/calls/other-units.ts";
import { findUnmatchedDispositions } from "../../warehouse/calls/unmatched-dispositions.ts";
import { assertOrigin, describeOrigin, originInWords, readOrigin } from "../../warehouse/origin.ts";
import { readLastFileCheck } from "../../warehouse/runs/runs.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { type Check, failBy, ok, warn } from "./check.ts";

/** Shows which data of calls is kept, and checks the key that identifies callers without it, and forgotten ones. */
export function checkKept(warehouse: Reader, { keep }: Settings): Check {
  try {
    openCallerDigests(warehouse);
    openForgotten(warehouse);
  } catch (error) {
    if (!(error instanceof CalltallyError)) throw error;
    return failBy(error, "kept");
  }
  if (isAllKept(keep)) return ok("kept", "all data of a call, always");
  return ok("kept", KEEP_KINDS.map((kind) => `${KIND_NAMES[kind]} ${toKeepText(keep[kind])}`).join(", "));
}

export function checkOrigin(warehouse: Reader, { baseUrl, orgUnitId }: Settings): Check {
  try {
    if (baseUrl !== undefined) assertOrigin(warehouse, { baseUrl, orgUnitId });
    return ok("origin", originInWords(describeOrigin(readOrigin(warehouse))));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return failBy(error, "origin");
  }
}

export function checkUnit(warehouse: Reader): Check[] {
  const unit = readOrigin(warehouse).org_unit_id;
  if (unit === null) return [];
  if (countOtherUnits(warehouse) > 0) return []; // a statement says so
  return [ok("org_unit_id", `no call is known to belong to another unit than ${unit}`)];
}

export function describeLastCheck(warehouse: Reader, nowMs: number): string {
  const checkedAt = readLastFileCheck(warehouse);
  if (checkedAt === undefined) return "the next sync checks the whole file";
  return `undamaged, checked by sync ${formatAge(ageOf(checkedAt, nowMs))}; --deep checks it now`;
}

export function checkDispositions(warehouse: Reader, { rules }: Settings): Check[] {
  return findUnmatchedDispositions(warehouse, rules).map(({ setting, word, advice }) =>
    warn(setting.env, `no call in the warehouse has the disposition ${word}`, advice),
  );
}
