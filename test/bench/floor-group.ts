import { writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { stringify } from "csv-stringify/sync";
import { makeTempFolder } from "../support/temp-folder.ts";
import { Stopwatch } from "./stopwatch.ts";

// node test/bench/floor-group.ts <database> <rollup>: writes the rows of a view by better-sqlite3 as CSV, and nothing else.

const [database = "", rollup = ""] = process.argv.slice(2);
using folder = makeTempFolder();
const sqlite = new Database(database, { readonly: true });
const stopwatch = new Stopwatch();
await stopwatch.time(() => {
  const rows = sqlite.prepare(`SELECT * FROM rollup_${rollup}`).raw().all();
  writeFileSync(`${folder.path}/${rollup}.csv`, stringify(rows));
});
stopwatch.print();
sqlite.close();
