import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { configurationWithoutFile, findFile } from "../../../src/config/accounts.ts";
import { readConfiguration } from "../../../src/config/read-configuration.ts";
import { answerCall } from "../../../src/mcp/answer-call.ts";
import { type Tool, toolsFor } from "../../../src/mcp/tools.ts";
import { BIN } from "../run.ts";

const { NODE_COMPILE_CACHE = "" } = process.env;

export interface Assistant extends AsyncDisposable {
  client: Client;
  /** The server's process. */
  pid: number;
  /** Calls a tool, and returns its result, which the text repeats; or the text of an error. */
  ask: (name: string, args?: Record<string, unknown>, signal?: AbortSignal) => Promise<unknown>;
}

/** Starts `calltally mcp`, the built program, and talks to it through pipes. */
export async function connect(
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<Assistant> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, "mcp", ...args],
    cwd,
    env: { ...env, NODE_COMPILE_CACHE },
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  const { pid } = transport;
  if (pid === null) throw new Error("The server did not start");
  return {
    client,
    pid,
    ask: async (name, given = {}, signal) => {
      const options = { timeout: 600_000, ...(signal && { signal }) };
      const result = await client.callTool({ name, arguments: given }, options);
      const [content] = result.content;
      if (content?.type !== "text") throw new Error(`No text: ${JSON.stringify(result)}`);
      if (result.isError) return content.text;
      if (content.text !== JSON.stringify(result.structuredContent))
        throw new Error("The two answers differ");
      return result.structuredContent;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

export interface Answering {
  tools: readonly Tool[];
  ask: Assistant["ask"];
}

/** Responds to calls like a child of `calltally mcp`, in this process. */
export function answering(
  folder: string,
  { env = {}, sql = false, isPersonal = false }: { env?: object; sql?: boolean; isPersonal?: boolean } = {},
): Answering {
  const sources = { env: { ...env }, folder };
  const path = findFile(undefined, sources);
  const { accounts, file } =
    path === undefined ? configurationWithoutFile(sources) : readConfiguration(join(folder, path), sources);
  const names = accounts.flatMap(({ name }) => name ?? []);
  const tools = toolsFor(names, { sql, isPersonal });
  const complain = (text: string) => {
    throw new Error(text);
  };
  return {
    tools,
    ask: async (name, given = {}) => {
      const call = JSON.stringify({ name, arguments: given });
      const said = await answerCall(call, { tools, accounts, file, isPersonal, complain });
      return "error" in said ? said.error : JSON.parse(JSON.stringify(said.answer));
    },
  };
}

/** Returns every text of a value: names of members and values. */
export function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(textsOf)];
}
