import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { json, startBadServer } from "../support/bad-server.ts";
import { startLogging } from "../support/logging-program.ts";
import { startReceiver } from "../support/receiver.ts";
import { calltally, HAS_PROCESSES } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { readColumn } from "../support/warehouse.ts";
import { writeAccounts } from "./agency.ts";
import { makeFolder } from "./folder.ts";
import { until } from "./until.ts";

const SECRET = "s3cret-of-the-doorbell";
const TOP = `jitter_seconds: 0
sync_cron: "0 0 1 1 *"
doorbell: { secret_file: secrets/doorbell, min_seconds: 1 }
`;

function writeSecret(folder: string, secret = SECRET): void {
  mkdirSync(join(folder, "secrets"), { recursive: true });
  writeFileSync(join(folder, "secrets/doorbell"), `${secret}\n`, { mode: 0o600 });
}

/** The values of a column in an account's warehouse. */
const read = (folder: string, account: string, sql: string) =>
  readColumn(join(folder, `data/${account}/calltally.db`), sql);

const callsOf = (folder: string, account: string) =>
  read(folder, account, "SELECT call_id FROM calls").map(Number);

/** Starts the schedule; `synced` waits for that many good syncs of an account. */
async function startSchedule(folder: string) {
  const schedule = startLogging(["schedule", "--listen", "127.0.0.1:0"], { cwd: folder });
  const syncs = (account: string) =>
    schedule.lines().filter((line) => line.account === account && line.msg === "synced").length;
  const { doorbell } = await schedule.seen((line) => "doorbell" in line);
  return {
    ...schedule,
    url: String(doorbell),
    syncs,
    synced: (account: string, number: number) => schedule.seen(() => syncs(account) >= number),
  };
}

/** Longer than any delay of the machine. */
const deliveryTimeoutMs = 600_000;

/** The proxy in front of the schedule: TLS, forwarded to where it listens now. */
function startProxy(target: { url: string }) {
  return startReceiver(async (response, { method = "", url, body }) => {
    const address = `${target.url.replace(/\/doorbell$/, "")}${url}`;
    const init = method === "GET" ? { method } : { method, body };
    const passed = await fetch(address, init).catch(() => ({ status: 502 }));
    response.writeHead(passed.status).end();
  });
}

describe.skipIf(!HAS_PROCESSES)("schedule --listen with a doorbell", () => {
  it("stores a call soon after the sandbox delivered it to a webhook that a command set up", async () => {
    using folder = makeFolder();
    await using acme = await startSandbox({ calls: 60, token: "t0ken-of-acme", deliveryTimeoutMs });
    await using beta = await startSandbox({ calls: 40, token: "t0ken-of-beta" });
    writeAccounts(folder.path, { acme, beta }, { top: TOP });
    writeSecret(folder.path);
    const schedule = await startSchedule(folder.path);
    await using proxy = await startProxy(schedule);
    await Promise.all(["acme", "beta"].map((account) => schedule.synced(account, 1)));

    const url = `${proxy.url}/doorbell/acme`;
    const args = [
      "webhook",
      "patch",
      "44",
      "--account",
      "acme",
      "--doorbell",
      url,
      "--static-parameter",
      "team=a",
    ];
    const dry = await folder.run(...args, "--dry-run");
    expect(dry.code).toBe(0);
    expect(JSON.parse(dry.stdout.slice(dry.stdout.indexOf("{")))).toEqual({
      webhook_endpoint: url,
      method: "POST",
      format: "JSON",
      static_parameters: [
        { field_name: "team", field_value: "a" },
        { field_name: "calltally_secret", field_value: "[hidden]" },
      ],
    });
    expect(dry.stderr).toBe(
      "Replaces the endpoint, method and format of webhook 44, and its whole list of static parameters by: team, calltally_secret.\n",
    );
    const set = await folder.run(...args);
    expect({ code: set.code, stdout: set.stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Webhook 44 changed/),
    });
    expect(acme.webhooks.get(44)?.static_parameters).toContainEqual({
      field_name: "calltally_secret",
      field_value: SECRET,
    });
    const kept = JSON.stringify(read(folder.path, "acme", "SELECT body || answer FROM webhook_changes"));
    expect(`${dry.stdout}${set.stdout}${set.stderr}${kept}`).not.toContain(SECRET);
    expect(kept).toContain("calltally_secret");

    // No slot of the schedule is near: only the bell can bring them.
    const id = acme.calls.insert();
    await until(() => callsOf(folder.path, "acme").includes(id));
    expect(schedule.syncs("beta")).toBe(1);
    await acme.settleDeliveries();
    expect(acme.deliveries.filter(({ webhook_id }) => webhook_id === 44)).toMatchObject([
      { outcome: "delivered", status: 202 },
    ]);

    const inserted = Array.from({ length: 100 }, () => acme.calls.insert());
    await until(() => new Set(callsOf(folder.path, "acme")).isSupersetOf(new Set(inserted)));
    const { code, stderr } = await schedule.stop();
    expect(code).toBe(0);
    expect(stderr).not.toContain(SECRET);
    expect(stderr).not.toContain(String(inserted[0]));
    expect(schedule.syncs("acme")).toBeLessThan(20);
  });

  it("reads at its start what was delivered while it was stopped, even without a slot", async () => {
    using folder = makeTempFolder();
    await using acme = await startSandbox({ calls: 10, deliveryTimeoutMs });
    writeAccounts(folder.path, { acme }, { top: TOP });
    writeSecret(folder.path);
    const target = { url: "" };
    await using proxy = await startProxy(target);
    const params = [{ field_name: "calltally_secret", field_value: SECRET }];
    const webhook = {
      webhook_endpoint: `${proxy.url}/doorbell/acme`,
      method: "POST",
      static_parameters: params,
    };
    acme.webhooks.edit(44, webhook);
    const first = await startSchedule(folder.path);
    target.url = first.url;
    await first.synced("acme", 1);
    // Rings until it is gone: what it accepted and could not sync is read later.
    const inserted = [acme.calls.insert()];
    const stopped = first.stop();
    while (first.child.exitCode === null) {
      inserted.push(acme.calls.insert());
      await sleep(20);
    }
    expect((await stopped).code).toBe(0);
    inserted.push(acme.calls.insert());
    await acme.settleDeliveries();
    const second = await startSchedule(folder.path);
    await second.synced("acme", 1);
    expect(callsOf(folder.path, "acme")).toEqual(expect.arrayContaining(inserted));
    expect((await second.stop()).code).toBe(0);
  });

  it.each([
    { secret: "short", mode: 0o600, command: ["schedule", "--listen", "0"], says: "must hold 16 to 1,024" },
    { secret: `${SECRET} x`, mode: 0o600, command: ["config", "check"], says: "must hold 16 to 1,024" },
    {
      secret: SECRET,
      mode: 0o644,
      command: ["webhook", "patch", "44", "--doorbell", "https://x.example/doorbell/acme"],
      says: "other users can read secrets/doorbell",
    },
  ])("$command.0 refuses the secret $secret with mode $mode", async ({ secret, mode, command, says }) => {
    using folder = makeFolder();
    writeAccounts(folder.path, { acme: { url: "http://127.0.0.1:9", token: "t0ken-of-acme" } }, { top: TOP });
    mkdirSync(join(folder.path, "secrets"));
    writeFileSync(join(folder.path, "secrets/doorbell"), secret, { mode });
    const { code, stdout, stderr } = await folder.run(...command);
    expect(code).toBe(2);
    expect(stdout + stderr).toContain(`calltally.yaml:3:26: doorbell.secret_file: ${says}`);
    expect(stdout + stderr).not.toContain(secret);
  });
});

