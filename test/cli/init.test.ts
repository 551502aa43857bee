import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/base/errors.ts";
import { type NewFile, writeNewFiles } from "../../src/cli/commands/init.ts";
import type { Context } from "../../src/cli/context.ts";
import { silentContext } from "../../src/cli/context.ts";
import { accountOfHost, type InitFlags, readFlags } from "../../src/cli/init/answers.ts";
import { toStarterYaml } from "../../src/cli/init/starter-file.ts";
import { readConfiguration } from "../../src/config/read-configuration.ts";
import { findGiven } from "../../src/config/setting-layers.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { BIN, calltally, type Finished } from "../support/run.ts";
import { text as page, startServer, unusedPort } from "../support/services/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeFolder } from "./folder.ts";
import { hasScript, startOnTerminal, unlessNoScript } from "./terminal.ts";

const OFFLINE = ["--offline", "--base-url", "https://api.acme.example", "--timezone", "europe/berlin"];

/** Runs the built `calltally init`, with a token on standard input. */
async function init(cwd: string, args: readonly string[], token = "t0ken"): Promise<Finished> {
  const child = spawn(process.execPath, [BIN, "init", "--token-file", "-", ...args], { cwd, env: {} });
  child.stdin.on("error", () => {}).end(`${token}\n`); // it may end without reading it
  const [[code], stdout, stderr] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  expect(stdout + stderr).not.toContain(token);
  return { code, stdout, stderr };
}

/** The context of a command in a folder. */
function contextIn(folder: string, account?: string[]): Context {
  return silentContext({ folder, options: { account } });
}

function modeOf(file: string): number {
  return statSync(file).mode & 0o777;
}

describe("calltally init with flags", () => {
  it("tests the token with one request, and writes files that the other commands accept", async () => {
    using folder = makeFolder();
    await using sandbox = await startSandbox({ calls: 1234 });
    const cwd = folder.path;
    const flags = ["--base-url", sandbox.url, "--timezone", "America/New_York", "--account", "acme"];
    expect(await init(cwd, flags, sandbox.token)).toMatchObject({ code: 0, stderr: "" });
    expect(sandbox.requests.length).toBe(1);
    expect(readFileSync(join(cwd, "secrets/acme.token"), "utf8")).toBe(`${sandbox.token}\n`);
    const made = ["secrets", "secrets/acme.token", "calltally.yaml"];
    expect(made.map((name) => modeOf(join(cwd, name)))).toEqual([0o700, 0o600, 0o644]);
    expect(await folder.run("config check")).toMatchObject({
      code: 0,
      stdout: "calltally.yaml: 1 account, 1 report: no problem\n",
    });
    expect((await folder.run("sync")).stdout).toContain("verdict   exact");
  });

  it("refers to the file of --token-file without changing it", async () => {
    using folder = makeFolder();
    const cwd = folder.path;
    writeFileSync(join(cwd, "a.token"), "t0ken-of-acme", { mode: 0o600 });
    expect(await folder.run("init", ...OFFLINE, "--token-file", "a.token")).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/^Wrote calltally.yaml\n/),
    });
    expect(readdirSync(cwd).sort()).toEqual(["a.token", "calltally.yaml", "data"]);
    const { file, accounts } = readConfiguration("calltally.yaml", { env: {}, folder: cwd });
    expect(accounts.map(({ name }) => name)).toEqual(["acme"]);
    expect(file?.content).toMatchObject({
      timezone: "Europe/Berlin",
      accounts: { acme: { base_url: "https://api.acme.example", token_file: "a.token" } },
    });
  });

  it("writes the file of --config with its secrets next to it, and includes it in the suggested commands", async () => {
    using folder = makeFolder();
    const cwd = folder.path;
    const { code, stdout } = await init(cwd, [...OFFLINE, "--config", "conf/c.yaml"]);
    expect(code).toBe(0);
    expect(stdout).toContain("Wrote conf/secrets/acme.token, conf/c.yaml\n");
    expect(stdout).toContain("calltally run weekly --config conf/c.yaml");
    expect((await folder.run("config check --config conf/c.yaml")).code).toBe(0);
  });

  it("names all missing flags in one error, and writes nothing", async () => {
    using folder = makeFolder();
    expect(await folder.run("init")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(
        /^calltally: --base-url, --token-file, --timezone are missing, and there is no terminal for questions\n/,
      ),
    });
    // With it set, no command would accept the file.
    const env = { CALLTALLY_TOKEN: "t0ken-of-env" };
    expect(await calltally(["init", ...OFFLINE], { cwd: folder.path, env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("calltally: Cannot use CALLTALLY_TOKEN in the environment: "),
    });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it.each([
    {
      code: 4,
      what: "the token is refused",
      says: /The API refused the token.*\n.*Nothing was written\.\n$/,
    },
    {
      code: 5,
      what: "the service is unreachable",
      says: /^calltally: Cannot reach \S+: connect ECONNREFUSED [\d.:]+\n.*--offline writes the files/,
    },
    { code: 8, what: "the address is not that of the API", says: /Nothing was written\./ },
  ])("exits with $code and writes nothing if $what", async ({ code, says }) => {
    using folder = makeFolder();
    await using sandbox = await startSandbox({ calls: 1 });
    await using other = await startServer(page("<html>", 200, { "content-type": "text/html" }));
    const url = { 4: sandbox.url, 8: other.url.origin }[code] ?? `http://127.0.0.1:${await unusedPort()}`;
    folder.write("a.token", "wr0ng-token");
    const finished = await folder.run(`init --base-url ${url} --timezone UTC --token-file a.token`);
    expect(finished).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(says) });
    expect(readdirSync(folder.path)).toEqual(["a.token"]);
    expect(other.requests.length).toBe(Number(code === 8));
  });

  it("replaces no file, and checks for files before it sends a request", async () => {
    using folder = makeFolder();
    const flags = "--base-url http://127.0.0.1:1 --timezone UTC --token-file a.token";
    folder.write("a.token", "t0ken");
    symlinkSync("nowhere", join(folder.path, "calltally.yaml"));
    expect(await folder.run(`init ${flags}`)).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(
        "Cannot write calltally.yaml: it already exists; nothing was written\n",
      ),
    });
  });
});

