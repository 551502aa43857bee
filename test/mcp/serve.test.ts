import { once } from "node:events";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { rollupQuestion } from "../../src/library/parse-options.ts";
import type { AskOptions, Call, ToolReply } from "../../src/mcp/answer-call.ts";
import { serve } from "../../src/mcp/serve.ts";
import { toolsFor } from "../../src/mcp/tools.ts";

const INITIALIZE = {
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const message = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.unknown(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

/** Serves tools to a client that has been initialized. */
async function startServer(ask: (call: Call, options: AskOptions) => Promise<ToolReply>) {
  const [input, output, stop] = [new PassThrough(), new PassThrough(), new AbortController()];
  const complaints: string[] = [];
  const tools = toolsFor([], { sql: false, isPersonal: true });
  const ended = serve({
    tools,
    ask,
    signal: stop.signal,
    input,
    output,
    complain: (text) => complaints.push(text),
  });
  const responses = new Map<unknown, PromiseWithResolvers<z.infer<typeof message>>>();
  const responseTo = (id: unknown) => {
    const known = responses.get(id) ?? Promise.withResolvers();
    responses.set(id, known);
    return known;
  };
  createInterface({ input: output }).on("line", (line) => {
    const read = message.parse(JSON.parse(line));
    responseTo(read.id).resolve(read);
  });
  const write = (body: object) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...body })}\n`);
  const request = (body: { id: unknown; method: string; params?: object }) => {
    write(body);
    return responseTo(body.id).promise;
  };
  const initialized = await request(INITIALIZE);
  write({ method: "notifications/initialized" });
  const call = (id: unknown, name = "status") => ({ id, method: "tools/call", params: { name } });
  return { input, stop, ended, write, responseTo, request, call, initialized, complaints, tools };
}

const answered = async (): Promise<ToolReply> => ({ answer: { calls: 2 } });

describe("serve", () => {
  it("describes itself, and lists only reading tools, in the vocabulary of the library", async () => {
    const { request, initialized, tools } = await startServer(answered);
    expect(initialized.result).toMatchObject({
      capabilities: { tools: {} },
      serverInfo: { name: "calltally", version: expect.stringMatching(/^\d+\.\d+/) },
      instructions: expect.stringContaining("never instructions"),
    });
    const { result } = await request({ id: 1, method: "tools/list" });
    const { $schema: _, ...question } = z.toJSONSchema(rollupQuestion, { io: "input" });
    expect(result?.tools).toEqual(
      tools.map(({ name, title, description }) => ({
        name,
        title,
        description,
        annotations: { title, readOnlyHint: true },
        inputSchema: expect.objectContaining(name === "figures" ? { properties: question.properties } : {}),
      })),
    );
  });

  it("responds with text and data, and to an error with text", async () => {
    const calls: Call[] = [];
    const { request, call } = await startServer(async (asked) => {
      calls.push(asked);
      return asked.name === "status" ? { answer: { calls: 2 } } : { error: "There is none" };
    });
    expect((await request(call(1))).result).toEqual({
      content: [{ type: "text", text: '{"calls":2}' }],
      structuredContent: { calls: 2 },
    });
    const args = { by: [] };
    const figures = { id: 2, method: "tools/call", params: { name: "figures", arguments: args } };
    expect((await request(figures)).result).toEqual({
      content: [{ type: "text", text: "There is none" }],
      isError: true,
    });
    expect(calls).toEqual([
      { name: "status", arguments: {} },
      { name: "figures", arguments: args },
    ]);
  });

  it.each(["query", "constructor"])("refuses the unknown tool %s", async (name) => {
    const { request, call } = await startServer(answered);
    expect((await request(call(1, name))).error).toEqual({
      code: -32602,
      message: expect.stringContaining(`There is no tool ${name}`),
    });
  });

  it.each([[[]], [["status"]], [null], ["status"], [7]])(
    "responds to a request with the params %j with an error, and continues",
    async (params) => {
      const { input, write, responseTo } = await startServer(answered);
      // A message may arrive in two pieces.
      const line = JSON.stringify({ jsonrpc: "2.0", id: "a", method: "tools/list", params });
      input.write(line.slice(0, 20));
      input.write(`${line.slice(20)}\n`);
      write({ id: 2, method: "tools/list" });
      expect(await responseTo("a").promise).toMatchObject({
        error: { code: -32602, message: "params must be an object" },
      });
      expect(await responseTo(2).promise).toMatchObject({ result: { tools: expect.any(Array) } });
    },
  );

  it("handles two calls at a time, and cancels waiting ones", async () => {
    const open: { options: AskOptions; end: PromiseWithResolvers<ToolReply> }[] = [];
    const started = new PassThrough();
    const { write, request, call } = await startServer((_call, options) => {
      const end = Promise.withResolvers<ToolReply>();
      open.push({ options, end });
      started.emit("call");
      options.signal.addEventListener("abort", () => end.reject(options.signal.reason));
      return end.promise;
    });
    const two = new Promise<void>((resolve) => started.on("call", () => open.length === 2 && resolve()));
    const before = Date.now();
    const calls = [1, 2, 3, 4].map((id) => request(call(id)));
    await two;
    for (const { options } of open) {
      expect(options.untilMs).toBeGreaterThanOrEqual(before + 50_000);
      expect(options.untilMs).toBeLessThanOrEqual(Date.now() + 50_000);
    }
    for (const requestId of [1, 3]) write({ method: "notifications/cancelled", params: { requestId } });
    await once(started, "call");
    expect(open.map(({ options }) => options.signal.aborted)).toEqual([true, false, false]);
    for (const { end } of open) end.resolve({ answer: { calls: 2 } });
    expect(await Promise.all([calls[1], calls[3]])).toMatchObject([{ id: 2 }, { id: 4 }]);
    expect(open).toHaveLength(3);
  });

  it.each<{ what: string; end: (server: Awaited<ReturnType<typeof startServer>>) => unknown }>([
    { what: "its input", end: ({ input }) => input.end() },
    { what: "its signal", end: ({ stop }) => stop.abort(new Error("stopped")) },
  ])("ends with $what and stops running calls", async ({ end }) => {
    const asked = Promise.withResolvers<AbortSignal>();
    const server = await startServer((_call, { signal }) => {
      asked.resolve(signal);
      return new Promise(() => {});
    });
    void server.request(server.call(1));
    const signal = await asked.promise;
    end(server);
    await server.ended;
    expect(signal.aborted).toBe(true);
    expect(server.input.listenerCount("data")).toBe(0);
  });

  it("reports an invalid message to its operator, and continues", async () => {
    const { input, request, call, complaints } = await startServer(answered);
    input.write("no message\n{}\n");
    expect(await request(call(1))).toMatchObject({ result: { structuredContent: { calls: 2 } } });
    expect(complaints.length).toBeGreaterThan(0);
  });

  it("does not start if its signal has aborted", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const options = { tools: [], ask: answered, complain: () => {}, input, output };
    await serve({ ...options, signal: AbortSignal.abort() });
    expect(input.isPaused()).toBe(true);
  });
});
