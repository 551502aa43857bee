// Plain JavaScript that any Node runs, before the rest of the program and before npm installs it: under an old one
// better-sqlite3 crashes without a message.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

/** The oldest Node that the libraries run on. package.json has it, too. */
export const OLDEST_NODE = "22.19";

/** @param {string} version such as `24.1.0` */
export function isNewEnough(version, oldest = OLDEST_NODE) {
  return version.localeCompare(oldest, "en", { numeric: true }) >= 0;
}

const { platform, arch, versions } = process;
const other = versions.deno ? `Deno ${versions.deno}` : versions.bun ? `Bun ${versions.bun}` : undefined;

/** What is wrong with what runs this process; undefined if nothing is. */
export const nodeProblem =
  other === undefined && isNewEnough(versions.node)
    ? undefined
    : `calltally needs Node ${OLDEST_NODE} or newer; this is ${other ?? `Node ${versions.node}`}.
Install a newer Node from https://nodejs.org, and then calltally with it.
In a clone of its repository, \`npm ci\` brings Node 24 along, and calltally's commands use it.`;

const [system, file] = platform === "win32" ? ["win", "node.exe"] : [platform, "node"];
const installed = ["..", "../.."].map((folder) =>
  fileURLToPath(new URL(`${folder}/node_modules/node-${system}-${arch}/bin/${file}`, import.meta.url)),
);
const ownNode = installed.find((path) => existsSync(path));

/**
 * Runs this process's command line with the Node of the clone, or prints why that is needed.
 * @param {string} problem of the Node that runs this process
 */
export function restart(problem) {
  if (ownNode === undefined) {
    process.stderr.write(`${problem}\n`);
    process.exitCode = 2;
    return;
  }
  const child = spawn(ownNode, [...process.execArgv, ...process.argv.slice(1)], { stdio: "inherit" });
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  process.on("SIGINT", () => {}); // a terminal sends it to both
  child.once("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  });
}

// npm runs this file before it installs the package.
if (nodeProblem !== undefined && process.argv[1]?.endsWith("node-version.js")) {
  process.stderr.write(`${nodeProblem}\n`);
  process.exitCode = 2;
}
