import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../../src/base/errors.ts";
import { ClickhouseNode } from "../../../src/features/cluster/clickhouse-node.ts";
import { PUBLISHER } from "../../support/services/clickhouse-servers.ts";
import { startServer, text } from "../../support/services/server.ts";

// A proxy in front of a server may truncate its responses, or respond in its place.
describe("ClickhouseNode", () => {
  const ROWS = '{ "meta": [], "data": [["a","1"],["b","2"]], "rows": 2 }';

  it("rejects an incomplete response", async () => {
    const lies: [response: Buffer | string, exitCode: number, message: string][] = [
      [gzipSync(ROWS).subarray(0, -9), EXIT.unreachable, "its response is truncated"],
      [Buffer.alloc(0), EXIT.unreachable, "its response is truncated"],
      [gzipSync(ROWS.slice(0, -1)), EXIT.contract, "not from ClickHouse"],
      [gzipSync(`${ROWS}Code: 241, e.displayText() = DB::Exception`), EXIT.contract, "not from ClickHouse"],
      [gzipSync(`${ROWS}Code: 241. DB::Exception: …\n`), EXIT.unreachable, "(code 241)"],
      ["<html>Please log in</html>", EXIT.contract, "not from ClickHouse"],
      [ROWS.slice(0, -1), EXIT.contract, "not from ClickHouse"],
      ["null", EXIT.contract, "not from ClickHouse"],
    ];
    for (const [response, exitCode, message] of lies) {
      await using node = await startLiar(response);
      await expect(node.select("SELECT name, calls", { doing: "count" })).rejects.toMatchObject({
        exitCode,
        message: expect.stringContaining(message),
      });
    }
    await using honest = await startLiar(gzipSync(ROWS));
    expect(await honest.select("SELECT name, calls", { doing: "count" })).toEqual([
      ["a", "1"],
      ["b", "2"],
    ]);
    await using page = await startLiar("<html>Please log in</html>");
    await expect(page.select("SELECT name, calls", { doing: "count" })).rejects.toMatchObject({
      exitCode: EXIT.contract,
      hint: "Check that this is the HTTP port of a ClickHouse server, without a proxy in between.",
    });
  });

  it.each([
    [401, EXIT.refused],
    [403, EXIT.refused],
    [404, EXIT.contract],
    [499, EXIT.contract],
    [500, EXIT.unreachable],
    [502, EXIT.unreachable],
  ])("maps status %i of a proxy without a body to exit code %i", async (status, exitCode) => {
    await using node = await startLiar("", status);
    await expect(node.select("SELECT name, calls", { doing: "count" })).rejects.toMatchObject({
      exitCode,
      message: expect.stringContaining(`the response, status ${status}, is not from ClickHouse`),
    });
  });

  it("reads a content coding in any case (RFC 9110 § 8.4.1)", async () => {
    await using node = await startLiar(gzipSync(ROWS), 200, "GZIP");
    expect(await node.select("SELECT name, calls", { doing: "count" })).toHaveLength(2);
  });
});

/** A node that always gets this response; bytes are declared as compressed. */
async function startLiar(response: Buffer | string, status = 200, coding = "gzip") {
  const headers = Buffer.isBuffer(response) ? { "content-encoding": coding } : {};
  const server = await startServer(text(response, status, headers));
  const node = new ClickhouseNode(server.url, PUBLISHER);
  return {
    select: node.select.bind(node),
    [Symbol.asyncDispose]: async () => {
      await node[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
