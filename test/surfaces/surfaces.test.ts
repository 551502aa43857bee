import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { DEFAULT_RULES } from "../../src/attribution/attribution-rules.ts";
import { FACT_NAMES, FACTS, type ShownFact, shownName } from "../../src/call/facts.ts";
import { jsonSchema } from "../../src/config/config-reference.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { CALLS_TABLE } from "../../src/features/cluster/account-tables.ts";
import { figuresOfPage } from "../../src/features/explore/browser/answers.ts";
import { DIMENSIONS } from "../../src/figures/dimensions.ts";
import { FIGURES, OUTCOME_FIGURES, SPEND_FIGURES, TIME_FIGURES } from "../../src/figures/metrics.ts";
import { CONVERSIONS } from "../../src/request/conversion-kinds.ts";
import { REQUEST_KEYS } from "../../src/request/export-request.ts";
import { EXPLORE_FILE } from "../../src/request/option-values.ts";
import { STATEMENT_IDS } from "../../src/statements/statements.ts";
import { makeFolder } from "../cli/folder.ts";
import { readBySheetJs, type SeenCell, type SeenWorkbook } from "../export/workbook-readers.ts";
import { readPage } from "../features/explore/read-page.ts";
import { makeWarehouse } from "../support/figures/produce-files.ts";
import { openWarehouse } from "../support/library.ts";
import { readCsv } from "../support/page.ts";
import { answering } from "../support/services/mcp.ts";
import { FULL_CALL } from "../support/warehouses/calls.ts";
import { readRows } from "../support/warehouses/warehouse.ts";

const SURFACES = [
  ...["files", "page", "explore", "workbook", "mail", "terminal", "MCP", "library", "SQL", "cluster"],
  ...["docs", "completion"],
];

/** Reads the names that a surface shows. */
type Read = () => readonly string[] | Promise<readonly string[]>;

interface Listed {
  rows: readonly string[];
  on: Readonly<Record<string, Read>>;
}

interface Exemption {
  tables: readonly string[];
  surfaces: readonly string[];
  /** @default all */
  rows?: readonly string[];
  why: string;
}

const EXEMPTIONS: readonly Exemption[] = [
  {
    tables: ["facts", "kinds", "figures", "dimensions"],
    surfaces: ["page", "mail"],
    why: "They show a choice of figures and keys, in words.",
  },
  {
    tables: ["options", "settings", "commands"],
    surfaces: ["page", "explore", "workbook", "mail", "MCP", "library", "SQL", "cluster"],
    why: "They are ways to ask: these surfaces show the response, or have ways of their own.",
  },
  {
    tables: ["facts", "settings"],
    surfaces: ["explore", "workbook", "completion"],
    why: "Workbooks have the columns of files; the page to explore groups by dimensions; no command takes the name of a fact or of a setting.",
  },
  {
    tables: ["facts"],
    surfaces: ["files", "terminal", "MCP"],
    rows: [
      "caller",
      ...["source", "medium", "campaign", "content", "term"].map((tag) => `utm_${tag}_folded`),
    ],
    why: "Lists have tags as served, and numbers only on request; explanations show what a tag is tallied as.",
  },
  {
    tables: ["kinds"],
    surfaces: ["explore", "workbook", "library", "SQL", "cluster"],
    why: "Conversions are files for one platform each.",
  },
  {
    tables: ["figures", "dimensions"],
    surfaces: ["terminal", "cluster"],
    why: "Commands print files; test/features/cluster compares a cluster's figures with those of a warehouse.",
  },
  {
    tables: ["figures", "dimensions"],
    surfaces: ["SQL", "explore"],
    rows: [
      ...["median_duration_seconds", ...TIME_FIGURES, ...SPEND_FIGURES, ...OUTCOME_FIGURES],
      ...["weekday", "hour", "org_unit"],
    ],
    why: "Views are for any SQLite, without imports, and name local times differently; a page has no times of calls.",
  },
  {
    tables: ["statements"],
    surfaces: SURFACES.filter((surface) => surface !== "docs"),
    why: "A statement is data: each surface prints all that `statementsOf` returns.",
  },
  {
    tables: ["options"],
    surfaces: ["files", "terminal", "docs", "completion"],
    rows: ["contents", "range", "filter", "changed_since"],
    why: "Contents are arguments, the members of groups are flags, and no report lists what changed since a moment.",
  },
  {
    tables: ["settings"],
    surfaces: ["files", "terminal"],
    rows: Object.values(SETTINGS).flatMap((each) => ((each.default ?? "") === "" ? [each.key] : [])),
    why: "calltally.yaml names files of secrets, not secrets; `config show` lists the settings in force.",
  },
];

const warehouse = makeWarehouse([FULL_CALL]);
const folder = makeFolder({ CALLTALLY_DATABASE: warehouse.database });
const open = openWarehouse(warehouse.database);
const assistant = answering(folder.path, { env: folder.env });
const RANGE = { from: "2026-01-01", to: "2026-12-31" };
const ROLLUPS = DIMENSIONS.map((dimension) => ({ kind: "rollup" as const, dimensions: [dimension] }));
const CALL_ID = FULL_CALL.call_id;

