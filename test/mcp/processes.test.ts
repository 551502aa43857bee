import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { until } from "../cli/until.ts";
import { childrenOf, isRunning, untilChildren } from "../support/processes.ts";
import { BIN } from "../support/run.ts";
import { connect } from "../support/services/mcp.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { closedWarehouse } from "../support/warehouses/warehouse.ts";

const ENDLESS = {
  sql: "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
};
const FLAGS = ["--database", "calls.db", "--sql", "--personal-data"];

const makeWarehouse = () => closedWarehouse([makeCall(), makeCall({ call_id: 2 })]);

describe.runIf(process.platform === "linux")("processes of calltally mcp", () => {
  it("a cancelled call kills its process, a cancelled waiting call starts none, and the next call gets its response", async () => {
    using warehouse = makeWarehouse();
    await using assistant = await connect(FLAGS, { cwd: warehouse.folder });
    const cancel = new AbortController();
    const cancelled = Array.from({ length: 4 }, () => assistant.ask("query", ENDLESS, cancel.signal));
    const ended = Promise.allSettled(cancelled);
    const children = await untilChildren(assistant.pid, 2);
    const waiting = assistant.ask("status");
    cancel.abort(new Error("enough"));
    expect((await ended).map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
    expect(await waiting).toMatchObject({ calls: 2 });
    expect(children.filter(isRunning)).toEqual([]);
    expect(childrenOf(assistant.pid)).toEqual([]);
  });

  it.each([
    ["the end of standard input", (server: ChildProcess) => server.stdin?.end()],
    ["SIGTERM", (server: ChildProcess) => server.kill("SIGTERM")],
  ])("exit with 0 at %s and leave no process", async (_, end) => {
    using warehouse = makeWarehouse();
    const { server, output, errors } = start(warehouse.folder);
    const child = await askEndless(server);
    end(server);
    const [code] = await once(server, "exit");
    expect(code).toBe(0);
    await until(() => !isRunning(child));
    const messages = (await output).trim().split("\n");
    expect(messages.map((message) => JSON.parse(message).id)).toEqual([1]);
    // Of an object that is no message.
    expect(await errors).toContain("Invalid input");
  });

  it.each([
    ["arguments nested too deeply", "[".repeat(9000) + "]".repeat(9000)],
    ["arguments that are too long", `"${"x".repeat(1_000_001)}"`],
  ])("refuse %s, and still exit with their input", async (_, by) => {
    using warehouse = makeWarehouse();
    const { server, output } = start(warehouse.folder);
    const params = { name: "figures", arguments: "GIVEN" };
    const call = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params });
    const given = call.replace('"GIVEN"', `{"by":${by}}`);
    for (const message of [...BEGIN.map((each) => JSON.stringify(each)), given])
      server.stdin.write(`${message}\n`);
    server.stdout.on("data", (chunk) => {
      if (!String(chunk).includes("Cannot read the arguments")) return;
      expect(childrenOf(server.pid)).toEqual([]);
      server.stdin.end();
    });
    expect((await once(server, "exit"))[0]).toBe(0);
    expect(await output).toContain("nested too deeply, or longer");
  });

  it("leave no process when killed", async () => {
    using warehouse = makeWarehouse();
    const { server } = start(warehouse.folder);
    const child = await askEndless(server);
    server.kill("SIGKILL");
    await until(() => !isRunning(child)); // for ever, unless it ends
  });
});

const client = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
};
const BEGIN = [
  { jsonrpc: "2.0", id: 1, method: "initialize", params: client },
  { jsonrpc: "2.0", method: "notifications/initialized" },
];

function start(cwd: string) {
  const server = spawn(process.execPath, [BIN, "mcp", ...FLAGS], { cwd, env: {} });
  return { server, output: text(server.stdout), errors: text(server.stderr) };
}

/** Returns the process of a call that does not end. */
async function askEndless({ pid, stdin }: ReturnType<typeof start>["server"]): Promise<string> {
  const params = { name: "query", arguments: ENDLESS };
  stdin.write("{}\n");
  for (const message of [...BEGIN, { jsonrpc: "2.0", id: 2, method: "tools/call", params }])
    stdin.write(`${JSON.stringify(message)}\n`);
  const [child = ""] = await untilChildren(pid, 1);
  return child;
}
