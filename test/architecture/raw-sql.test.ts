import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";
import { TABLES } from "../../src/operate/schema/schema.ts";
import { walk } from "../text/syntax.ts";
import { listFiles, SRC } from "./rooms.ts";

/** Statements on one table that are written by hand, by file: how many, and why. All others are made by the builder. */
const ALLOWED: Readonly<Record<string, readonly [statements: number, why: string]>> = {
  "export/formats/sqlite.ts": [1, "an exported database, with tables of its own"],
  "features/explore/list-calls.ts": [1, "runs for each call"],
  "features/notices/spent-days.ts": [1, "the table of another feature"],
  "features/notices/watched-days.ts": [1, "trigger"],
  "features/outcomes/match-jobs.ts": [1, "runs for each job, and makes no objects of the rows"],
  "features/restatements/exported-rollups.ts": [1, "rows read one at a time"],
  "operate/backup/copy.ts": [1, "any table of a copied file"],
  "operate/forget/mask-texts.ts": [2, "any column that names people; a function"],
  "operate/verify/altered-objects.ts": [1, "what each family of triggers needs"],
  "operate/verify/verify-ledger.ts": [1, "rows read one at a time"],
  "tooling/package/write-baseline.ts": [3, "schema"],
  "warehouse/by-number/home-code.ts": [2, "GLOB; nested in another statement"],
  "warehouse/call-moments.ts": [1, "trigger"],
  "warehouse/calls/caller-table.ts": [2, "runs for each caller of a first load; rows read one at a time"],
  "warehouse/calls/gone.ts": [1, "nested query with json_each"],
  "warehouse/calls/rename-callers.ts": [2, "a function"],
  "warehouse/calls/rollup-view.ts": [1, "view"],
  "warehouse/calls/unmatched-dispositions.ts": [1, "rows read one at a time"],
  "warehouse/campaign-table.ts": [3, "triggers, and what they compute"],
  "warehouse/changed-calls.ts": [3, "triggers; the table of a feature"],
  "warehouse/file/damage.ts": [1, "a file that cannot be opened as a warehouse"],
  "warehouse/runs/exports.ts": [1, "nested query"],
  "warehouse/runs/page-table.ts": [1, "rows read one at a time"],
  "warehouse/runs/runs.ts": [1, "the table's file imports this one"],
};

/** Sessions take any SQLite connection, and compute a cluster's figures in memory; ClickHouse has no builder. */
const WITHOUT_BUILDER = /^(sources|features\/cluster)\//;

const NAMES = new Set(TABLES.map(({ name }) => name));
const STATEMENT = /^\s*(?:SELECT\s.*?\sFROM\s|DELETE\s+FROM\s|UPDATE\s|INSERT\s|REPLACE\s)/s;
const NESTED = /\bSELECT\b.*\bSELECT\b|\b(?:FROM|JOIN)\s*\(|json_each/s;
/** What a statement reads and writes: a name, or a value put into the text. */
const RELATION = /\b(?:FROM|JOIN|INTO|UPDATE(?:\s+OR\s+\w+)?)\s+["`]?(\w+\.\w+|\w+|…)/g;

/** Returns the statements in a source that read or write one of the warehouse's tables, and nothing else. */
function statementsOnOneTable(code: string): string[] {
  return walk(parseSync("a.tsx", code).program)
    .map(({ type, value, start, end }) => {
      if (type === "Literal") return String(value);
      return type === "TemplateLiteral" ? code.slice(start + 1, end - 1).replace(/\$\{[^{}]*\}/g, "…") : "";
    })
    .filter((text) => STATEMENT.test(text) && !NESTED.test(text))
    .filter((text) => {
      const [first = "", ...others] = new Set(Array.from(text.matchAll(RELATION), ([, name = ""]) => name));
      return others.length === 0 && (NAMES.has(first) || first === "…");
    });
}

it("finds statements on one table of the warehouse in literals and templates", () => {
  const code = `const one = "DELETE FROM spend WHERE day < ?";
    const two = \`SELECT \${columns} FROM calls WHERE call_id = ?\`;
    const three = \`UPDATE OR IGNORE \${table} SET a = 1\`;
    const joined = "SELECT 1 FROM calls JOIN transcripts USING (call_id)";
    const nested = "DELETE FROM calls WHERE call_id IN (SELECT call_id FROM call_facts)";
    const temporary = "SELECT 1 FROM temp.staged_jobs";
    const words = "Select calls from the list";`;
  expect(statementsOnOneTable(code)).toEqual([
    "DELETE FROM spend WHERE day < ?",
    "SELECT … FROM calls WHERE call_id = ?",
    "UPDATE OR IGNORE … SET a = 1",
  ]);
});

it("statements on one table are made by the builder, but for those that are allowed here", () => {
  const counts = listFiles()
    .filter((file) => !WITHOUT_BUILDER.test(file))
    .flatMap((file) => {
      const { length } = statementsOnOneTable(readFileSync(join(SRC, file), "utf8"));
      return length === 0 ? [] : [[file, length] as const];
    });
  // A capability that is deleted takes its files along.
  const allowed = Object.entries(ALLOWED).filter(([file]) => existsSync(join(SRC, file)));
  expect(counts).toEqual(allowed.map(([file, [count]]) => [file, count]));
});
