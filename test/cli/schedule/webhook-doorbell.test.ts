import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { beginWarehouse } from "../../../src/warehouse/file/begin.ts";
import { startLogging } from "../../support/logging-program.ts";
import { HAS_PROCESSES } from "../../support/run.ts";
import { json, passOn, startServer, startTlsServer } from "../../support/services/server.ts";
import { readColumn } from "../../support/warehouses/warehouse.ts";
import { writeAccounts } from "../accounts/agency.ts";
import { until } from "../until.ts";
import { makeDoorbellFolder, SECRET, TOP } from "./doorbell-folder.ts";

describe.skipIf(!HAS_PROCESSES)("schedule --listen with a doorbell", () => {
  it("stores a call soon after the sandbox delivered it to a webhook that a command set up", async () => {
    const accounts = { acme: { calls: 60, deliveryTimeoutMs: 600_000 }, beta: { calls: 40 } };
    await using folder = await makeDoorbellFolder(accounts);
    const { acme } = folder;
    const read = (sql: string) => readColumn(join(folder.path, "data/acme/calltally.db"), sql);
    await using schedule = startLogging(["schedule", "--begin", "--listen", "127.0.0.1:0"], {
      cwd: folder.path,
    });
    const syncs = (account: string) =>
      schedule.lines().filter((line) => line.account === account && line.msg === "synced").length;
    const { doorbell } = await schedule.seen((line) => "doorbell" in line);
    await using proxy = await startTlsServer("localhost", passOn(String(doorbell)));
    await schedule.seen(() => syncs("acme") + syncs("beta") === 2);

    const url = `${proxy.url}doorbell/acme`;
    const set = `webhook patch 44 --account acme --doorbell ${url} --static-parameter team=a`;
    const dry = await folder.run(`${set} --dry-run`);
    expect(JSON.parse(dry.stdout.slice(dry.stdout.indexOf("{")))).toEqual({
      webhook_endpoint: url,
      method: "POST",
      format: "JSON",
      static_parameters: [
        { field_name: "team", field_value: "a" },
        { field_name: "calltally_secret", field_value: "[hidden]" },
      ],
    });
    expect(dry).toMatchObject({
      code: 0,
      stderr:
        "Replaces the endpoint, method and format of webhook 44, and its whole list of static parameters by: team, calltally_secret.\n",
    });
    const changed = await folder.say(set);
    expect(changed).toMatch(/^Webhook 44 changed/);
    expect(acme.webhooks.get(44)?.static_parameters).toContainEqual({
      field_name: "calltally_secret",
      field_value: SECRET,
    });
    const kept = JSON.stringify(read("SELECT body || answer FROM webhook_changes"));
    expect(kept).toContain("calltally_secret");
    expect(`${dry.stdout}${changed}${kept}`).not.toContain(SECRET);

    // No slot of the schedule is near: only the bell can bring it.
    const id = acme.calls.insert();
    await until(() => read("SELECT call_id FROM calls").includes(id));
    expect(syncs("beta")).toBe(1);
    await acme.settleDeliveries();
    expect(acme.deliveries.filter(({ webhook_id }) => webhook_id === 44)).toMatchObject([
      { outcome: "delivered", status: 202 },
    ]);
    const { code, stderr } = await schedule.stop();
    expect(code).toBe(0);
    expect(stderr).not.toContain(SECRET);
    expect(stderr).not.toContain(String(id));
  });
});

describe("calltally webhook patch --doorbell", () => {
  const url = "https://calls.example.com/doorbell";
  const patch = "webhook patch 44 --doorbell";
  const set = `${patch} ${url}`;

  it("sets up the doorbell of the environment's single account with only the secret", async () => {
    await using folder = await makeDoorbellFolder({ acme: { calls: 1 } });
    folder.write("calltally.yaml", `base_url: ${folder.acme.url}\n${TOP}`);
    folder.env.CALLTALLY_TOKEN = folder.acme.token;
    folder.begin();
    await folder.say(`${set} --clear-static-parameters`);
    expect(folder.acme.webhooks.get(44)).toMatchObject({
      webhook_endpoint: url,
      static_parameters: [{ field_name: "calltally_secret", field_value: SECRET }],
    });
  });

  it.each([
    { address: `${url}/acme`, isWarning: false },
    { address: `${url}/beta`, isWarning: true },
    { address: url, isWarning: true },
  ])(
    "warns if deliveries to $address would not sync the account: $isWarning",
    async ({ address, isWarning }) => {
      await using folder = await makeDoorbellFolder({ acme: { calls: 1 }, beta: { calls: 1 } });
      const { code, stderr } = await folder.run(
        `${patch} ${address} --account acme --clear-static-parameters --dry-run`,
      );
      expect(code).toBe(0);
      const warning = "does not end with /doorbell/acme: unless a proxy rewrites it";
      expect(stderr.includes(warning)).toBe(isWarning);
    },
  );

  it.each([
    { line: set, says: "Cannot add the secret to the static parameters of webhook 44" },
    {
      line: `${patch} http://calls.example.com/doorbell --clear-static-parameters`,
      says: "webhook_endpoint: must be a valid https:// URL",
    },
    {
      line: `${set} --clear-static-parameters --method GET`,
      says: "Cannot use --doorbell with --method: only one of them can be given",
    },
    { line: set, top: "", says: "Cannot use --doorbell: calltally.yaml has no doorbell" },
  ])("exits with 2 and sends nothing: $says", async ({ line, says, top }) => {
    await using folder = await makeDoorbellFolder({ acme: { calls: 1 } }, top);
    const { code, stderr } = await folder.run(line);
    expect({ code, requests: folder.acme.requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain(says);
  });

  it("neither stores nor shows a secret that the service sends back", async () => {
    await using folder = await makeDoorbellFolder({ acme: { calls: 1 } });
    const message = `static_parameters: ${SECRET} is too long`;
    await using server = await startServer(json({ code: 400, message, request_id: SECRET }, 400));
    writeAccounts(folder.path, { acme: { url: server.url.origin, token: "t0ken-of-acme" } }, { top: TOP });
    beginWarehouse(join(folder.path, "data/acme/calltally.db"));
    const { code, stderr } = await folder.run(`${set} --clear-static-parameters`);
    expect(code).toBe(8);
    expect(stderr).toContain("[secret] is too long");
    const file = readFileSync(join(folder.path, "data/acme/calltally.db"));
    expect(stderr + file.toString("latin1")).not.toContain(SECRET);
  });
});
