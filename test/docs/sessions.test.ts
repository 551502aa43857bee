import { execFile } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { layOutTable } from "../../src/cli/terminal/query-table.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { openReader } from "../../src/warehouse/file/open.ts";
import { runQuery } from "../../src/warehouse/run-query.ts";
import { assertNoSecrets } from "../cli/privacy/secrets.ts";
import { BIN, calltally, settingsFor } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { readBlocks, readPages } from "./pages.ts";
import { makeWorkedExample } from "./worked-example.ts";

/** The newest call of the sandbox starts a minute before: so the pages are correct on every day. */
const NOW = new Date("2026-10-31T23:00:00Z");
const ADDRESS = "https://api.example.com";
/** The second account of a page has a service of its own. */
const SECOND_ADDRESS = "https://dallas.example.com";

/** Where pages find the synced warehouse; the others, in data/. */
const WAREHOUSES: Readonly<Record<string, readonly string[]>> = {
  "README.md": [],
  "docs/getting-started.md": [],
  "docs/completeness.md": [],
  "docs/accounts.md": ["data/austin"],
};
/** Pages that begin without settings, with calls up to now: they make a report of the last weeks. */
const UNSET = new Set(["docs/getting-started.md"]);

/** Varying output, by time or machine, in the order of replacement. */
const VARYING: readonly [RegExp, string][] = [
  [/https:\/\/(?:api|dallas)\.example\.com|http:\/\/127\.0\.0\.1:\d+/g, "‹address›"],
  [/api\.example\.com|127\.0\.0\.1:\d+/g, "‹host›"],
  [/\/[\w/.-]+\/(?=data\/|calltally\.yaml|reports\/)/g, "‹folder›/"],
  [
    /\d{4}-\d\d-\d\dT[\d:.]+Z|\d{8}T\d{9}Z|\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?|\b\d\d-\d\d \d\d:\d\d/g,
    "‹time›",
  ],
  // A slot may have come since the previous run.
  [/\bat once(?=, ‹time›)/g, "‹time›"],
  [/just now|\d+ (minutes?|hours|days) ago|\b\d+ min\b/g, "‹age›"],
  [/\d+\.\d (s|kB|MB|GB)\b|\d+ min \d+ s\b/g, "‹amount›"],
  [/\d+\.\d+\.\d+/g, "‹version›"],
  [/[0-9a-f]{64}/g, "‹digest›"],
  // Widths of columns depend on their contents.
  [/ +/g, " "],
];

function mask(text: string): string {
  return VARYING.reduce((masked, [varying, name]) => masked.replace(varying, name), text);
}

interface Step {
  command: string;
  /** Lines of the output; `…` matches any number of them. */
  lines: string[];
}

/** The steps of a page in order: commands and SQL, each with its output, and files to write. */
type Act = Step | { sql: string; lines: string[] } | { file: string; content: string };

function readActs(text: string): Act[] {
  const blocks = readBlocks(text);
  return blocks.flatMap(({ language, file, content }, index): Act[] => {
    if (language === "console") return readSteps(content);
    if (language === "sql") {
      const lines = blocks[index + 1]?.content.trimEnd().split("\n") ?? [];
      return [{ sql: content, lines }];
    }
    return file === undefined ? [] : [{ file, content }];
  });
}

function readSteps(session: string): Step[] {
  const steps: Step[] = [];
  for (const line of session.trimEnd().split("\n")) {
    const [, command] = /^\$ (.+)$/.exec(line) ?? [];
    if (command !== undefined) steps.push({ command, lines: [] });
    else steps.at(-1)?.lines.push(line);
  }
  return steps;
}

/** The arguments of a line that only runs calltally; undefined for one that needs a shell. */
function wordsOf(command: string): string[] | undefined {
  const [, line] = /^(?:npx )?calltally((?: (?:"[^"$`\\]*"|[^\s"'$`\\<>|;&*?()]+))*)$/.exec(command) ?? [];
  return line?.match(/"[^"]*"|[^\s"]+/g)?.map((word) => word.replaceAll('"', ""));
}

function toPattern(lines: readonly string[]): RegExp {
  const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const parts = lines.map((line) => (line === "…" ? "(?:.*\\n)*?" : `${literal(mask(line).trimEnd())}\\n`));
  return new RegExp(`^${parts.join("")}$`);
}

const PAGES = readPages()
  .map(({ path, text }) => ({ path, text, acts: readActs(text) }))
  .filter(({ acts }) => acts.some((act) => !("file" in act)));

