import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../../src/base/errors.ts";
import { ClickhouseNode } from "../../../src/features/cluster/clickhouse-node.ts";
import { CLICKHOUSE, PUBLISHER, startClickhouse } from "../../support/services/clickhouse-servers.ts";

describe.skipIf(CLICKHOUSE.isMissing)(`ClickhouseNode${CLICKHOUSE.note}`, () => {
  it("limits the resources of a statement, and suggests what needs less", async () => {
    await using servers = await startClickhouse(1);
    const password = readFileSync(servers.passwordFile, "utf8").trim();
    await using node = new ClickhouseNode(new URL(`http://${servers.hosts[0]}`), { ...PUBLISHER, password });
    const names = [
      "distributed_group_by_no_merge",
      "max_execution_time",
      "max_memory_usage",
      "skip_unavailable_shards",
    ];
    const list = names.map((name) => `'${name}'`).join(", ");
    const inForce = `SELECT name, value FROM system.settings WHERE name IN (${list}) ORDER BY name`;
    expect(await node.select(inForce, { doing: "read settings" })).toEqual(
      [0, 300, 4_000_000_000, 0].map((value, index) => [names[index], String(value)]),
    );
    const endless = node.select("SELECT count() FROM system.numbers SETTINGS max_execution_time = 1", {
      doing: "count",
    });
    await expect(endless).rejects.toMatchObject({
      exitCode: EXIT.unreachable,
      message: expect.stringMatching(
        /^Cannot count at 127\.0\.0\.1:\d+: ClickHouse says Timeout exceeded.* \(code 159\)$/,
      ),
      hint: expect.stringContaining("Use a shorter period"),
    });
  });

  it("fails if a profile lets a server leave out rows or groups", async () => {
    await using servers = await startClickhouse(1);
    const { password } = PUBLISHER;
    await using node = new ClickhouseNode(new URL(`http://${servers.hosts[0]}`), {
      user: "limited",
      password,
    });
    const doing = { doing: "count" };
    const numbers = (more: string) => node.select(`SELECT number FROM system.numbers ${more}`, doing);
    await expect(numbers("LIMIT 20")).rejects.toThrow("Limit for result exceeded");
    await expect(
      node.select(
        "SELECT number % 10 AS digit, count() FROM (SELECT number FROM system.numbers LIMIT 100) GROUP BY digit LIMIT 3",
        doing,
      ),
    ).rejects.toThrow("Limit for rows to GROUP BY exceeded");
    const hundred = "(SELECT number FROM system.numbers LIMIT 100)";
    for (const sql of [
      `SELECT count() FROM ${hundred} WHERE number IN ${hundred}`,
      "SELECT count() FROM (SELECT number FROM system.numbers LIMIT 100000)",
    ])
      await expect(node.select(sql, doing), sql).rejects.toThrow(/exceeded/i);
    await expect(
      node.select("SELECT count() FROM system.numbers SETTINGS max_execution_time = 1", doing),
    ).rejects.toThrow(/exceeded/i);
    expect(await numbers("LIMIT 3")).toEqual([["0"], ["1"], ["2"]]);
  });
});
