import { join } from "node:path";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type Finding, median, ratioOf } from "./finding.ts";
import type { BenchOptions } from "./options.ts";
import { measure, measureCalltally, measureStart, startPageServer } from "./process.ts";

/** How long does the program take before it does anything, compared with Node itself? */
export async function* start({ runs }: BenchOptions): AsyncGenerator<Finding> {
  using folder = makeTempFolder();
  const database = join(folder.path, "calls.db");
  await using server = await startPageServer(1000);
  await measureCalltally(["sync", "--json", "--database", database], server.env);
  const times = { node: [] as number[], help: [] as number[], status: [] as number[] };
  // Short enough to be run more often.
  for (let run = 0; run < runs * 4; run++) {
    times.node.push((await measure(process.execPath, ["-e", "0"])).seconds);
    times.help.push((await measureStart(["--help"])).seconds);
    times.status.push((await measureStart(["status", "--database", database])).seconds);
  }
  const of = "times Node's own start";
  yield { what: "floor: node -e 0", calls: 0, seconds: median(times.node) };
  const help = { value: ratioOf(times.help, times.node), of, atMost: 3 };
  yield { what: "calltally --help", calls: 0, seconds: median(times.help), ratio: help };
  const status = { value: ratioOf(times.status, times.node), of };
  yield { what: "calltally status", calls: 0, seconds: median(times.status), ratio: status };
}
