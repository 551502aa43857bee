import { describe, expect, it } from "vitest";
import { readAttributionRules } from "../../src/config/attribution-settings.ts";
import { DIMENSIONS, HOURS, type KeyColumn, keyColumns } from "../../src/figures/dimensions.ts";
import { NOT_SET, toShown } from "../../src/figures/reserved-keys.ts";
import { refreshZone } from "../../src/warehouse/calls/zone-view.ts";
import { makeWarehouse, type Target } from "../support/figures/produce-files.ts";
import { readLines } from "../support/figures/tables.ts";
import { ACCOUNTS, type SceneAccount } from "../support/scene/accounts.ts";
import { openScene } from "../support/scene/build.ts";
import { readText } from "../support/temp-folder.ts";

type Row = Readonly<Record<string, string | number | null>>;

/** Figures of a rollup: from a row of a list, and as an analyst writes them in SQL. */
const FIGURES: Readonly<Record<string, { of: (row: Row) => boolean; sql: string }>> = {
  calls: { of: () => true, sql: "count(*)" },
  answered_calls: { of: ({ outcome }) => outcome === "answered", sql: "sum(outcome = 'answered')" },
  qualified_calls: { of: ({ qualified }) => Number(qualified) === 1, sql: "sum(qualified)" },
  first_time_callers: {
    of: ({ first_time_caller }) => Number(first_time_caller) === 1,
    sql: "sum(first_time_caller)",
  },
};
const NAMES = Object.keys(FIGURES);

/** The column of lists and of `attributed_calls` that has the values of a rollup's key. */
function columnOf({ name, of, isNameOf }: KeyColumn): string {
  if ("local" in of) return `local_${of.local}`;
  if ("stored" in of) throw new Error(`${name} is not folded`);
  return isNameOf === undefined ? of.fact : name;
}

/** A value of a list as a rollup shows it. */
function toKey({ of, isNamed }: KeyColumn, value: string | number | null): string | null {
  if (value === null) return isNamed ? NOT_SET : null;
  if ("local" in of && of.local === "hour") return HOURS[Number(value)] ?? null;
  return isNamed ? toShown(String(value)) : String(value);
}

function readRows(folder: string, file: string): Row[] {
  const [header = [], ...lines] = readLines(readText(folder, file));
  return lines.map((line) => Object.fromEntries(header.map((name, index) => [name, line[index] || null])));
}

/** Sums the figures of rows by the columns of some keys, whose rows an account's rollup has in `file`. */
function pivot(
  rows: readonly Row[],
  keys: readonly KeyColumn[],
  figureOf: (row: Row, name: string) => number,
) {
  const sums = new Map<string, number[]>();
  for (const row of rows) {
    const key = JSON.stringify(keys.map((each) => toKey(each, row[columnOf(each)] ?? null)));
    const before = sums.get(key);
    sums.set(
      key,
      NAMES.map((name, index) => (before?.[index] ?? 0) + figureOf(row, name)),
    );
  }
  return Object.fromEntries(sums);
}

/** Of calls with a campaign's id, each third has an older name of it, and each seventh none. */
function withOldNames({ calls }: SceneAccount) {
  return calls.map((call, index) => {
    if (call.campaign_id === null) return call;
    if (index % 3 === 0) return { ...call, campaign_name: `Old ${call.campaign_id}` };
    return index % 7 === 0 ? { ...call, campaign_name: null, utm_campaign: null } : call;
  });
}

const ROLLUPS = DIMENSIONS.map((dimension): Target => ({ kind: "rollup", dimensions: [dimension] }));

/** Writes the lists and all rollups of an account; the warehouse has its rules and zone. */
async function writeAll(warehouse: ReturnType<typeof makeWarehouse>, account: SceneAccount) {
  const { name, timezone, gone } = account;
  const rules = readAttributionRules(openScene().settingsOf(name));
  for (const id of gone) warehouse.markGone(id, "2026-04-01T00:00:00.000Z");
  warehouse.change((open) => refreshZone(open, timezone));
  const { folder } = await warehouse.export({
    ...{ rules, timezone, format: { format: "csv", profile: "machine" } },
    targets: [...ROLLUPS, { kind: "calls" }, { kind: "callers" }, { kind: "callbacks" }],
  });
  return (name: string) => readRows(folder, `${name}.csv`);
}