describe("sessions", () => {
  const shared = makeTempFolder();
  let fixed: Sandbox;
  let second: Sandbox;

  beforeAll(async () => {
    fixed = await startSandbox({ calls: 5000, seed: 1, now: NOW });
    second = await startSandbox({ calls: 3800, seed: 2, now: NOW, token: "sandbox-token-of-dallas" });
    const bin = join(shared.path, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "calltally"), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
    writeFileSync(join(bin, "npx"), '#!/bin/sh\nexec "$@"\n');
    symlinkSync(process.execPath, join(bin, "node"));
    for (const name of ["calltally", "npx"]) chmodSync(join(bin, name), 0o755);
    await calltally(["sync"], { cwd: shared.path, env: settingsFor(fixed) });
  });
  afterAll(async () => {
    for (const sandbox of [fixed, second]) await sandbox.close();
    shared[Symbol.dispose]();
  });

  /** Runs a line in a shell if it needs one, with the secrets in the files that the settings name. */
  async function run(command: string, cwd: string, env: Record<string, string>) {
    const args = wordsOf(command);
    if (args !== undefined) {
      const { code, stdout } = await calltally(args, { cwd, env: { HOME: cwd, ...env }, isMerged: true });
      return { code: code ?? Number.NaN, shown: stdout.replaceAll("\r\n", "\n") };
    }
    const path = `${join(shared.path, "bin")}:/usr/bin:/bin`;
    const given = { HOME: cwd, PATH: path, TZ: "UTC", ...env };
    return await new Promise<{ code: number; shown: string }>((resolve) => {
      // The visible output: both streams, in the order of their lines.
      execFile("/bin/bash", ["-c", `exec 2>&1; ${command}`], { cwd, env: given }, (error, stdout) => {
        assertNoSecrets({ stdout, stderr: "" }, env);
        resolve({ code: Number(error?.code ?? 0), shown: stdout.replaceAll("\r\n", "\n") });
      });
    });
  }

  it.concurrent.each(PAGES)("of $path reproduce", async ({ path, text, acts }) => {
    using folder = makeTempFolder();
    const cwd = folder.path;
    for (const place of WAREHOUSES[path] ?? ["data"])
      cpSync(join(shared.path, "data"), join(cwd, place), { recursive: true });
    const isUnset = UNSET.has(path);
    await using live = isUnset ? await startSandbox({ calls: 5000, seed: 1 }) : undefined;
    const sandbox = live ?? fixed;
    if (!isUnset) mkdirSync(join(cwd, "secrets"));
    const tokens = isUnset
      ? { "token.txt": sandbox.token }
      : { "secrets/austin.token": sandbox.token, "secrets/dallas.token": second.token };
    for (const [name, token] of Object.entries(tokens))
      writeFileSync(join(cwd, name), token, { mode: 0o600 });
    const withServers = (text: string) =>
      text.replaceAll(ADDRESS, sandbox.url).replaceAll(SECOND_ADDRESS, second.url);
    mkdirSync(join(cwd, "node_modules/@calltally"), { recursive: true });
    symlinkSync(process.cwd(), join(cwd, "node_modules/@calltally/calltally"));
    await makeWorkedExample(text, cwd);
    let env = isUnset ? {} : settingsFor(sandbox);
    let last = 0;
    for (const act of acts) {
      if ("file" in act) {
        // The file then names the accounts, and an error is printed next to them.
        if (act.file === "calltally.yaml") env = {};
        mkdirSync(dirname(join(cwd, act.file)), { recursive: true });
        writeFileSync(join(cwd, act.file), withServers(act.content));
        continue;
      }
      if ("sql" in act) {
        using reader = openReader(join(cwd, "data/calltally.db"));
        const { columns, rows } = runQuery(reader, act.sql);
        expect(`${layOutTable(columns, [...rows])}\n`, act.sql).toBe(`${act.lines.join("\n")}\n`);
        continue;
      }
      const { command, lines } = act;
      const isAsked = command === "echo $?";
      const { code, shown } = isAsked
        ? { code: 0, shown: `${last}\n` }
        : await run(withServers(command), cwd, env);
      expect(mask(shown), command).toMatch(toPattern(lines));
      const next = acts[acts.indexOf(act) + 1];
      const isCodeShown = next !== undefined && "command" in next && next.command === "echo $?";
      if (!isCodeShown) expect({ command, code }).toEqual({ command, code: 0 });
      last = code;
    }
  });

  it("show the commands that end by themselves", () => {
    const steps = PAGES.flatMap(({ acts }) => acts).filter((act) => "command" in act);
    const shown = new Set(steps.map(({ command }) => /calltally (\w+)/.exec(command)?.[1]));
    expect([...shown]).toEqual(
      expect.arrayContaining([
        "backup",
        "config",
        "demo",
        "docs",
        "doctor",
        "explain",
        "export",
        "forget",
        "init",
        "insight",
        "privacy",
        "prune",
        "query",
        "report",
        "restatements",
        "restore",
        "run",
        "schedule",
        "schema",
        "spend",
        "status",
        "sync",
        "uploads",
        "webhook",
      ]),
    );
  });

  it("of the cookbook answer twenty questions", () => {
    const cookbook = readPages().find(({ path }) => path === "docs/cookbook.md");
    expect(cookbook?.text.match(/^## \d+\. .+\?$/gm)).toHaveLength(20);
    const answers = readActs(cookbook?.text ?? "").filter((act) => "sql" in act);
    // Below the header.
    expect(answers.map(({ lines }) => lines.slice(1).length > 0)).toEqual(Array(20).fill(true));
  });

  it("fail if the output differs", () => {
    expect(mask("Run 1, 0.8 s\nverdict exact\n")).toMatch(toPattern(["Run 1, 12.5 s", "…"]));
    expect(mask("Run 1, 0.8 s\nverdict exact\n")).not.toMatch(
      toPattern(["Run 1, 0.8 s", "verdict verified"]),
    );
    expect(mask("Run 1, 0.8 s\nverdict exact\n")).not.toMatch(toPattern(["Run 1, 0.8 s"]));
  });
});
