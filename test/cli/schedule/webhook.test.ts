import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HAS_PROCESSES, startCalltally } from "../../support/run.ts";
import { reset, startServer } from "../../support/services/server.ts";
import { readRows } from "../../support/warehouses/warehouse.ts";
import { makeFolder, makeSandboxFolder } from "../folder.ts";

const WEBHOOK = {
  webhook_name: "CRM",
  webhook_endpoint: "https://crm.example.com/in",
  format: "JSON",
  method: "POST",
};

const readChanges = (folder: string) =>
  readRows(
    join(folder, "data/calltally.db"),
    "SELECT webhook_id, method, body, outcome, request_id FROM webhook_changes",
  );

describe("calltally webhook", () => {
  it("patches a webhook, and keeps the change with its response", async () => {
    await using folder = await makeSandboxFolder({ calls: 1 });
    folder.begin();
    const { sandbox, run } = folder;
    const flags = [
      "--status",
      "inactive",
      "--no-include-dni-logs",
      "--static-parameter",
      "team=sales",
      "api_key=k-4711",
    ];
    const { code, stdout, stderr } = await run("webhook patch 44", ...flags);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^Webhook 44 changed, request [0-9a-f-]{36}\n$/);
    const static_parameters = [
      { field_name: "team", field_value: "sales" },
      { field_name: "api_key", field_value: "k-4711" },
    ];
    expect(sandbox.webhooks.get(44)).toMatchObject({
      webhook_status: "inactive",
      include_dni_logs: false,
      static_parameters,
    });
    const [change] = readChanges(folder.path);
    expect(change).toMatchObject({
      webhook_id: 44,
      method: "PATCH",
      outcome: "done",
      request_id: expect.any(String),
    });
    expect(JSON.stringify(change)).not.toContain("k-4711");
  });

  it("replaces a webhook from a file, even with a byte order mark, and names what the body leaves out", async () => {
    await using folder = await makeSandboxFolder({ calls: 1 });
    folder.begin();
    const { sandbox, run } = folder;
    const body = JSON.stringify({ ...WEBHOOK, static_parameters: [] });
    writeFileSync(join(folder.path, "w.json"), `\ufeff${body}`);
    const { code, stderr } = await run("webhook replace 44 --file w.json");
    expect(code).toBe(0);
    const emptied = {
      description: "",
      include_data_append: false,
      include_dni_logs: false,
      include_indicator_scores: false,
      include_ivr_keypresses: false,
    };
    expect(stderr.trim().split("\n")).toEqual([
      `Left out of the body: ${Object.keys(emptied).join(", ")}.`,
      "They probably become empty or false; the API's documentation does not say.",
      "webhook_status is left out of the body, and keeps its value.",
      "static_parameters replaces the whole stored list.",
    ]);
    expect(sandbox.webhooks.get(44)).toMatchObject({
      ...WEBHOOK,
      ...emptied,
      static_parameters: [],
      webhook_status: "active",
    });
    const { webhook_created: _created, webhook_updated: _updated, ...read } = { ...sandbox.webhooks.get(44) };
    writeFileSync(join(folder.path, "w.json"), JSON.stringify(read));
    const whole = await run("webhook replace 44 --file w.json");
    expect(whole).toMatchObject({ code: 0, stderr: "static_parameters replaces the whole stored list.\n" });
    expect(sandbox.webhooks.get(44)).toMatchObject(read);
  });

  it("shows a request without sending it and without its secrets", async () => {
    await using folder = await makeSandboxFolder({ calls: 1 });
    const { sandbox, run } = folder;
    const args = ["webhook", "patch", "44", "--static-parameter", "password=p-4711", "--dry-run"];
    const { code, stdout } = await run(...args);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^PATCH ${sandbox.url}/v3/webhooks/44\n`));
    expect(stdout).toContain("[hidden]");
    expect(stdout).not.toContain("p-4711");
    expect(sandbox.requests).toEqual([]);
  });

  it("exits with 8 for a deleted webhook", async () => {
    await using folder = await makeSandboxFolder({ calls: 1 });
    folder.begin();
    const { code, stderr } = await folder.run("webhook patch 46 --status active");
    expect(code).toBe(8);
    expect(stderr).toContain("The API returned 404: Webhook 46 not found");
    expect(readChanges(folder.path)).toMatchObject([{ webhook_id: 46, outcome: "refused" }]);
  });

  it("exits with 5 and does not retry if the connection is lost after a change was sent", async () => {
    await using server = await startServer(reset);
    const env = { CALLTALLY_BASE_URL: server.url.origin, CALLTALLY_TOKEN: "token-4711" };
    using folder = makeFolder(env);
    folder.begin();
    const { code, stderr } = await folder.run("webhook patch 44 --description x");
    expect({ code, requests: server.requests.length }).toEqual({ code: 5, requests: 1 });
    expect(stderr).toContain("outcome unknown");
    expect(readChanges(folder.path)).toMatchObject([{ outcome: "unknown" }]);
  });

  it.skipIf(!HAS_PROCESSES)(
    "records an unknown outcome of a change that is stopped before its response",
    async () => {
      using folder = makeFolder();
      folder.begin();
      const { promise: asked, resolve } = Promise.withResolvers<void>();
      await using server = await startServer(() => resolve());
      const env = { CALLTALLY_BASE_URL: server.url.origin, CALLTALLY_TOKEN: "token-4711" };
      const args = ["webhook", "patch", "44", "--description", "x"];
      const change = startCalltally(args, { cwd: folder.path, env });
      await asked;
      change.kill("SIGINT");
      expect((await change.done).code).toBe(130);
      expect(readChanges(folder.path)).toMatchObject([{ outcome: "unknown" }]);
    },
  );

  it("prints nothing with --quiet", async () => {
    await using folder = await makeSandboxFolder({ calls: 1 });
    folder.begin();
    const finished = await folder.run("webhook patch 44 --description x --quiet");
    expect(finished).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it.each([
    ["webhook patch 44 --endpoint http://crm.example.com", "webhook_endpoint: must be a valid https:// URL"],
    ["webhook replace 44 --file w.json", "method: "],
    ["webhook patch 44 --file x.json", "Cannot read the file of the webhook"],
    ["webhook replace 44 --file latin.json", "latin.json is not a JSON object in UTF-8"],
    ["webhook patch 44 --static-parameter team", "name=value"],
    ["webhook patch x --status active", "whole number"],
    ["webhook patch 1 --file folder", "folder: it is a folder"],
  ])("exits with 2, sends and writes nothing: calltally %s", async (line, says) => {
    await using folder = await makeSandboxFolder({ calls: 1 });
    folder.write(
      "w.json",
      '{"webhook_name":"CRM","webhook_endpoint":"https://crm.example.com","format":"JSON"}',
    );
    folder.write("latin.json", Buffer.from('{"webhook_name":"Bücher"}', "latin1"));
    mkdirSync(join(folder.path, "folder"));
    const { code, stdout, stderr } = await folder.run(line);
    expect({ code, stdout, requests: folder.sandbox.requests }).toEqual({
      code: 2,
      stdout: "",
      requests: [],
    });
    expect(stderr).toContain(says);
    expect(readdirSync(folder.path).sort()).toEqual(["folder", "latin.json", "w.json"]);
  });
});