describe("calltally webhook patch --doorbell", () => {
  const url = "https://calls.example.com/doorbell";
  const set = ["webhook", "patch", "44", "--doorbell", url];

  it("sets up the doorbell of the environment's single account with only the secret", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 1 });
    writeFileSync(join(folder.path, "calltally.yaml"), `base_url: ${sandbox.url}\n${TOP}`, { mode: 0o600 });
    writeSecret(folder.path);
    const options = { cwd: folder.path, env: { CALLTALLY_TOKEN: sandbox.token } };
    expect((await calltally([...set, "--clear-static-parameters"], options)).code).toBe(0);
    expect(sandbox.webhooks.get(44)).toMatchObject({
      webhook_endpoint: url,
      method: "POST",
      format: "JSON",
      static_parameters: [{ field_name: "calltally_secret", field_value: SECRET }],
    });
  });

  it("warns about an address at which deliveries would not sync the account", async () => {
    using folder = makeFolder();
    const service = { url: "http://127.0.0.1:9", token: "t0ken-of-acme" };
    writeAccounts(folder.path, { acme: service, beta: service }, { top: TOP });
    writeSecret(folder.path);
    const says = async (address: string) => {
      const args = ["webhook", "patch", "44", "--account", "acme", "--clear-static-parameters", "--dry-run"];
      const { code, stderr } = await folder.run(...args, "--doorbell", address);
      expect(code).toBe(0);
      return stderr.includes("does not end with /doorbell/acme: unless a proxy rewrites it");
    };
    expect(await says(`${url}/acme`)).toBe(false);
    expect(await says(`${url}/beta`)).toBe(true);
    expect(await says(url)).toBe(true);
  });

  it.each([
    {
      title: "an unclear choice about the static parameters",
      args: set,
      says: "Cannot add the secret to the static parameters of webhook 44",
    },
    {
      title: "an address without TLS",
      args: [...set.slice(0, -1), "http://calls.example.com/doorbell", "--clear-static-parameters"],
      says: "webhook_endpoint: must be a valid https:// URL",
    },
    {
      title: "another method",
      args: [...set, "--clear-static-parameters", "--method", "GET"],
      says: "Cannot use --doorbell with --method: only one of them can be given",
    },
    {
      title: "a file without a doorbell",
      args: set,
      top: "",
      says: "Cannot use --doorbell: calltally.yaml has no doorbell",
    },
  ])("exits with 2 and sends nothing for $title", async ({ args, says, top = TOP }) => {
    using folder = makeFolder();
    await using sandbox = await startSandbox({ calls: 1 });
    writeAccounts(folder.path, { acme: sandbox }, { top });
    writeSecret(folder.path);
    const { code, stderr } = await folder.run(...args);
    expect({ code, requests: sandbox.requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain(says);
  });

  it("neither stores nor shows a secret that the service sends back", async () => {
    using folder = makeFolder();
    const message = `static_parameters: ${SECRET} is too long`;
    await using server = await startBadServer(json({ code: 400, message, request_id: SECRET }, 400));
    const acme = { url: server.url.origin, token: "t0ken-of-acme" };
    writeAccounts(folder.path, { acme }, { top: TOP });
    writeSecret(folder.path);
    const ended = await folder.run(...set, "--clear-static-parameters");
    expect(ended.code).toBe(8);
    expect(ended.stderr).toContain("[secret] is too long");
    const file = readFileSync(join(folder.path, "data/acme/calltally.db"));
    expect(ended.stderr + file.toString("latin1")).not.toContain(SECRET);
  });
});
