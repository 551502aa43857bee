import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startSandbox } from "../../../src/sandbox/server.ts";
import { hasCommand } from "../../support/commands.ts";
import { HAS_PROCESSES } from "../../support/run.ts";
import { passOn, startServer } from "../../support/services/server.ts";
import { readText } from "../../support/temp-folder.ts";
import { makeFolder } from "../folder.ts";
import { makeAgencyFolder, writeAccounts } from "./agency.ts";

/** Starts a server that forwards every request and counts concurrent ones. */
async function startCounter({ url, token }: { url: string; token: string }) {
  let [underWay, most] = [0, 0];
  const server = await startServer((request, response) => {
    most = Math.max(most, ++underWay);
    response.once("close", () => underWay--);
    passOn(url)(request, response);
  });
  return { ...server, url: server.url.origin, token, most: () => most };
}

it("sync, export, status and doctor work on each of several accounts; a failing one stops no other", async () => {
  const accounts = { acme: { calls: 120 }, beta: { calls: 80 }, gamma: { calls: 50 } };
  const more = { beta: "timezone: America/Chicago" };
  await using folder = await makeAgencyFolder(accounts, { more });
  const { run, say, beta } = folder;
  folder.write("beta.token", "t0ken-of-nobody");

  const synced = await run("sync");
  expect(synced.code).toBe(4);
  expect(synced.stdout).toMatch(/^acme\nRun 1, .*\n {2}read +120 /m);
  expect(synced.stdout).toMatch(/^gamma\nRun 1, .*\n {2}read +50 /m);
  expect(synced.stderr).toMatch(/^beta: .*401/m);

  const table = await run("status");
  expect(table).toMatchObject({ code: 3, stderr: "" });
  const lines = table.stdout.trimEnd().split("\n");
  const problems = lines.splice(6).map((line) => line.trim());
  expect(problems.join(" ")).toMatch(
    /^beta: The API refused the token, status 401: Missing .* \(request [\w-]+\) beta: No sync has finished yet: .*$/,
  );
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(lines).toEqual([
    expect.stringMatching(/^account +working +verdict +fresh +calls +jobs +problems$/),
    expect.stringMatching(/^acme +yes +(exact|probable) +0 min +120 *$/),
    expect.stringMatching(/^beta +no +never +0 +The API refused the token.*…$/),
    expect.stringMatching(/^gamma +yes +(exact|probable) +0 min +50 *$/),
    "",
    "3 accounts, 1 with a problem: calltally status --account NAME",
  ]);
  expect((await run("status --max-age 1h")).code).toBe(3);
  expect((await run("status --max-age 1h --account acme --account gamma")).code).toBe(0);
  expect(JSON.parse((await run("status --json")).stdout)).toMatchObject({
    acme: { calls: { live: 120 } },
    beta: { last_good_run: null },
  });

  folder.write("beta.token", beta.token);
  expect((await run("sync --account beta")).stdout).toMatch(/^Run 2, .*\n {2}read +80 /m);
  expect(await say("export channel")).toMatch(
    /^acme\ndata\/acme\/exports\/channel.csv {2}.*120 calls\n(.*\n)*\nbeta\ndata\/beta\/exports\/channel.csv .*80 calls$/m,
  );
  const manifest = JSON.parse(readText(folder.path, "data/beta/exports/manifest.json"));
  expect(manifest).toMatchObject({ timezone: "America/Chicago", origin: { base_url: beta.url } });

  expect(await say("doctor --all")).toMatch(
    /^gamma\nok +CALLTALLY_BASE_URL +http.* \(from calltally.yaml:10:15: accounts.gamma.base_url\)$/m,
  );
});

it("backup and restore use a file of each account by {account}", async () => {
  await using folder = await makeAgencyFolder({ acme: { calls: 20 }, beta: { calls: 30 } });
  const { run, say } = folder;
  await say("sync");

  const missing = await run("restore saved/{account}.db");
  expect(missing).toMatchObject({ code: 7, stdout: "" });
  expect(missing.stderr).toMatch(/^acme: .*saved\/acme\.db.*\n(.*\n)*beta: .*saved\/beta\.db/m);
  expect(await say("backup saved/{account}.db")).toMatch(
    /^acme\nsaved\/acme\.db {2}20 calls .*\n\nbeta\nsaved\/beta\.db {2}30 calls .*\n$/,
  );
  expect(JSON.parse(await say("restore saved/{account}.db --json"))).toMatchObject({
    acme: { calls: 20 },
    beta: { calls: 30 },
  });
  expect((await run("backup all.db")).stderr).toBe(
    "calltally: Cannot use one file, all.db, for acme, beta\nPut {account} in its path, or name one account with --account.\n",
  );
  expect(await say("backup {account}.db --account beta")).toMatch(/^beta\.db {2}30 calls/);

  using alone = makeFolder();
  expect(await alone.run("backup {account}.db")).toMatchObject({
    code: 2,
    stderr:
      "calltally: Cannot use {account} in {account}.db: it has no value here\nLeave it out: it has a value only where there are accounts, or a report with a period.\n",
  });
});

it.skipIf(!HAS_PROCESSES)("a command for one account requires its name if there are several", async () => {
  await using folder = await makeAgencyFolder({ acme: { calls: 20 }, beta: { calls: 30 } });
  const { run, say } = folder;
  await say("sync");
  const count = ["query --format csv", "SELECT count(*) AS calls FROM calls"];
  expect(await run(...count)).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "calltally: This command works on one account, but there are acme, beta\nName one, e.g. --account acme\n",
  });
  expect((await run(...count, "--account", "beta")).stdout).toBe("calls\r\n30\r\n");
  expect((await run(...count, "--account", "betta")).stderr).toBe(
    "calltally: There is no account betta: calltally.yaml has acme, beta\nDid you mean beta?\n",
  );
  // A warehouse names its origin; one without an origin has neither address nor token.
  expect((await run(...count, "--database", "data/acme/calltally.db")).stdout).toBe("calls\r\n20\r\n");
  expect(await run("sync --database other.db")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^calltally: Cannot reach the API: CALLTALLY_BASE_URL is not set\nRun `calltally init`, or set it to /,
    ),
  });
  for (const command of [
    "explain 1",
    "insight show 101",
    "schema",
    "webhook patch 44 --status active --dry-run",
    "sync --rebind",
    "backup b.db",
    "restore b.db",
    "export channel --stdout",
    "export --out x",
    "spend import costs-{account}.csv more.csv",
  ].filter(hasCommand)) {
    const says = /works on one account|--account/;
    expect(await run(command)).toMatchObject({ code: 2, stderr: expect.stringMatching(says) });
  }
  expect(existsSync(join(folder.path, "x"))).toBe(false);
});

it("several accounts share the limit of requests to a host", async () => {
  using folder = makeFolder();
  await using sandbox = await startSandbox({ calls: 400, latencyMs: 15 });
  await using counted = await startCounter(sandbox);
  const names = ["a", "b", "c", "d", "e"];
  const accounts = Object.fromEntries(names.map((name) => [name, counted]));
  const more = Object.fromEntries(names.map((name, index) => [name, `org_unit_id: ${index + 1}`]));
  writeAccounts(folder.path, accounts, { top: "host_requests: 3\nlimit: 60\n", more });
  expect((await folder.run("sync")).code).toBe(0);
  expect(counted.most()).toBe(3);
});
