import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { parseClusterUrl } from "../../../src/config/cluster-url.ts";
import { CALLS_TABLE } from "../../../src/features/cluster/account-tables.ts";
import { readCluster } from "../../../src/features/cluster/cluster-session.ts";
import { openExistingWarehouse, openReader } from "../../../src/warehouse/file/open.ts";
import { makeWarehouse } from "../../support/figures/produce-files.ts";
import { CLICKHOUSE, startClickhouse } from "../../support/services/clickhouse-servers.ts";
import { setRules } from "../../support/warehouses/warehouse.ts";
import { publishAccount as publish } from "./publish-account.ts";
import { makeCalls, readExpected, readFound } from "./published-calls.ts";

const VIEWS = ["attributed_calls", "rollup_utm_source", "rollup_campaign", "rollup_gclid", "rollup_channel"];

describe.skipIf(CLICKHOUSE.isMissing)(`views of a cluster${CLICKHOUSE.note}`, () => {
  it.each([
    ["two shards", 2, true],
    ["a single server without a cluster", 1, false],
  ])("show the same as the warehouse's at %s", async (_, shards, isCluster) => {
    await using servers = await startClickhouse(shards, { isCluster });
    using warehouse = makeWarehouse(makeCalls(1500, 30));
    using other = makeWarehouse(makeCalls(40, 31));
    const options = {
      to: parseClusterUrl(servers.url("shown")),
      passwordFile: servers.passwordFile,
      isPersonal: true,
      timezone: "UTC",
      lookbackHours: 72,
    };
    {
      using open = openExistingWarehouse(warehouse.database);
      const hours = { week: "Mon-Fri 08:00-18:00", closed: [], timezone: "UTC" };
      setRules(open, { ...DEFAULT_RULES, hours });
    }
    await publish({ ...options, database: other.database, account: "other" });
    await publish({ ...options, database: warehouse.database, account: "acme" });
    const { sent } = await publish({ ...options, database: warehouse.database, account: "acme" });
    expect(sent.calls).toEqual({ rows: 0, removed: 0 });
    const table = isCluster ? "calls" : "calls_local";
    expect(await readFound(servers, "shown", "acme", { table, server: 0 })).toEqual(
      readExpected(warehouse.database, { isPersonal: true }),
    );
    using reader = openReader(warehouse.database);
    for (const view of VIEWS) {
      const text = await servers.ask(0, `SELECT * FROM shown.${view} WHERE account = 'acme' FORMAT JSON`);
      const { data }: { data: Record<string, string | number | null>[] } = JSON.parse(text);
      const columns = Object.keys(data[0] ?? {}).filter((name) => name !== "account");
      const rows = reader.sqlite
        .prepare<[], (string | number | null)[]>(`SELECT ${columns.join(", ")} FROM ${view}`)
        .raw()
        .all();
      const found = data.map((row) => lineOf(columns.map((name) => row[name] ?? null)));
      expect(found.toSorted(), view).toEqual(rows.map(lineOf).toSorted());
      expect(found.length).toBeGreaterThan(3);
    }
    const withoutHours = "SELECT count(), count(calls_in_hours), count(answer_rate_in_hours)";
    expect(await servers.ask(0, `${withoutHours} FROM shown.rollup_channel WHERE account = 'other'`)).toMatch(
      /^\d+\t0\t0$/,
    );
    const access = { address: options.to, passwordFile: servers.passwordFile };
    const calls = await readCluster(access, ["acme"], async ([account]) => {
      const session = await account?.openSession({}, warehouse.database);
      return [...((await session?.rollup({ dimensions: [] }))?.rows ?? [])][0]?.[0];
    });
    expect(calls).toBe(1500);
  });

  it("each view has the columns that docs/reference/schema.md describes", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/reference/schema.md"), "utf8");
    const [, section = ""] = /^## attributed_calls$(.*?)^## /ms.exec(page) ?? [];
    const undescribed = Object.keys(CALLS_TABLE.columns).filter(
      (name) => !section.includes(`| \`${name}\` |`),
    );
    expect(undescribed).toEqual(["is_live", "call_started_ms"]);
  });
});

/** Times have another form in SQLite, and numbers of 64 bits are texts in ClickHouse's JSON. */
function lineOf(values: readonly (string | number | null)[]): string {
  return JSON.stringify(
    values.map((value) =>
      value === null ? null : String(value).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d\.\d{3})Z$/, "$1 $2"),
    ),
  );
}
