import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { SETTINGS } from "../../src/config/settings.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { startMailServer } from "../reports/delivery/mail-server.ts";
import { settingsFor } from "../support/run.ts";
import { json, startServer } from "../support/services/server.ts";
import { makeAgencyFolder } from "./accounts/agency.ts";
import { type Folder, makeFolder, makeSandboxFolder } from "./folder.ts";

const checkSchema = z.object({
  name: z.string(),
  state: z.enum(["ok", "warn", "fail"]),
  message: z.string(),
  hint: z.string().optional(),
  exit_code: z.number(),
});
const findingsSchema = z.object({ exit_code: z.number(), checks: z.array(checkSchema) });

/** The checks of doctor that are not ok. */
async function complaints({ run }: Folder, ...flags: string[]) {
  const { code, stdout, stderr } = await run("doctor --json", ...flags);
  expect(stderr).toBe("");
  const { exit_code, checks } = findingsSchema.parse(JSON.parse(stdout));
  expect(exit_code).toBe(code);
  const found = checks.filter(({ state }) => state !== "ok");
  return { code, checks, found: found.map(({ name, state, message }) => `${state} ${name}: ${message}`) };
}

const NO_WAREHOUSE = expect.stringMatching(/^warn warehouse: there is none at /);

it("doctor finds no problem in a sound installation, with at most ten requests", async () => {
  await using folder = await makeSandboxFolder({ calls: 1500 });
  const { sandbox, run } = folder;
  await run("sync");
  const requests = sandbox.requests.length;
  const { code, checks, found } = await complaints(folder, "--deep");
  expect({ code, found }).toEqual({ code: 0, found: [] });
  expect(sandbox.requests.length - requests).toBeLessThanOrEqual(10);
  const messages = Object.fromEntries(checks.map(({ name, message }) => [name, message]));
  for (const { env } of Object.values(SETTINGS)) expect(messages).toHaveProperty(env);
  expect(messages).toMatchObject({
    CALLTALLY_BASE_URL: `${sandbox.url} (from the environment)`,
    CALLTALLY_TOKEN: "set, 13 characters (from the environment)",
    CALLTALLY_LIMIT: "1000 (default)",
    versions: expect.stringMatching(/^calltally \d+\.\d+\.\d+, Node \d+\.\d+\.\d+, SQLite \d+\.\d+\.\d+, /),
    contents: "1,500 calls unchanged since they were read",
    order: "stable, newest start first; pages overlap as they should",
    total: "steady at 1,500 calls",
    "duration unit": expect.stringMatching(/^seconds, as \d+ transcripts agree$/),
  });
  const { stdout } = await run("doctor --all");
  expect(stdout).toMatch(/^ok {4}CALLTALLY_TOKEN +set, 13 characters/m);
  expect(stdout).toMatch(/\n\n(\d+) of \1 checks passed\n$/);
  expect(stdout).not.toContain(sandbox.token);
  expect((await run("doctor")).stdout).toMatch(/^(\d+) of \1 checks passed; --all lists them\n$/);
});

it("doctor works without any settings, changes nothing, and exits with 2", async () => {
  using folder = makeFolder();
  const unset = [
    "fail CALLTALLY_BASE_URL: not set, but required for a sync",
    "fail CALLTALLY_TOKEN_FILE: not set, but required for a sync",
  ];
  const expected = { code: 2, found: [...unset, NO_WAREHOUSE] };
  expect(await complaints(folder)).toMatchObject(expected);
  expect(readdirSync(folder.path)).toEqual([]);
  folder.write("notes.txt", "not a folder");
  expect(await complaints(folder, "--database", "notes.txt/calls.db")).toMatchObject(expected);
});

it("doctor connects to the mail server of calltally.yaml, and exits with 5 if it is gone", async () => {
  await using folder = await makeSandboxFolder({ calls: 20 });
  const mail = await startMailServer({ lacksTls: true });
  folder.write("smtp.url", `smtp://127.0.0.1:${mail.port}?from=calls@example.com`);
  folder.write("calltally.yaml", "smtp_url_file: smtp.url\n");
  await folder.run("sync");
  expect(await complaints(folder)).toMatchObject({ code: 0, found: [] });
  await mail[Symbol.asyncDispose]();
  const gone = /^fail mail server: Cannot send mail by 127\.0\.0\.1:\d+: .*ECONNREFUSED/;
  expect(await complaints(folder)).toMatchObject({ code: 5, found: [expect.stringMatching(gone)] });
});

