import { openSync, read } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { prepareRows } from "./rows.ts";

// node test/bench/page-server.ts <calls> [latency in ms] [total]: serves API v3's attribution from a prepared file. One read
// and two writes per page, so that a benchmark never waits for it. Prints its address. With a total, it claims that
// many calls, and repeats the prepared ones.

const readFrom = promisify(read);
const [calls = 0, latencyMs = 0, total = calls] = process.argv.slice(2).map(Number);
const { file, starts } = await prepareRows(calls);
const rows = openSync(file, "r");
/** Identifiers are unique, however often a server is started. */
const started = Date.now().toString(36);
let requests = 0;

async function readPage(offset: number, limit: number): Promise<Buffer[]> {
  const from = offset < total ? offset % calls : calls;
  const start = starts[from] ?? 0;
  const end = starts[Math.min(calls, from + limit)] ?? 0;
  // Without the comma after the last one.
  const length = Math.max(0, end - start - 1);
  const page = Buffer.allocUnsafe(length);
  if (length > 0) await readFrom(rows, page, 0, length, start);
  const head = `{"code":200,"message":"Success","request_id":"${started}-${requests++}","timestamp":"${new Date().toISOString()}","data":{"total":${total},"limit":${limit},"offset":${offset},"calls":[`;
  return [Buffer.from(head), page, Buffer.from("]}}")];
}

const server = createServer(async (request, response) => {
  const { searchParams } = new URL(request.url ?? "/", "http://localhost");
  if (latencyMs > 0) await sleep(latencyMs);
  const parts = await readPage(Number(searchParams.get("offset")), Number(searchParams.get("limit") ?? 100));
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  response.writeHead(200, { "content-type": "application/json", "content-length": length });
  for (const part of parts) response.write(part);
  response.end();
});

function isNetwork(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (isNetwork(address)) process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
