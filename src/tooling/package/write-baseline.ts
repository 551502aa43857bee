import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";

// Makes the first migration from the tables in the code, and raises its version if a table has changed: npm run baseline.

const FOLDER = "src/warehouse/migrations";
const FILE = `${FOLDER}/0000_baseline.sql`;
const VERSION_FILE = "src/warehouse/migrate.ts";
/** The rows that every warehouse begins with. */
const ROWS = [
  "INSERT INTO `counts` (`name`, `value`) VALUES ('calls', 0);",
  "INSERT INTO `moment` (`moment_ms`) VALUES (0);",
  "INSERT INTO `origin` (`warehouse_id`) VALUES (lower(hex(randomblob(16))));",
];
const BREAK = "--> statement-breakpoint";

/** Of no order: Drizzle writes tables as it finds their files. */
const statementsOf = (sql: string) =>
  sql
    .split(BREAK)
    .map((text) => text.trim())
    .toSorted()
    .join("\n");

const before = statementsOf(readFileSync(FILE, "utf8"));
rmSync(FOLDER, { recursive: true });
execFileSync("npx", ["drizzle-kit", "generate", "--name", "baseline"], { stdio: "inherit" });
appendFileSync(FILE, `${BREAK}\n${ROWS.join(`${BREAK}\n`)}\n`);
if (statementsOf(readFileSync(FILE, "utf8")) !== before) {
  const source = readFileSync(VERSION_FILE, "utf8");
  const raised = source.replace(
    /(BASELINE_VERSION = )(\d+)/,
    (_, name, version) => name + (Number(version) + 1),
  );
  writeFileSync(VERSION_FILE, raised);
}