/** Workbooks by what they have all of. */
const books: Record<string, SeenWorkbook> = {};

beforeAll(async () => {
  const targets = [{ kind: "rollup", dimensions: ["channel"] }] as const;
  const rules = { ...DEFAULT_RULES, hours: { week: "Mon 08:00-18:00", closed: [], timezone: "UTC" } };
  const options = { rules, targets, range: RANGE, spend: true, outcomes: true } as const;
  const format = { format: "xlsx" } as const;
  await warehouse.export({ targets: [...ROLLUPS, { kind: "calls" }] });
  await warehouse.export(options);
  await warehouse.export({ ...options, format });
  books.figures = readBySheetJs(contentOf("calltally.xlsx"));
  await warehouse.export({ targets: ROLLUPS, format });
  books.dimensions = readBySheetJs(contentOf("calltally.xlsx"));
  await warehouse.export({ ...options, targets: [{ kind: "explore", dimensions: DIMENSIONS }] });
});
afterAll(async () => {
  await open[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
  warehouse[Symbol.dispose]();
});

const wordsOf = (text: string) => text.match(/[\w-]+/g) ?? [];
const doc = (...paths: string[]): Read => {
  const textOf = (path: string) => readFileSync(join(import.meta.dirname, "../../docs", path), "utf8");
  return () => paths.flatMap((path) => wordsOf(textOf(path)));
};
const manPage: Read = () =>
  wordsOf(readFileSync(join(import.meta.dirname, "../../docs/calltally.1"), "utf8").replaceAll("\\", ""));
const contentOf = (file: string) => readFileSync(join(warehouse.folder, file));
const headOf = (file: string): Read => {
  return () => Object.keys(readCsv(contentOf(file).toString())[0] ?? {});
};
const printed =
  (...words: string[]): Read =>
  async () =>
    wordsOf((await folder.run(...words)).stdout);
const completed = (...words: string[]) => printed("complete --", ...words);
/** The arguments that a tool of assistants knows, and their values. */
const toolSchema = (name: string): Read => {
  const { input = z.never() } = assistant.tools.find((each) => each.name === name) ?? {};
  return () => wordsOf(JSON.stringify(z.toJSONSchema(input, { io: "input", unrepresentable: "any" })));
};
const explained: Read = async () =>
  wordsOf(JSON.stringify(await assistant.ask("explain_call", { call_id: CALL_ID })));
const columnsOf = (view: string) => () =>
  Object.keys(readRows(warehouse.database, `SELECT * FROM ${view}`)[0] ?? {});

/** The paths of the keys of a schema, those of any name left out. */
function pathsOf({ properties = {}, additionalProperties: each }: z.core.JSONSchema.BaseSchema): string[] {
  const below = Object.entries(properties).flatMap(([key, value]) =>
    typeof value === "object" ? [key, ...pathsOf(value).map((path) => `${key}.${path}`)] : [],
  );
  return [...below, ...(typeof each === "object" ? pathsOf(each) : [])];
}

const PAGE = join(warehouse.folder, EXPLORE_FILE);
const toName = (cell: SeenCell | null) => String(cell?.shown).toLowerCase().replaceAll(" ", "_");
/** Flags by their keys. */
const flagsOf =
  (read: Read): Read =>
  async () =>
    (await read()).map((flag) => flag.replace(/^--/, "").replaceAll("-", "_"));
/** Settings by their keys, of the names of their variables. */
const keysOfSettings = (words: readonly string[]) =>
  Object.values(SETTINGS).flatMap(({ key, env }) => (words.includes(env) ? [key] : []));

const TABLES: Readonly<Record<string, Listed>> = {
  facts: {
    rows: FACT_NAMES.filter((name): name is ShownFact => "shown" in FACTS[name]).map(shownName),
    on: {
      files: headOf("calls.csv"),
      terminal: printed(`explain ${CALL_ID} --json`),
      MCP: explained,
      library: async () => Object.keys((await Array.fromAsync(open.calls()))[0] ?? {}),
      SQL: columnsOf("attributed_calls"),
      cluster: () => Object.keys(CALLS_TABLE.columns),
      docs: doc("reference/schema.md"),
    },
  },
  kinds: {
    rows: CONVERSIONS,
    on: {
      files: printed("export --help"),
      terminal: printed(`explain ${CALL_ID}`),
      MCP: explained,
      docs: doc("ad-platforms.md"),
      completion: completed("export", ""),
    },
  },
  figures: {
    rows: FIGURES,
    on: {
      files: headOf("channel.csv"),
      explore: async () => figuresOfPage((await readPage(PAGE)).facts).map(({ name }) => name),
      workbook: () => Object.values(books.figures ?? {}).flatMap((rows) => rows.flat().map(toName)),
      MCP: toolSchema("figures"),
      library: async () => {
        const { columns } = await open.rollup({ by: ["channel"], spend: true, outcomes: true });
        return columns.map(({ name }) => name);
      },
      SQL: columnsOf("rollup_channel"),
      docs: doc("figures.md", "ad-platforms.md", "outcomes.md"),
      completion: completed("export", "--columns", ""),
    },
  },
  dimensions: {
    rows: DIMENSIONS,
    on: {
      files: () => readdirSync(warehouse.folder).map((file) => file.replace(".csv", "")),
      explore: async () => (await readPage(PAGE)).facts.dimensions,
      workbook: () => Object.keys(books.dimensions ?? {}),
      MCP: toolSchema("figures"),
      library: async () => {
        const rollups = await Promise.all(DIMENSIONS.map((dimension) => open.rollup({ by: [dimension] })));
        return rollups.flatMap(({ columns: [key] }) => key?.name ?? []);
      },
      SQL: columnsOf("attributed_calls"),
      docs: doc("figures.md"),
      completion: completed("export", ""),
    },
  },
  options: {
    rows: Object.keys(REQUEST_KEYS),
    on: {
      files: () => pathsOf(jsonSchema()).flatMap((path) => path.split(".")),
      terminal: flagsOf(printed("export --help")),
      docs: doc("reference/calltally-yaml.md"),
      completion: flagsOf(completed("export", "--")),
    },
  },
  statements: { rows: STATEMENT_IDS, on: { docs: doc("figures.md") } },
  settings: {
    rows: Object.values(SETTINGS).map(({ key }) => key),
    on: {
      files: () => pathsOf(jsonSchema()).map((path) => path.replace(/^accounts\./, "")),
      terminal: async () => keysOfSettings(await printed("config show")()),
      docs: async () => keysOfSettings(await doc("reference/settings.md")()),
    },
  },
  commands: {
    rows: readdirSync(join(import.meta.dirname, "../../src/cli/commands")).map((file) =>
      file.replace(".ts", ""),
    ),
    on: {
      files: manPage,
      terminal: printed("--help"),
      docs: doc("reference/commands.md"),
      completion: completed(""),
    },
  },
};

const NEW_ROW = "a_row_that_nothing_shows";

/** Why a row need not be on a surface; undefined if it must. */
const exemptionOf = (table: string, surface: string, row: string) =>
  EXEMPTIONS.find(
    ({ tables, surfaces, rows }) =>
      tables.includes(table) && surfaces.includes(surface) && (rows?.includes(row) ?? true),
  );

/** Returns the rows of a table that a surface lacks, whether they may or not. */
async function findLacking({ rows, on }: Listed, surface: string): Promise<readonly string[]> {
  const names = new Set(await on[surface]?.());
  return rows.filter((row) => !names.has(row));
}

const EACH = Object.entries(TABLES).flatMap(([table, listed]) =>
  SURFACES.map((surface) => ({ table, surface, listed })),
);

describe("each row of a table", () => {
  it.each(EACH)(
    "the surface shows each row that is not exempt: $table, $surface",
    async ({ table, surface, listed }) => {
      const lacking = await findLacking(listed, surface);
      expect(lacking.filter((row) => exemptionOf(table, surface, row) === undefined)).toEqual([]);
    },
  );

  it.each(Object.entries(TABLES))(
    "the test misses a made-up row on each surface: %s",
    async (table, listed) => {
      const made = { ...listed, rows: [...listed.rows, NEW_ROW] };
      for (const surface of SURFACES) {
        const isExempt = exemptionOf(table, surface, NEW_ROW) !== undefined;
        expect([surface, isExempt || (await findLacking(made, surface))]).toEqual([
          surface,
          isExempt || expect.arrayContaining([NEW_ROW]),
        ]);
      }
    },
  );
});

describe("exemptions", () => {
  it("exemptions are at most ten, and each is needed and has a reason", async () => {
    expect(EXEMPTIONS.length).toBeLessThanOrEqual(10);
    for (const { tables, surfaces, rows, why } of EXEMPTIONS) {
      expect(why).not.toBe("");
      for (const table of tables) {
        const listed = TABLES[table] ?? { rows: [], on: {} };
        const lacking = await Promise.all(surfaces.map((surface) => findLacking(listed, surface)));
        // A surface that can be read is exempt only row by row.
        if (rows === undefined) expect(surfaces.filter((surface) => surface in listed.on)).toEqual([]);
        else expect(lacking.flat().some((row) => rows.includes(row))).toBe(true);
      }
      const anyLacking = await Promise.all(
        tables.flatMap((table) =>
          surfaces.map((surface) => findLacking(TABLES[table] ?? { rows: [], on: {} }, surface)),
        ),
      );
      expect(rows?.filter((row) => !anyLacking.flat().includes(row)) ?? []).toEqual([]);
    }
  });
});