describe("readFlags", () => {
  it.each<[InitFlags, string]>([
    [{ timezone: "PST" }, "Cannot use --timezone PST: PST is not an IANA time zone"],
    [{ timezone: " " }, "Cannot use --timezone: it is empty"],
    [{ baseUrl: "api.acme.example" }, "--base-url api.acme.example: is not a full address such as"],
    [{ baseUrl: "http://api.acme.example" }, "--base-url http://api.acme.example: must start with https://"],
    [{ tokenFile: "open" }, "--token-file: other users can read "],
    [{ tokenFile: "none" }, "--token-file: cannot be read: no such file or directory"],
    [{ tokenFile: "words" }, " that a bearer token cannot have"],
  ])("refuses %j without showing a secret", async (flags, message) => {
    using folder = makeTempFolder();
    writeFileSync(join(folder.path, "open"), "t0ken", { mode: 0o644 });
    writeFileSync(join(folder.path, "words"), "s3cret words", { mode: 0o600 });
    const refused = await readFlags(flags, contextIn(folder.path)).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UsageError);
    expect(String(refused)).toContain(message);
    expect(String(refused)).not.toContain("s3cret");
  });

  it("accepts one account with a valid name", async () => {
    const read = (accounts: string[]) => readFlags({}, contextIn(".", accounts));
    expect(await read(["acme"])).toMatchObject({ account: "acme" });
    await expect(read(["../x"])).rejects.toThrow("--account ../x: must be letters, digits, - and _");
    await expect(read(["a", "b"])).rejects.toThrow(
      "Cannot use --account more than once: init writes one account",
    );
  });
});

describe("accountOfHost", () => {
  it.each([
    ["https://api.acme.example", "acme"],
    ["https://acme-calls.example/calls", "acme-calls"],
    ["https://v3.api.acme.example:8443", "acme"],
    ["http://127.0.0.1:8787", "main"],
    ["http://[::1]:8787", "main"],
    ["http://localhost:8787", "localhost"],
  ])("suggests a name for %s", (url, name) => {
    expect(accountOfHost(new URL(url))).toBe(name);
  });
});

describe("writeNewFiles", () => {
  it("removes the files and folders written before one that exists, and does not change that one", () => {
    using folder = makeTempFolder();
    const file = (name: string): NewFile => ({
      path: join(folder.path, name),
      name,
      text: "new",
      mode: 0o600,
    });
    writeFileSync(join(folder.path, "there"), "old");
    expect(() => writeNewFiles([file("a/b/one"), file("there")])).toThrow(
      "Cannot write there: it already exists",
    );
    expect(readdirSync(folder.path)).toEqual(["there"]);
    expect(readFileSync(join(folder.path, "there"), "utf8")).toBe("old");
  });
});