it("doctor shows accounts with the same problems together, and names the others", async () => {
  const names = ["acme", "beta", "gamma"];
  await using folder = await makeAgencyFolder({
    acme: { calls: 60 },
    beta: { calls: 61 },
    gamma: { calls: 62 },
  });
  await folder.run("sync");
  expect((await folder.run("doctor")).stdout).toMatch(
    /^Passed: acme, beta, gamma\n\n\d+ of \d+ checks passed; --all lists them\n$/,
  );
  folder.write("beta.token", "wr0ng-token");
  const { code, stdout } = await folder.run("doctor");
  expect(code).toBe(4);
  expect(stdout).toMatch(
    /^beta\nfail {2}token {2}The API refused the token.*\n {13}\S.*\n\nPassed: acme, gamma\n\n\d+ of/,
  );
  const misspelled = await folder.runWith({ CALLTALLY_LIMT: "5" }, "doctor");
  expect(misspelled.stdout).toMatch(
    /^acme, gamma\nwarn {2}CALLTALLY_LIMT .*\n.*\n\nbeta\nwarn {2}CALLTALLY_LIMT /,
  );
  const json = JSON.parse((await folder.run("doctor --json")).stdout);
  expect(Object.keys(z.record(z.string(), findingsSchema).parse(json))).toEqual(names);
});

it("doctor names an invalid and an unknown setting, and checks the rest", async () => {
  await using sandbox = await startSandbox({ calls: 100 });
  const env = { CALLTALLY_BASE_URL: sandbox.url, CALLTALLY_LIMT: "5", CALLTALLY_SYNC_CRON: "often" };
  using folder = makeFolder(env);
  folder.write(".env", `CALLTALLY_CONCURRENCY=900\nCALLTALLY_TOKEN=${sandbox.token}\n`);
  chmodSync(join(folder.path, ".env"), 0o644);
  const { code, checks, found } = await complaints(folder);
  expect({ code, found }).toEqual({
    code: 2,
    found: [
      "fail CALLTALLY_CONCURRENCY: must be a whole number from 1 to 32 (from .env)",
      expect.stringMatching(
        /^fail CALLTALLY_SYNC_CRON: often is not a cron expression: .* \(from the environment\)$/,
      ),
      "warn CALLTALLY_LIMT: is not a calltally setting, and has no effect",
      `warn file modes: other users can read ${join(folder.path, ".env")}`,
      NO_WAREHOUSE,
    ],
  });
  expect(checks).toContainEqual(expect.objectContaining({ hint: "Did you mean CALLTALLY_LIMIT?" }));
  expect(checks).toContainEqual(expect.objectContaining({ name: "token", state: "ok" }));
});

it.each([
  {
    env: { NODE_TLS_REJECT_UNAUTHORIZED: "0" },
    found: [
      "warn NODE_TLS_REJECT_UNAUTHORIZED: 0: the service's certificate is not checked, so anybody on the network can read the token",
    ],
  },
  { env: { NODE_TLS_REJECT_UNAUTHORIZED: "1", NODE_EXTRA_CA_CERTS: "/etc/hostname" }, found: [] },
])("doctor warns about a token that others can read: $env", async ({ env, found }) => {
  await using folder = await makeSandboxFolder({ calls: 10 }, env);
  expect(await complaints(folder)).toMatchObject({ code: 0, found: [...found, NO_WAREHOUSE] });
});

it.each([
  {
    title: "limits its pages to 200 calls, and the setting for it",
    service: { calls: 1500, pageCap: 200, order: "oldest" },
    code: 0,
    says: ["warn page size: the service caps its pages: 1,000 calls requested, 200 sent"],
    also: "With 200 as the setting limit",
  },
  {
    title: "sends one call per page, with which no pass can be verified",
    service: { calls: 20, pageCap: 1 },
    code: 3,
    says: ["warn page size: the service sends 1 call a page, instead of 1,000"],
  },
  {
    title: "sends calls in random order",
    service: { calls: 300, order: "random" },
    code: 3,
    says: [
      "warn order: the service lists the calls in a different order each time: two requests for one page disagree",
    ],
  },
  {
    // Not the same as a random order.
    title: "sends calls in a shuffled but stable order, while calls come and go",
    service: { calls: 1500, order: "shuffled", insertEvery: 1, deleteEvery: 2 },
    code: 0,
    says: [expect.stringMatching(/^warn order: none by id, start or source: call \d+ is out of place$/)],
    also: "calls come or go",
  },
  {
    title: "fails",
    service: { calls: 10, faults: ["500"], faultRate: 1 },
    code: 5,
    says: [expect.stringMatching(/^fail service: The API returned 500/)],
  },
] as const)("doctor names a server that $title", async ({ service, code, says, also = "" }) => {
  await using folder = await makeSandboxFolder(service);
  const checked = await complaints(folder);
  expect(checked).toMatchObject({ code, found: expect.arrayContaining([...says, NO_WAREHOUSE]) });
  expect(checked.checks.map(({ message, hint }) => `${message} ${hint}`).join()).toContain(also);
  if (code === 5) expect(folder.sandbox.requests.length).toBe(2);
  if (!also.includes("200")) return;
  folder.env.CALLTALLY_LIMIT = "200";
  expect((await complaints(folder)).found).toEqual([NO_WAREHOUSE]);
});

