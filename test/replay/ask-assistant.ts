import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { Ended } from "./case.ts";

/** Calls tools of `calltally mcp`, one after the other, and returns the line of each response. */
export async function askAssistant(
  child: ChildProcessWithoutNullStreams,
  calls: readonly (readonly [tool: string, args: object])[],
): Promise<Ended[]> {
  const stderr = text(child.stderr);
  const closed = new Promise<number | null>((done) => child.once("close", done));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let id = 0;
  const ask = async (method: string, params: object): Promise<string> => {
    send({ id: id++, method, params });
    return (await lines.next()).value ?? "(no response)";
  };
  child.stdin.on("error", () => {});
  const clientInfo = { name: "replay", version: "1.0.0" };
  const responses = [
    ["initialize", await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo })],
  ];
  send({ method: "notifications/initialized" });
  responses.push(["tools", await ask("tools/list", {})]);
  for (const [name, args] of calls) {
    responses.push([`${name} ${JSON.stringify(args)}`, await ask("tools/call", { name, arguments: args })]);
  }
  child.stdin.end();
  const code = await closed;
  return [
    ...responses.map(([command = "", response = ""]) => ({
      command,
      code: 0,
      stdout: Buffer.from(response),
      stderr: "",
    })),
    { command: "mcp", code, stdout: Buffer.alloc(0), stderr: await stderr },
  ];
}
