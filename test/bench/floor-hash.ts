import { parseRow } from "../../src/api/parse-row.ts";
import { hashCall } from "../../src/call.ts";
import { readPages } from "./rows.ts";
import { Stopwatch } from "./stopwatch.ts";

// node test/bench/floor-hash.ts <calls>: the hash of each call; parsing is not counted.

const stopwatch = new Stopwatch();
for (const page of await readPages(Number(process.argv[2]))) {
  const served: unknown = JSON.parse(page.toString());
  const rows = Array.isArray(served) ? served.map(parseRow) : [];
  const calls = rows.flatMap((row) => ("call" in row ? row.call : []));
  await stopwatch.time(() => calls.forEach(hashCall));
}
stopwatch.print();
