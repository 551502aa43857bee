import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../src/base/errors.ts";
import { ClickhouseNode } from "../../src/cluster/clickhouse-node.ts";
import { listen } from "../support/bad-server.ts";
import { HAS_CLICKHOUSE, PUBLISHER, startClickhouse, UNLESS_SKIPPED } from "../support/clickhouse-servers.ts";

describe.skipIf(!HAS_CLICKHOUSE)(`ClickhouseNode${UNLESS_SKIPPED}`, () => {
  it("bounds what a statement takes, and says what takes less", async () => {
    await using servers = await startClickhouse(1);
    const password = readFileSync(servers.passwordFile, "utf8").trim();
    await using node = new ClickhouseNode(new URL(`http://${servers.hosts[0]}`), { ...PUBLISHER, password });
    const names = [
      "distributed_aggregation_memory_efficient",
      "distributed_group_by_no_merge",
      "max_execution_time",
      "max_memory_usage",
      "skip_unavailable_shards",
    ];
    const list = names.map((name) => `'${name}'`).join(", ");
    const inForce = `SELECT name, value FROM system.settings WHERE name IN (${list}) ORDER BY name`;
    expect(await node.select(inForce, { doing: "read settings" })).toEqual(
      [1, 0, 300, 4_000_000_000, 0].map((value, index) => ({ name: names[index], value: String(value) })),
    );
    const endless = node.select("SELECT count() FROM system.numbers", { doing: "count", maxSeconds: 1 });
    await expect(endless).rejects.toMatchObject({
      exitCode: EXIT.unreachable,
      message: expect.stringMatching(
        /^Cannot count at 127\.0\.0\.1:\d+: ClickHouse says Timeout exceeded.* \(code 159\)$/,
      ),
      hint: expect.stringContaining("A shorter period"),
    });
  });

  it("fails where a profile lets a server leave rows or groups out", async () => {
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
    expect(await numbers("LIMIT 3")).toEqual([{ number: "0" }, { number: "1" }, { number: "2" }]);
  });
});

// What stands before a server may cut its responses off, or answer in its place.
describe("ClickhouseNode", () => {
  const SETTINGS = '{"names":"max_query_size"}\n';
  const ROWS = '{"name":"a","calls":"1"}\n{"name":"b","calls":"2"}\n';

  it("takes no response that is not whole for one", async () => {
    const lies: [response: Buffer | string, exitCode: number, message: string][] = [
      [gzipSync(ROWS).subarray(0, -9), EXIT.unreachable, "unexpected end of file"],
      [Buffer.alloc(0), EXIT.unreachable, "unexpected end of file"],
      [gzipSync(ROWS.slice(0, -1)), EXIT.contract, "not from ClickHouse"],
      [gzipSync(`${ROWS}Code: 241, e.displayText() = DB::Exception`), EXIT.contract, "not from ClickHouse"],
      [gzipSync(`${ROWS}Code: 241. DB::Exception: …\n`), EXIT.unreachable, "(code 241)"],
      ["<html>Please log in</html>", EXIT.contract, "not from ClickHouse"],
      [ROWS, EXIT.contract, "not from ClickHouse"],
    ];
    for (const [response, exitCode, message] of lies) {
      await using node = await startLiar(SETTINGS, response);
      await expect(node.select("SELECT name, calls", { doing: "count" })).rejects.toMatchObject({
        exitCode,
        message: expect.stringContaining(message),
      });
    }
    await using honest = await startLiar(SETTINGS, gzipSync(ROWS));
    expect(await honest.select("SELECT name, calls", { doing: "count" })).toEqual([
      { name: "a", calls: "1" },
      { name: "b", calls: "2" },
    ]);
    await using page = await startLiar("<html>Please log in</html>", "");
    await expect(page.select("SELECT name, calls", { doing: "count" })).rejects.toMatchObject({
      exitCode: EXIT.contract,
      hint: "Is this the HTTP port of a ClickHouse server, and no proxy before it?",
    });
  });
});

/** A node whose first response has settings, and all others something else; bytes are said to be compressed. */
async function startLiar(settings: string, response: Buffer | string) {
  let requests = 0;
  const server = createServer(async (incoming, outgoing) => {
    for await (const _ of incoming);
    const body = requests++ === 0 ? gzipSync(settings) : response;
    if (Buffer.isBuffer(body)) outgoing.setHeader("content-encoding", "gzip");
    outgoing.end(body);
  });
  const listening = await listen(server);
  const node = new ClickhouseNode(new URL(`http://127.0.0.1:${listening.port}`), PUBLISHER);
  return {
    select: node.select.bind(node),
    [Symbol.asyncDispose]: async () => {
      await node[Symbol.asyncDispose]();
      await listening[Symbol.asyncDispose]();
    },
  };
}
