import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { isReadOnly } from "./row.ts";
import { ROWS } from "./rows.ts";

const SCRIPT = resolve(import.meta.dirname, "run.ts");
const READ_ONLY = ROWS.filter(isReadOnly).length;

async function run(...args: string[]) {
  const child = spawn(process.execPath, [SCRIPT, ...args], { env: {}, stdio: ["ignore", "pipe", "pipe"] });
  const [[code], stdout, stderr] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, lines: stdout.split("\n"), stdout, stderr };
}

const runOn = ({ url, token }: Pick<Sandbox, "url" | "token">, ...args: string[]) =>
  run("--base-url", url, "--token", token, ...args);

describe("npm run conformance", () => {
  test("passes on the sandbox, by GET alone, and asks the same thing once", async () => {
    await using sandbox = await startSandbox({ calls: 150 });

    const { code, lines, stdout } = await runOn(sandbox);

    expect({ code, failed: lines.filter((line) => line.startsWith("failed")) }).toEqual({
      code: 0,
      failed: [],
    });
    expect(stdout).toContain(`\n${READ_ONLY} passed, 0 failed, 0 not seen\n`);
    expect(new Set(sandbox.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
    expect(sandbox.requests.length).toBeLessThan(40);
    expect(stdout).not.toContain(sandbox.token);
  });

  test("fails on a server that breaks rows, and names them", async () => {
    await using sandbox = await startSandbox({ calls: 150, pageCap: 50 });
    const [first = 0] = sandbox.calls.ids;
    sandbox.calls.edit(first, { duration: "long", dni_data: "none" });
    sandbox.insights.edit(101, { group_list: [{ id: "7" }], scorecards: 1.5, insight_help: undefined });

    const { code, lines } = await runOn(sandbox);

    expect(code).toBe(1);
    const sectionsThat = (verdict: string) =>
      lines.filter((line) => line.startsWith(verdict)).map((line) => line.slice(10).split("  ")[0]);
    expect(sectionsThat("failed")).toEqual([
      "2.1 group_list",
      "2.1 scorecards",
      "2.3 duration",
      "2.3 dni_data",
      "4.2 limit default",
      "4.2 limit maximum",
      "4.2 rule 1: only calls with DNI session data",
    ]);
    expect(sectionsThat("not seen")).toEqual(["2.1 insight_help"]);
    expect(lines).toContain(`${READ_ONLY - 8} passed, 7 failed, 1 not seen`);
  });

  test("sees nothing of insights where 101 does not exist", async () => {
    await using sandbox = await startSandbox({ calls: 150 });
    const { code, lines } = await runOn(sandbox, "--insight-id", "999");
    expect(code).toBe(0);
    const unseen = lines.filter((line) => line.startsWith("not seen"));
    expect(unseen.length).toBeGreaterThan(35);
    expect(unseen[0]).toContain("name an insight of the server with --insight-id");
  });

  test("fails with a token that is refused, and where nobody answers", async () => {
    const sandbox = await startSandbox({ calls: 1 });
    expect((await runOn({ url: sandbox.url, token: "wrong" })).code).toBe(1);
    await sandbox.close();
    const { code, stdout } = await runOn(sandbox);
    expect(code).toBe(1);
    expect(stdout).toMatch(/\n0 passed, \d+ failed, 0 not seen\n/);
    expect(stdout).toContain("ECONNREFUSED");
  });

  test("tells how it is used, with exit 2", async () => {
    for (const args of [
      [],
      ["--base-url", "https://a.example"],
      ["--base-url", "a", "--token", "t"],
      ["--x"],
    ]) {
      const { code, stdout, stderr } = await run(...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain("Usage: npm run conformance");
    }
  });
});