describe.each(ACCOUNTS)("lists of $name", (account) => {
  it("a pivot of calls.csv, and of attributed_calls in SQL, has the rows of each dimension's rollup", async () => {
    using warehouse = makeWarehouse(withOldNames(account));
    const read = await writeAll(warehouse, account);
    const calls = read("calls");
    for (const dimension of DIMENSIONS) {
      const keys = keyColumns([dimension]);
      const rollup = Object.fromEntries(
        read(dimension).map((row) => [
          JSON.stringify(keys.map(({ name }) => row[name])),
          NAMES.map((name) => Number(row[name])),
        ]),
      );
      expect(Object.keys(rollup).length, dimension).toBeGreaterThan(1);
      const ofList = pivot(calls, keys, (row, name) => Number(FIGURES[name]?.of(row)));
      expect(ofList, `calls.csv by ${dimension}`).toEqual(rollup);
      const columns = keys.map(columnOf).join(", ");
      const sql = `SELECT ${columns}, ${NAMES.map((name) => `${FIGURES[name]?.sql} AS ${name}`).join(", ")}
        FROM attributed_calls GROUP BY ${columns}`;
      const grouped = warehouse.change(({ sqlite }) => sqlite.prepare<[], Row>(sql).all());
      expect(
        pivot(grouped, keys, (row, name) => Number(row[name])),
        sql,
      ).toEqual(rollup);
    }
  });

  it("calls, callers and callbacks have the campaign of rollups, and the name as tagged in a column of its own", async () => {
    const served = withOldNames(account);
    using warehouse = makeWarehouse(served);
    const read = await writeAll(warehouse, account);
    const calls = read("calls");
    const named = new Map(read("campaign").map((row) => [row.campaign_id, row.campaign]));
    const byId = new Map(calls.map((row) => [row.call_id, row]));
    const renamed = calls.filter((row) => row.campaign !== row.campaign_as_tagged);
    expect(renamed.some((row) => row.campaign_as_tagged === null)).toBe(true);
    expect(renamed.some((row) => row.campaign_as_tagged !== null)).toBe(true);
    for (const row of renamed) expect(row.campaign).toBe(named.get(row.campaign_id ?? null));
    for (const { call_id, campaign_id, campaign_name } of served)
      if (campaign_id !== null && campaign_name?.startsWith("Old") && byId.has(String(call_id)))
        expect(byId.get(String(call_id))?.campaign_as_tagged).toBe(campaign_name);

    const ofCaller = Map.groupBy(
      calls.filter(({ call_started }) => call_started !== null),
      (row) => row.caller_hash,
    );
    const callers = read("callers").filter(({ first_call_at }) => first_call_at !== null);
    expect(callers.map(endsOf)).toEqual(
      callers.map(({ caller_hash }) => {
        const [first, last] = [ofCaller.get(caller_hash)?.[0], ofCaller.get(caller_hash)?.at(-1)];
        return [first, last].flatMap((call) => [call?.campaign, call?.campaign_as_tagged]);
      }),
    );
    const callbacks = read("callbacks");
    expect(callbacks.length).toBeGreaterThan(0);
    expect(callbacks.map((row) => [row.campaign, row.campaign_as_tagged])).toEqual(
      callbacks.map(({ call_id }) => [byId.get(call_id)?.campaign, byId.get(call_id)?.campaign_as_tagged]),
    );
    const first = warehouse.change(({ sqlite }) =>
      sqlite
        .prepare<[], unknown[]>(
          `SELECT c.campaign IS first_campaign, c.campaign_as_tagged IS first_campaign_as_tagged, count(*)
          FROM attributed_callers JOIN attributed_calls AS c USING (caller) WHERE c.first_time_caller GROUP BY 1, 2`,
        )
        .raw()
        .all(),
    );
    expect(first).toEqual([[1, 1, expect.any(Number)]]);
  });
});

const endsOf = (row: Row) => [
  row.first_campaign,
  row.first_campaign_as_tagged,
  row.last_campaign,
  row.last_campaign_as_tagged,
];
