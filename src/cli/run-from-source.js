import { isNewEnough, nodeProblem, restart } from "../base/node-version.js";

/** Node 22 runs the built program, but not the source: it lacks `using`. */
const OLDEST_NODE_OF_SOURCE = "24";

/**
 * Runs a command line in a process that was started from the source.
 * @param {string[]} args
 */
export async function runFromSource(args) {
  const { node } = process.versions;
  if (nodeProblem === undefined && isNewEnough(node, OLDEST_NODE_OF_SOURCE)) {
    const { main } = await import("./main.ts");
    return await main(args);
  }
  restart(
    nodeProblem ??
      `Cannot run the source with Node ${node}: it needs Node ${OLDEST_NODE_OF_SOURCE} or newer
Build it with \`npm run build\`, and run dist/bin.js ${args.join(" ")}`,
  );
}