it.each([
  { minutes: -10, says: /the clock of this machine is 10 min 0 s ahead of that of the service/ },
  { minutes: 10, says: /the clock of this machine is (10 min 0|9 min \d\d) s behind that of the service/ },
])("doctor names a server whose clock is $minutes minutes off", async ({ minutes, says }) => {
  await using server = await startServer((request, response) =>
    json({
      code: 200,
      data: { calls: [], total: 0, limit: 1000, offset: 0 },
      timestamp: new Date(Date.now() + minutes * 60_000).toISOString(),
    })(request, response),
  );
  using folder = makeFolder(settingsFor({ url: server.url.href, token: "t" }));
  const found = [expect.stringMatching(says), NO_WAREHOUSE];
  expect(await complaints(folder)).toMatchObject({ code: 0, found });
});

it("doctor names the file of a wrong token without showing it, before dependent failures, and exits with 4", async () => {
  const settings = { CALLTALLY_TOKEN: "", CALLTALLY_TOKEN_FILE: "acme.token" };
  await using folder = await makeSandboxFolder({ calls: 10 }, settings);
  folder.write("acme.token", "canary-token-417");
  const hint = "Check acme.token: it may be mistyped, expired, or of API v2.";
  expect(await folder.run("sync")).toMatchObject({ code: 4, stderr: expect.stringContaining(hint) });
  const { code, checks, found } = await complaints(folder);
  expect({ code, found }).toEqual({
    code: 4,
    found: [
      expect.stringMatching(/^fail token: The API refused the token, status 401/),
      expect.stringMatching(/^warn last run: .*The API refused the token/),
      expect.stringMatching(/^warn no finished sync: /),
      expect.stringMatching(/^warn verified: /),
    ],
  });
  expect(checks).toContainEqual(
    expect.objectContaining({ message: "acme.token, 16 characters (from the environment)" }),
  );
  const { stdout } = await folder.run("doctor");
  expect(stdout).toContain(hint);
  expect(stdout).not.toContain("canary-token-417");
  expect(stdout).not.toContain("calltally sync"); // none can succeed
  folder.write("acme.token", "\n");
  expect((await complaints(folder)).found).toContain(
    "fail CALLTALLY_TOKEN_FILE: acme.token is empty (from the environment)",
  );
});

it("doctor detects durations in milliseconds by the transcripts", async () => {
  await using folder = await makeSandboxFolder({ calls: 300 });
  const { calls } = folder.sandbox;
  for (const id of calls.ids) calls.edit(id, { duration: Number(calls.get(id)?.duration) * 1000 });
  const says =
    /^warn duration unit: durations are about \d+ times the seconds in the transcripts: they are milliseconds, not seconds$/;
  expect((await complaints(folder)).found).toEqual([NO_WAREHOUSE, expect.stringMatching(says)]);
  folder.env.CALLTALLY_DURATION_UNIT = "milliseconds";
  await folder.run("sync");
  expect((await complaints(folder)).found).toEqual([]);
});

it("doctor finds a changed row only with --deep, and exits with 7", async () => {
  await using folder = await makeSandboxFolder({ calls: 50 });
  await folder.run("sync");
  folder.execute(
    "UPDATE calls SET caller_id = '#' WHERE call_id = (SELECT min(call_id) FROM calls WHERE caller_id <> '')",
  );
  const bytes = readFileSync(folder.database);
  expect((await complaints(folder)).code).toBe(0);
  expect(await complaints(folder, "--deep")).toMatchObject({
    code: 7,
    found: [
      expect.stringMatching(/^fail contents: 1 call differs from what was read from the service: \d+$/),
      expect.stringMatching(/^fail facts: 1 call has other facts than the rules give: \d+$/),
    ],
  });
  expect(readFileSync(folder.database).equals(bytes)).toBe(true);
});

it("doctor names a file that is not a warehouse, and still checks the service", async () => {
  await using folder = await makeSandboxFolder({ calls: 10 });
  folder.write("notes.txt", "notes");
  const says = /^fail warehouse: Cannot use .*notes\.txt as the warehouse: it is not an SQLite/;
  expect(await complaints(folder, "--database", "notes.txt")).toMatchObject({
    code: 7,
    found: [expect.stringMatching(says)],
  });
  expect(folder.sandbox.requests.length).toBeGreaterThan(1);
  expect(existsSync(join(folder.path, "data"))).toBe(false);
});

it("doctor reports that no pass was ever verified, and exits with 3", async () => {
  await using folder = await makeSandboxFolder({ calls: 300, order: "random" }, { CALLTALLY_LIMIT: "100" });
  expect((await folder.run("sync")).code).toBe(3);
  expect(await complaints(folder)).toMatchObject({
    code: 3,
    found: [
      expect.stringMatching(/^warn order: /),
      expect.stringMatching(
        /^warn unverified: Run 1, the last sync, is unverified, so calls may be missing: /,
      ),
      "warn verified: no full pass has been verified yet",
    ],
  });
});
