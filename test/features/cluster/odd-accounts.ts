import fc from "fast-check";
import { type AttributionRules, DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";
import type { ClusterAccess } from "../../../src/features/cluster/cluster.ts";
import { openExistingWarehouse } from "../../../src/warehouse/file/open.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import { accounts as arbitraryAccounts, spends } from "../../sources/questions.ts";
import { makeWarehouse } from "../../support/figures/produce-files.ts";
import { storeSpend } from "../../support/warehouses/spend.ts";
import { markGone, setRules } from "../../support/warehouses/warehouse.ts";
import { publishAccount as publish } from "./publish-account.ts";

/** An account with a warehouse of its own, deleted with it. */
export interface OddAccount {
  name: string;
  /** Whether it is published with numbers and click ids. */
  isPersonal: boolean;
  zone: string;
  rules: AttributionRules;
  warehouse: ReturnType<typeof makeWarehouse>;
}

const MILLISECONDS: AttributionRules = {
  ...DEFAULT_RULES,
  duration_unit: "milliseconds",
  aliases: { "face book": "facebook", é: "google" },
  topics: [{ topic: "Greeting", phrase: "hello", speaker: null, qualifies: true, value: null }],
  hours: { week: "Mon-Fri 08:00-18:00", closed: ["2026-06-04"], timezone: "America/New_York" },
};

/** Returns three accounts with that many odd calls in total, always the same. */
export function makeOddAccounts(count: number): OddAccount[] {
  return [
    makeOddAccount("north", count * 0.45, 1, {
      isPersonal: true,
      zone: "Europe/Berlin",
      rules: DEFAULT_RULES,
    }),
    makeOddAccount("it's \\south\t", count * 0.35, 2, {
      isPersonal: true,
      zone: "America/New_York",
      rules: MILLISECONDS,
    }),
    makeOddAccount("west", count * 0.2, 3, {
      isPersonal: false,
      zone: "Europe/Berlin",
      rules: DEFAULT_RULES,
    }),
  ];
}

export async function publishAccount(
  { address, passwordFile }: ClusterAccess,
  { name: account, warehouse, isPersonal, zone: timezone }: OddAccount,
): Promise<void> {
  const { database } = warehouse;
  await publish({ database, account, to: address, passwordFile, isPersonal, timezone, lookbackHours: 72 });
}

/** Calls that are odd in all ways at once, of an account of this size, always the same. Of three each, all but time, caller and id are equal. */
function makeOddCalls(count: number, seed: number): { calls: Call[]; gone: number[] } {
  const drawn = fc
    .sample(arbitraryAccounts, { numRuns: Math.ceil(count / 90), seed })
    .flatMap(({ calls, gone }) => calls.map((call) => ({ call, isGone: gone.includes(call) })));
  const numbered = Array.from({ length: count }, (_, index) => {
    const { call, isGone } = drawn[index % drawn.length] ?? unreachable();
    const minutes = (index * 7919 + seed) % (400 * 24 * 60);
    const spread = new Date(Date.UTC(2025, 11, 20) + minutes * 60_000 + (index % 1000)).toISOString();
    const call_started = index % 3 === 0 ? call.call_started : spread;
    const caller_id = index % 4 === 0 ? `+49${(index * 31) % 1500}` : call.caller_id;
    return { call: { ...call, call_id: index * 3 - 500, call_started, caller_id }, isGone };
  });
  return {
    calls: numbered.map(({ call }) => call),
    gone: numbered.flatMap(({ call, isGone }) => (isGone ? [call.call_id] : [])),
  };
}

function unreachable(): never {
  throw new Error("No call was drawn");
}

export function makeOddAccount(
  name: string,
  count: number,
  seed: number,
  own: Omit<OddAccount, "name" | "warehouse">,
): OddAccount {
  const { calls, gone } = makeOddCalls(count, seed);
  const warehouse = makeWarehouse(calls);
  using opened = openExistingWarehouse(warehouse.database);
  setRules(opened, own.rules);
  writeTransaction(opened, () => markGone(opened, gone));
  const rows = fc.sample(spends, { numRuns: 12, seed }).flat();
  storeSpend(opened, rows, { file: "ads, 1.csv" });
  return { name, warehouse, ...own };
}
