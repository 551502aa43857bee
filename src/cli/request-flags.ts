import { systemClock } from "../base/clock.ts";
import { UsageError } from "../base/errors.ts";
import { readCallersFile } from "../config/files/callers-file.ts";
import type { OutputCan, SourceCan } from "../config/request/can.ts";
import { check } from "../config/request/check.ts";
import type { ExportRequest, RequestedContent } from "../config/request/export-request.ts";
import { ACCOUNT } from "../config/request/option-values.ts";
import { findRefusals } from "../config/request/refusals/refusal.ts";
import { REFUSALS } from "../config/request/refusals/refusals.ts";
import { type Ask, resolve } from "../config/request/resolve.ts";
import type { Dimension } from "../figures/dimensions.ts";
import { CLUSTER_CAN, type EngineAccount } from "../reports/produce/published-source.ts";
import { WAREHOUSE_CAN } from "../reports/produce/warehouse-source.ts";
import { FLAG_WORDING, FLAGGED_OPTIONS, flaggedRequest } from "./request-options.ts";

export interface OutletFlags {
  engine?: string | undefined;
  stdout?: true | undefined;
  out?: string | undefined;
  json?: true | undefined;
  replace?: true | undefined;
  timezone?: string | undefined;
}

export type GroupedBy = readonly (Dimension | typeof ACCOUNT)[];

/** Returns the request of a command line, without `account` in `--by`. */
export function toRequest(
  contents: readonly RequestedContent[],
  { by, ...flags }: { by?: GroupedBy | undefined; [flag: string]: unknown },
): ExportRequest {
  const members: Record<string, unknown> = {};
  for (const option of FLAGGED_OPTIONS.keys()) {
    const value = flags[toAttribute(FLAG_WORDING.spell(option))];
    const [key = "", part] = option.split(".");
    if (value === undefined) continue;
    members[key] = part === undefined ? value : { ...Object(members[key]), [part]: value };
  }
  return {
    ...flaggedRequest.parse(members),
    ...(contents.length > 0 && { contents: [...contents] }),
    ...(by && { by: by.filter((dimension) => dimension !== ACCOUNT) }),
  };
}

/** Returns commander's name for a flag's value: minCell for --min-cell. */
function toAttribute(flag: string): string {
  return flag.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** @throws UsageError for flags that cannot go together @param accounts how many write files of their own */
export function assertOutlet(flags: OutletFlags, { format }: ExportRequest, accounts = 1): void {
  const wording = { options: flags, spell: FLAG_WORDING.spell };
  const [refusal] = findRefusals(REFUSALS.outlet, { accounts, format }, wording);
  if (refusal !== undefined) throw new UsageError(refusal.text, { hint: refusal.hint ?? FLAG_WORDING.hint });
}

/** Checks a request before anything is opened. @throws UsageError for a request that the source or the output cannot meet */
export function assertPossible(request: ExportRequest, flags: OutletFlags, output: OutputCan): void {
  assertOutlet(flags, request);
  check(request, { source: flags.engine === undefined ? WAREHOUSE_CAN : CLUSTER_CAN, output }, FLAG_WORDING);
}

/** Returns a request with its days and defaults, for a known source and output. */
export function toAsk(
  request: ExportRequest,
  can: { source: SourceCan; output: OutputCan },
  timezone: string,
): Ask {
  check(request, can, FLAG_WORDING);
  return resolve(request, {
    nowMs: systemClock.now(),
    timezone,
    readCallers: (path) => readCallersFile(path),
    clickIds: can.source.clickIds,
    spell: FLAG_WORDING.spell,
  });
}

/** Returns the zone of a flag, or that the account was published with. */
export function zoneOf({ timezone, settings }: EngineAccount, flags: OutletFlags): string {
  return flags.timezone === undefined ? timezone : settings.timezone;
}
