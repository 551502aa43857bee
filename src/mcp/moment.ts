import { readAttributionRules } from "../config/attribution-settings.ts";
import type { Settings } from "../config/load-settings.ts";
import { findCaveats, settledUntil } from "../export/manifest.ts";
import { RollupSession } from "../rollup/session.ts";
import type { ScheduledReports } from "../status/read-next.ts";
import { isInForce, readRulesInForce } from "../warehouse/calls/rules.ts";
import { openWarehouseReader } from "../warehouse/open.ts";
import { openOwn } from "../warehouse/own-warehouse.ts";
import { readBasis } from "../warehouse/runs/basis.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { type Answer, toBasis } from "./answer.ts";

/** The account that a call is about. */
export interface Scope {
  account: string | undefined;
  settings: Settings;
  reports: ScheduledReports;
  nowMs: number;
}

interface Read extends Omit<Answer, "basis"> {
  /** The latest time that the data are about, ISO 8601 UTC; null for an unknown one. */
  until: string | null;
}

/** Reads data and their basis at one moment of the warehouse, and closes it. */
export function readMoment(
  { account, settings }: Scope,
  read: (moment: { reader: Warehouse; session: RollupSession }) => Read,
): Answer {
  using reader = openOwn(settings, openWarehouseReader);
  try {
    using session = new RollupSession(reader.sqlite, { rules: () => readRulesInForce(reader).rules });
    const basis = readBasis(reader);
    const { until, ...answer } = read({ reader, session });
    const settled = settledUntil(basis.run, settings.lookbackHours);
    const caveats = findCaveats(basis);
    return {
      ...answer,
      basis: toBasis(
        { ...basis, ...(caveats && { caveats }), timezone: settings.timezone },
        {
          account,
          isProvisional: settled === undefined || until === null || until > settled,
          areRulesChanged: areRulesChanged(reader, settings),
        },
      ),
    };
  } catch (error) {
    throw nameFile(error, reader.path);
  }
}

export function areRulesChanged(reader: Warehouse, settings: Settings): boolean {
  return !isInForce(readRulesInForce(reader), readAttributionRules(settings));
}