describe("toStarterYaml", () => {
  const write = (folder: string, yaml: string) => {
    writeFileSync(join(folder, "calltally.yaml"), yaml, { mode: 0o600 });
    return readConfiguration("calltally.yaml", { env: {}, folder }).file?.content;
  };
  const STARTER = {
    baseUrl: new URL("https://api.example.com/calls/"),
    timezone: "Etc/GMT+1",
    account: "acme",
    tokenFile: "my: secrets/# token",
  };

  it.each(["null", "true", "1e3", "007", "0x1F", "y", "acme"])("writes the account name %s", (account) => {
    using folder = makeTempFolder();
    expect(write(folder.path, toStarterYaml({ ...STARTER, account }))).toMatchObject({
      timezone: "Etc/GMT+1",
      accounts: {
        [account]: { base_url: "https://api.example.com/calls", token_file: "my: secrets/# token" },
      },
    });
  });

  it("contains valid examples, separately and all together", async () => {
    using folder = makeFolder();
    const yaml = toStarterYaml(STARTER);
    const examples = yaml.match(/^ *#(?=\S).*$/gm) ?? [];
    expect(examples.length).toBeGreaterThan(15);
    const plain = write(folder.path, yaml);
    for (const example of examples)
      expect(write(folder.path, yaml.replace(example, example.replace("#", ""))), example).not.toEqual(plain);
    write(folder.path, yaml.replace(/^( *)#(?=\S)/gm, "$1"));
    expect(await folder.run("config show")).toMatchObject({ code: 0, stderr: "" });
    expect(Math.max(...yaml.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});

const ENTER = "\r";

describe.skipIf(!hasScript)(`calltally init on a terminal${unlessNoScript}`, () => {
  it("asks for every value, repeats questions about invalid ones, and shows no secret", async () => {
    using folder = makeFolder();
    await using sandbox = await startSandbox({ calls: 300 });
    await using terminal = startOnTerminal(["init"], { cwd: folder.path, env: { TZ: "America/Denver" } });
    await terminal.reply("Address of the API", `api.example.com${ENTER}`);
    await terminal.reply("is not a full address", `\u0015${sandbox.url}${ENTER}`);
    await terminal.reply("Token (not shown)", `wr0ng-token${ENTER}`);
    await terminal.reply("The API refused the token", "");
    await terminal.reply("Token (not shown)", `${sandbox.token}${ENTER}`);
    await terminal.reply("accepts the token; it counts 300 calls", "");
    await terminal.reply("Time zone of the reports", `PST${ENTER}`);
    await terminal.reply("did you mean America/Los_Angeles?", `\u0015${ENTER}`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown).toContain("Wrote secrets/main.token, calltally.yaml\r\n");
    // A token that is pasted again must not land in a question that shows what is typed.
    expect(terminal.shown.split("The API refused the token")[1]).not.toContain("Address of the API");
    for (const secret of ["wr0ng", sandbox.token]) expect(terminal.shown).not.toContain(secret);
    expect(sandbox.requests.length).toBe(2);
    expect(modeOf(join(folder.path, "secrets/main.token"))).toBe(0o600);
    const { accounts } = readConfiguration("calltally.yaml", { env: {}, folder: folder.path });
    expect(accounts.map(({ sources }) => findGiven(SETTINGS.timezone, sources.file ?? [])?.text)).toEqual([
      "America/Denver",
    ]);
  });

  it("asks for no value that a flag has", async () => {
    using folder = makeTempFolder();
    writeFileSync(join(folder.path, "a.token"), "t0ken", { mode: 0o600 });
    const flags = ["--offline", "--base-url", "http://127.0.0.1:1", "--token-file", "a.token"];
    await using terminal = startOnTerminal(["init", ...flags], { cwd: folder.path });
    await terminal.reply("Time zone of the reports", ENTER);
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown).not.toMatch(/Address|Token/);
    expect(terminal.shown).toContain("Wrote calltally.yaml");
  });

  it("writes nothing when it is cancelled by Ctrl-C", async () => {
    using folder = makeTempFolder();
    await using terminal = startOnTerminal(["init", "--offline"], { cwd: folder.path });
    await terminal.reply("Address of the API", `https://api.acme.example${ENTER}`);
    await terminal.reply("Token (not shown)", `t0ken${ENTER}`);
    await terminal.reply("Time zone of the reports", "\u0003");
    expect(await terminal.ended).toBe(130);
    expect(terminal.shown).toContain("Cancelled: nothing was written");
    expect(readdirSync(folder.path)).toEqual([]);
  });
});
