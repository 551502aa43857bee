import { readPages } from "./rows.ts";
import { Stopwatch } from "./stopwatch.ts";

// node test/bench/floor-parse.ts <calls>: JSON.parse of each page, and no look at what is in it.

const stopwatch = new Stopwatch();
for (const page of await readPages(Number(process.argv[2]))) {
  await stopwatch.time(() => JSON.parse(page.toString()));
}
stopwatch.print();
