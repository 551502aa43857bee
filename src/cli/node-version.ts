/** The oldest Node that the program's libraries run on. */
export const OLDEST_NODE = "22.19.0";

// This file runs on any Node, before anything else of the program and before npm installs it: under an old Node the
// libraries fail without saying why.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
export const isNodeNewEnough = major > 22 || (major === 22 && minor >= 19);
if (!isNodeNewEnough) {
  process.stderr.write(
    `calltally needs Node 22.19 or newer; this is Node ${process.versions.node}.\n` +
      "Install a newer Node from https://nodejs.org, and calltally again with it.\n" +
      "In a clone of its repository, `npm ci` brings Node 24 along and `npx calltally` uses it.\n",
  );
  process.exitCode = 2;
}
