import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SETTINGS } from "../../src/config/settings.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { startMailServer } from "../delivery/mail-server.ts";
import { json, startBadServer } from "../support/bad-server.ts";
import { calltally, type RunOptions, settingsFor } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeFolder, makeSandboxFolder } from "./folder.ts";

const checkSchema = z.object({
  name: z.string(),
  state: z.enum(["ok", "warn", "fail"]),
  message: z.string(),
  hint: z.string().optional(),
  exit_code: z.number(),
});
const findingsSchema = z.object({ exit_code: z.number(), checks: z.array(checkSchema) });

/** The checks of doctor that are not ok. */
async function complaints(options: RunOptions, ...flags: string[]) {
  const { code, stdout, stderr } = await calltally(["doctor", "--json", ...flags], options);
  expect(stderr).toBe("");
  const { exit_code, checks } = findingsSchema.parse(JSON.parse(stdout));
  expect(exit_code).toBe(code);
  const found = checks.filter(({ state }) => state !== "ok");
  return { code, checks, found: found.map(({ name, state, message }) => `${state} ${name}: ${message}`) };
}

const NO_WAREHOUSE = expect.stringMatching(/^warn warehouse: there is none at /);

describe("calltally doctor", () => {
  it("finds no problem in a sound installation, with at most ten requests", async () => {
    await using folder = await makeSandboxFolder({ calls: 1500 });
    const { sandbox, options, run } = folder;
    await run("sync");
    const requests = sandbox.requests.length;
    const { code, checks, found } = await complaints(options, "--deep");
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

  it("works without any settings, changes nothing, and exits with 2", async () => {
    using folder = makeTempFolder();
    const { code, found } = await complaints({ cwd: folder.path });
    expect({ code, found }).toEqual({
      code: 2,
      found: [
        "fail CALLTALLY_BASE_URL: not set, but required for a sync",
        "fail CALLTALLY_TOKEN_FILE: not set, but required for a sync",
        NO_WAREHOUSE,
      ],
    });
    expect(readdirSync(folder.path)).toEqual([]);
    writeFileSync(join(folder.path, "notes.txt"), "not a folder");
    const below = await complaints({ cwd: folder.path }, "--database", "notes.txt/calls.db");
    expect(below).toMatchObject({ code: 2, found: [expect.any(String), expect.any(String), NO_WAREHOUSE] });
  });

  it("connects to the mail server of calltally.yaml, and exits with 5 if it is gone", async () => {
    await using folder = await makeSandboxFolder({ calls: 20 });
    const { options, run } = folder;
    const mail = await startMailServer({ lacksTls: true });
    const url = `smtp://127.0.0.1:${mail.port}?from=calls@example.com`;
    writeFileSync(join(folder.path, "smtp.url"), url, { mode: 0o600 });
    writeFileSync(join(folder.path, "calltally.yaml"), "smtp_url_file: smtp.url\n", { mode: 0o600 });
    await run("sync");
    expect(await complaints(options)).toMatchObject({ code: 0, found: [] });
    await mail[Symbol.asyncDispose]();
    expect(await complaints(options)).toMatchObject({
      code: 5,
      found: [
        expect.stringMatching(/^fail mail server: Cannot send mail by 127\.0\.0\.1:\d+: .*ECONNREFUSED/),
      ],
    });
  });

  it("shows the problems of five accounts on one screen", async () => {
    using folder = makeFolder();
    const { options, run } = folder;
    await using sandbox = await startSandbox({ calls: 60 });
    const names = ["acme", "beta", "gamma", "delta", "epsilon"];
    const write = (bad: readonly string[]) => {
      for (const name of names)
        writeFileSync(
          join(folder.path, `${name}.token`),
          bad.includes(name) ? "wr0ng-token" : sandbox.token,
          {
            mode: 0o600,
          },
        );
      const accounts = names.map((name) => `  ${name}: { token_file: ${name}.token }`);
      const text = `base_url: ${sandbox.url}\naccounts:\n${accounts.join("\n")}\n`;
      writeFileSync(join(folder.path, "calltally.yaml"), text, { mode: 0o600 });
    };
    write([]);
    await run("sync");
    expect((await run("doctor")).stdout).toMatch(
      /^Passed: acme, beta, gamma, delta, epsilon\n\n\d+ of \d+ checks passed; --all lists them\n$/,
    );
    write(["beta"]);
    const { code, stdout } = await run("doctor");
    expect(code).toBe(4);
    expect(stdout).toMatch(
      /^beta\nfail {2}token {2}The API refused the token.*\n {13}\S.*\n\nPassed: acme, gamma, delta, epsilon\n\n\d+ of/,
    );
    const misspelled = await calltally(["doctor"], { ...options, env: { CALLTALLY_LIMT: "5" } });
    expect(misspelled.stdout).toMatch(
      /^acme, gamma, delta, epsilon\nwarn {2}CALLTALLY_LIMT .*\n.*\n\nbeta\nwarn {2}CALLTALLY_LIMT /,
    );
    const data = z.record(z.string(), findingsSchema);
    const all = data.parse(JSON.parse((await run("doctor --json")).stdout));
    expect(Object.keys(all)).toEqual(names);
    for (const { checks } of Object.values(all)) expect(checks.length).toBeGreaterThan(40);
  });

  it("names an invalid and an unknown setting, and checks the rest", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 100 });
    writeFileSync(
      join(folder.path, ".env"),
      `CALLTALLY_CONCURRENCY=900\nCALLTALLY_TOKEN=${sandbox.token}\n`,
      {
        mode: 0o644,
      },
    );
    chmodSync(join(folder.path, ".env"), 0o644);
    const env = { CALLTALLY_BASE_URL: sandbox.url, CALLTALLY_LIMT: "5", CALLTALLY_SYNC_CRON: "often" };
    const { code, checks, found } = await complaints({ cwd: folder.path, env });
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
  ])("warns about a token that others can read: $env", async ({ env, found }) => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 10 });
    const checked = await complaints({ cwd: folder.path, env: { ...settingsFor(sandbox), ...env } });
    expect(checked).toMatchObject({ code: 0, found: [...found, NO_WAREHOUSE] });
  });

  it("names a server that limits its pages to 200 calls, and the setting for it", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 1500, pageCap: 200, order: "oldest" });
    const { code, checks, found } = await complaints({ cwd: folder.path, env: settingsFor(sandbox) });
    expect({ code, found }).toEqual({
      code: 0,
      found: ["warn page size: the service caps its pages: 1,000 calls requested, 200 sent", NO_WAREHOUSE],
    });
    expect(checks).toContainEqual(
      expect.objectContaining({ hint: expect.stringContaining("With 200 as the setting limit") }),
    );
    const fitting = { ...settingsFor(sandbox), CALLTALLY_LIMIT: "200" };
    expect((await complaints({ cwd: folder.path, env: fitting })).found).toEqual([NO_WAREHOUSE]);
  });

  it("names a server that sends one call per page, with which no pass can be verified", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 20, pageCap: 1 });
    const { code, found } = await complaints({ cwd: folder.path, env: settingsFor(sandbox) });
    expect(code).toBe(3);
    expect(found).toContain("warn page size: the service sends 1 call a page, instead of 1,000");
  });

  it("names a server that sends calls in random order, and exits with 3", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 300, order: "random" });
    const { code, found } = await complaints({ cwd: folder.path, env: settingsFor(sandbox) });
    expect({ code, found }).toEqual({
      code: 3,
      found: [
        "warn order: the service lists the calls in a different order each time: two requests for one page disagree",
        NO_WAREHOUSE,
      ],
    });
  });

  it("does not confuse a shuffled but stable order, or calls that come and go, with a random order", async () => {
    using folder = makeTempFolder();
    await using shuffled = await startSandbox({
      calls: 1500,
      order: "shuffled",
      insertEvery: 1,
      deleteEvery: 2,
    });
    const { code, checks } = await complaints({ cwd: folder.path, env: settingsFor(shuffled) });
    expect(code).toBe(0);
    expect(checks).toContainEqual(
      expect.objectContaining({
        name: "order",
        state: "warn",
        message: expect.stringMatching(/^none by id, start or source: call \d+ is out of place$/),
      }),
    );
    expect(checks).toContainEqual(
      expect.objectContaining({ name: "total", message: expect.stringContaining("calls come or go") }),
    );
  });

  it.each([
    { minutes: -10, says: /the clock of this machine is 10 min 0 s ahead of that of the service/ },
    { minutes: 10, says: /the clock of this machine is (10 min 0|9 min \d\d) s behind that of the service/ },
  ])("names a server whose clock is $minutes minutes off", async ({ minutes, says }) => {
    using folder = makeTempFolder();
    await using server = await startBadServer((request, response) =>
      json({
        code: 200,
        data: { calls: [], total: 0, limit: 1000, offset: 0 },
        timestamp: new Date(Date.now() + minutes * 60_000).toISOString(),
      })(request, response),
    );
    const env = { CALLTALLY_BASE_URL: server.url.href, CALLTALLY_TOKEN: "t" };
    const { code, found } = await complaints({ cwd: folder.path, env });
    expect({ code, found }).toEqual({ code: 0, found: [expect.stringMatching(says), NO_WAREHOUSE] });
  });

  it("names the file of a wrong token without showing it, before dependent failures, and exits with 4", async () => {
    await using folder = await makeSandboxFolder(
      { calls: 10 },
      { CALLTALLY_TOKEN: "", CALLTALLY_TOKEN_FILE: "acme.token" },
    );
    const { sandbox, env, options, run } = folder;
    const write = (token: string) => writeFileSync(join(folder.path, "acme.token"), token, { mode: 0o600 });
    write("canary-token-417");
    const hint = "Check acme.token: it may be mistyped, expired, or of API v2.";
    expect(await run("sync")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(hint),
    });
    const { code, checks, found } = await complaints(options);
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
    const { stdout } = await run("doctor");
    expect(stdout).toContain(hint);
    expect(stdout).not.toContain("canary-token-417");
    expect(stdout).not.toContain("calltally sync"); // none can succeed
    const accepted = await calltally(["doctor"], {
      ...options,
      env: { ...env, ...settingsFor(sandbox), CALLTALLY_TOKEN_FILE: "" },
    });
    expect(accepted.stdout).toContain("Run `calltally sync` again.");
    write("\n");
    expect((await complaints(options)).found).toContain(
      "fail CALLTALLY_TOKEN_FILE: acme.token is empty (from the environment)",
    );
  });

  it("names a failing server after two attempts, and exits with 5", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 10, faults: ["500"], faultRate: 1 });
    const { code, found } = await complaints({ cwd: folder.path, env: settingsFor(sandbox) });
    expect({ code, found, requests: sandbox.requests.length }).toEqual({
      code: 5,
      found: [expect.stringMatching(/^fail service: The API returned 500/), NO_WAREHOUSE],
      requests: 2,
    });
  });

  it("detects durations in milliseconds by the transcripts", async () => {
    await using folder = await makeSandboxFolder({ calls: 300 });
    const { sandbox, options, run } = folder;
    for (const id of sandbox.calls.ids) {
      sandbox.calls.edit(id, { duration: Number(sandbox.calls.get(id)?.duration) * 1000 });
    }
    const says =
      /^warn duration unit: durations are about \d+ times the seconds in the transcripts: they are milliseconds, not seconds$/;
    expect((await complaints(options)).found).toEqual([NO_WAREHOUSE, expect.stringMatching(says)]);
    await run("sync");
    expect((await complaints(options)).found).toEqual([expect.stringMatching(says)]);
    const env = { ...options.env, CALLTALLY_DURATION_UNIT: "milliseconds" };
    await calltally(["sync"], { ...options, env });
    expect((await complaints({ ...options, env })).found).toEqual([]);
  });

  it("finds a changed row only with --deep, and exits with 7", async () => {
    await using folder = await makeSandboxFolder({ calls: 50 });
    const { options, run } = folder;
    await run("sync");
    const file = folder.database;
    const sqlite = new Database(file);
    sqlite.exec(
      "UPDATE calls SET caller_id = '#' WHERE call_id = (SELECT min(call_id) FROM calls WHERE caller_id <> '')",
    );
    sqlite.close();
    const bytes = readFileSync(file);
    expect((await complaints(options)).code).toBe(0);
    const { code, found } = await complaints(options, "--deep");
    expect({ code, found }).toEqual({
      code: 7,
      found: [
        expect.stringMatching(/^fail contents: 1 call differs from what was read from the service: \d+$/),
        expect.stringMatching(/^fail facts: 1 call has other facts than the rules give: \d+$/),
      ],
    });
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it("names a file that is not a warehouse, and still checks the service", async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 10 });
    writeFileSync(join(folder.path, "notes.txt"), "notes", { mode: 0o600 });
    const options = { cwd: folder.path, env: settingsFor(sandbox) };
    const { code, found } = await complaints(options, "--database", "notes.txt");
    expect({ code, found }).toEqual({
      code: 7,
      found: [
        expect.stringMatching(
          /^fail warehouse: Cannot use .*notes\.txt as the warehouse: it is not an SQLite/,
        ),
      ],
    });
    expect(sandbox.requests.length).toBeGreaterThan(1);
    expect(existsSync(join(folder.path, "data"))).toBe(false);
  });

  it("reports that no pass was ever verified, and exits with 3", async () => {
    await using folder = await makeSandboxFolder({ calls: 300, order: "random" }, { CALLTALLY_LIMIT: "100" });
    const { options, run } = folder;
    expect((await run("sync")).code).toBe(3);
    const { code, found } = await complaints(options);
    expect(code).toBe(3);
    expect(found).toEqual([
      expect.stringMatching(/^warn order: /),
      expect.stringMatching(
        /^warn unverified: Run 1, the last sync, is unverified, so calls may be missing: /,
      ),
      "warn verified: no full pass has been verified yet",
    ]);
  });
});
