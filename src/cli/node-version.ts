import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The oldest Node that the libraries run on. */
export const OLDEST_NODE = "22.19";

/** @param version such as `24.1.0` */
export function isNewEnough(version: string): boolean {
  return version.localeCompare(OLDEST_NODE, "en", { numeric: true }) >= 0;
}

const { platform, arch, versions } = process;
const [system, file] = platform === "win32" ? ["win", "node.exe"] : [platform, "node"];
const installed = new URL(`../node_modules/node-${system}-${arch}/bin/${file}`, import.meta.url);
export const ownNode = existsSync(installed) ? fileURLToPath(installed) : undefined;

// This file runs on any Node, before the rest of the program and before npm installs it: old versions make the
// libraries fail without a reason.
export const isNodeNewEnough = isNewEnough(versions.node);
if (!isNodeNewEnough && ownNode === undefined) {
  process.stderr.write(
    `calltally needs Node ${OLDEST_NODE} or newer; this is Node ${versions.node}.\n` +
      "Install a newer Node from https://nodejs.org, and then calltally with it.\n" +
      "In a clone of its repository, `npm ci` brings Node 24 along, and calltally uses it.\n",
  );
  process.exitCode = 2;
}
