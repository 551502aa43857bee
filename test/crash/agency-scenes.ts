import { deepEqual } from "node:assert/strict";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startSandbox } from "../../src/sandbox/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { checkExported, readExported } from "./exported-files.ts";
import { runProgram } from "./program.ts";
import type { Scene } from "./scene.ts";

const ACCOUNTS = {
  austin: { timezone: "America/Chicago", calls: { first: 40, added: 20 } },
  berlin: { timezone: "Europe/Berlin", calls: { first: 30, added: 7 } },
};

const REPORT = `reports:
  weekly: { contents: [channel, source], folder: "data/reports/{account}" }
`;

/** The commands, and the files that each replaces. */
const EXPORTING = [
  {
    name: "merged export",
    args: ["export", "--by", "account,channel"],
    folder: "data/exports",
    names: ["account-channel.csv", "manifest.json"],
    warehouses: ["data/austin/calltally.db", "data/berlin/calltally.db"],
  },
  {
    name: "report",
    args: ["run", "weekly", "--account", "berlin"],
    folder: "data/reports/berlin",
    names: ["channel.csv", "source.csv", "manifest.json"],
    warehouses: ["data/berlin/calltally.db"],
  },
];

/** Makes the scenes of two accounts: an export into one file of both, and a report, each over the files of an earlier one. */
export async function makeAgencyScenes(bin: string): Promise<Disposable & { all: readonly Scene[] }> {
  using scope = new DisposableStack();
  const folder = scope.use(makeTempFolder()).path;
  const [before, after] = [join(folder, "before"), join(folder, "after")];
  mkdirSync(before);
  const run = async (args: readonly string[], cwd: string) => {
    const ended = await runProgram([process.execPath, bin, ...args], { cwd, env: {} });
    deepEqual(ended, { code: 0, signal: null, stderr: "", hung: false });
  };
  await using services = new AsyncDisposableStack();
  const accounts: Record<string, object> = {};
  const sandboxes = [];
  for (const [name, { timezone, calls }] of Object.entries(ACCOUNTS)) {
    const sandbox = services.use(await startSandbox({ calls: calls.first }));
    sandboxes.push({ sandbox, added: calls.added });
    writeFileSync(join(before, `${name}.token`), sandbox.token, { mode: 0o600 });
    accounts[name] = { base_url: sandbox.url, token_file: `${name}.token`, timezone };
  }
  writeFileSync(join(before, "calltally.yaml"), `accounts: ${JSON.stringify(accounts)}\n${REPORT}`);
  await run(["sync", "--quiet"], before);
  for (const { args } of EXPORTING) await run(args, before);
  for (const { sandbox, added } of sandboxes) for (let call = 0; call < added; call++) sandbox.calls.insert();
  await run(["sync", "--quiet"], before);
  cpSync(before, after, { recursive: true });
  for (const { args } of EXPORTING) await run(args, after);
  const all = EXPORTING.map(({ name, args, ...outlet }): Scene => {
    const files = { ...outlet, before: readExported(before, outlet), after: readExported(after, outlet) };
    return {
      ...{ name, args, env: {} },
      prepare: (empty) => cpSync(before, empty, { recursive: true }),
      check: (found, end) => checkExported(files, found, end),
    };
  });
  const kept = scope.move();
  return { all, [Symbol.dispose]: () => kept.dispose() };
}
