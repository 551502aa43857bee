import { readAttributionRules } from "../config/attribution-settings.ts";
import type { Settings } from "../config/load-settings.ts";
import { settledUntil } from "../export/manifest.ts";
import { statementsOf } from "../export/statements/statements.ts";
import type { ScheduledReports } from "../operate/status/read-next.ts";
import { RollupSession } from "../sources/session.ts";
import { readRulesInForce } from "../warehouse/calls/rules.ts";
import { openReader } from "../warehouse/file/open.ts";
import { openOwn } from "../warehouse/file/own-warehouse.ts";
import { nameFile } from "../warehouse/file/sqlite-errors.ts";
import { readBasis } from "../warehouse/runs/basis.ts";
import type { Reader } from "../warehouse/warehouse.ts";
import { type Answer, toBasis } from "./answer.ts";

/** The account that a call is about. */
export interface Scope {
  account: string | undefined;
  settings: Settings;
  reports: ScheduledReports;
  nowMs: number;
}

interface ReadAnswer extends Omit<Answer, "basis"> {
  /** The latest time that the data are about, ISO 8601 UTC; null for an unknown one. */
  until: string | null;
}

/** Reads data and their basis at one moment of the warehouse. */
export async function readMoment(
  { account, settings }: Scope,
  read: (moment: { reader: Reader; session: RollupSession }) => ReadAnswer | Promise<ReadAnswer>,
): Promise<Answer> {
  using reader = openOwn(settings, openReader);
  try {
    using session = new RollupSession(reader.sqlite, { rules: () => readRulesInForce(reader).rules });
    const basis = readBasis(reader, { rules: readAttributionRules(settings), accounts: settings.accounts });
    const { until, ...answer } = await read({ reader, session });
    const settled = settledUntil(basis.run, settings.lookbackHours);
    const isProvisional = settled === undefined || until === null || until > settled;
    const { timezone } = settings;
    const manifest = { run: basis.run, statements: statementsOf({ warehouse: basis, timezone }), timezone };
    return { ...answer, basis: toBasis(manifest, { account, isProvisional }) };
  } catch (error) {
    throw nameFile(error, reader.path);
  }
}
