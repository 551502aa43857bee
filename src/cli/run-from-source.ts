import { EXIT } from "../base/errors.ts";
import { main } from "./main.ts";

/** Node 22 runs the built program, but not the source: it lacks `using`. */
const OLDEST_NODE_OF_SOURCE = 24;

/** Runs a command line in a process that was started from the source. */
export async function runFromSource(args: string[]): Promise<void> {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= OLDEST_NODE_OF_SOURCE) return await main(args);
  process.stderr.write(
    `Cannot run the source with Node ${node}: it needs Node ${OLDEST_NODE_OF_SOURCE} or newer\n` +
      `Build it with \`npm run build\`, and run dist/bin.js ${args.join(" ")}\n`,
  );
  process.exitCode = EXIT.usage;
}
