import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { FACTS } from "../../src/calls/facts.ts";
import { TASKS } from "../../src/cli/commands.ts";
import { jsonSchema } from "../../src/config/config-reference.ts";
import { CONVERSION_KINDS, CONVERSIONS } from "../../src/config/request/conversion-kinds.ts";
import { EXPLORE_FILE } from "../../src/config/request/option-values.ts";
import { OPTIONS } from "../../src/config/request/options.ts";
import type { Setting } from "../../src/config/setting.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { FILE_RULES } from "../../src/export/statements/file-rules.ts";
import { RANGE_RULES } from "../../src/export/statements/range-rules.ts";
import { WAREHOUSE_RULES } from "../../src/export/statements/warehouse-rules.ts";
import { CALLS_TABLE } from "../../src/features/cluster/account-tables.ts";
import { figuresOfPage } from "../../src/features/explore/browser/answers.ts";
import { DIMENSIONS, type KeyColumn, keyColumns } from "../../src/figures/dimensions.ts";
import {
  type AnyAggregate,
  CALL_METRICS,
  type Metric,
  OUTCOME_FIGURES,
  outcomeMetrics,
  SPEND_FIGURES,
  spendMetrics,
  TIME_FIGURES,
} from "../../src/figures/metrics.ts";
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

/** A table of the program, or a copy of it, and what each surface shows of it. */
interface Listed {
  /** The names of its rows, as surfaces show them. */
  rows: readonly string[];
  /** The names after one more row, {@link NEW_ROW}, was added to a copy of the table. */
  rowsOfCopy: readonly string[];
  on: Readonly<Record<string, Read>>;
}

const NEW_ROW = "a_row_that_nothing_shows";

/** Derives the names from a table, and from a copy with a made-up row: like another one, but for its name. */
function listed<Row extends object>(
  table: Readonly<Record<string, Row>>,
  like: Row,
  nameOf: (row: Row, key: string) => string | undefined,
  on: Listed["on"],
): Listed {
  const toRows = (rows: Readonly<Record<string, Row>>) =>
    Object.entries(rows).flatMap(([key, row]) => nameOf(row, key) ?? []);
  return { rows: toRows(table), rowsOfCopy: toRows({ ...table, [NEW_ROW]: like }), on };
}
const byKey = (_: unknown, key: string) => key;

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
    surfaces: ["files", "terminal", "MCP", "cluster"],
    rows: [
      ...["caller", "campaign_as_tagged"],
      ...["source", "medium", "campaign", "content", "term"].map((tag) => `utm_${tag}_folded`),
    ],
    why: "Lists have numbers only on request; explanations show what a tag is tallied as; a cluster's column campaign is as tagged.",
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
    rows: ["contents", "range", "filter", "conversion", "changed_since", "caller"],
    why: "Contents are arguments, the members of groups are flags, and no report lists what changed since a moment, or the calls of a number.",
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
  const conversions = CONVERSIONS.map((kind) => ({ kind, conversion: { measurement_id: "G-1A2B3C4D5E" } }));
  await warehouse.export({ targets: conversions });
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

const docsOf = (path: string) => readFileSync(join(import.meta.dirname, "../../docs", path), "utf8");
/** The names in code at which a list's item, a row of a table or a heading begins: `- `a`, `b`: text`, `| `a` | text |`. */
const TERMS = /^(?: *- |\| |#+ )\[?((?:`[^`]+`(?:, )?)+)/gm;
const termsOf = (text: string) =>
  Array.from(text.matchAll(TERMS)).flatMap(([, terms = ""]) => terms.match(/[^`]+(?=`(?:,|$))/g) ?? []);
/** The terms of documents; `page.md#Heading` stands for a section. */
const doc = (...sections: string[]): Read => {
  return () =>
    sections.flatMap((section) => {
      const [path = "", heading] = section.split("#");
      const text = docsOf(path);
      if (heading === undefined) return termsOf(text);
      const [, below = ""] = text.split(`\n## ${heading}\n`);
      return termsOf(below.split("\n## ", 1).join());
    });
};
const manPage: Read = () =>
  Array.from(docsOf("calltally.1").matchAll(/^\.SS "calltally ([\w\\-]+)/gm), ([, name = ""]) =>
    name.replaceAll("\\", ""),
  );
const contentOf = (file: string) => readFileSync(join(warehouse.folder, file));
const headOf = (file: string): Read => {
  return () => Object.keys(readCsv(contentOf(file).toString())[0] ?? {});
};
const printed = async (...words: string[]) => (await folder.run(...words)).stdout;
/** What the lines of an output begin with. */
const heads =
  (...words: string[]): Read =>
  async () =>
    (await printed(...words)).match(/(?<=^ *)[\w-]+/gm) ?? [];
const completed = (...words: string[]) => heads("complete --", ...words);
/** The names of an object's members at any depth. */
const membersOf = (value: unknown): string[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, member]) =>
        Array.isArray(value) ? membersOf(member) : [key, ...membersOf(member)],
      );
/** The values that a tool of assistants knows for its arguments. */
const toolSchema = (name: string): Read => {
  const { input = z.never() } = assistant.tools.find((each) => each.name === name) ?? {};
  const choicesOf = (value: unknown): unknown[] =>
    typeof value !== "object" || value === null
      ? []
      : Object.entries(value).flatMap(([key, member]) => (key === "enum" ? member : choicesOf(member)));
  return () => choicesOf(z.toJSONSchema(input, { io: "input", unrepresentable: "any" })).map(String);
};
const explained: Read = async () => membersOf(await assistant.ask("explain_call", { call_id: CALL_ID }));
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
  (...reads: readonly Read[]): Read =>
  async () => {
    const flags = (await Promise.all(reads.map((read) => read()))).flat();
    return flags.flatMap((flag) => (flag.startsWith("--") ? flag.slice(2).replaceAll("-", "_") : []));
  };
/** Settings by their keys, of the names of their variables. */
const keysOfSettings = (words: readonly string[]) =>
  Object.values(SETTINGS).flatMap(({ key, env }) => (words.includes(env) ? [key] : []));

const RULES = { ...WAREHOUSE_RULES, ...FILE_RULES, ...RANGE_RULES };
const COMMANDS = Object.assign({}, ...Object.values(TASKS));
const FORM = { currency: "USD", decimals: 2 };
const METRICS: readonly Metric<AnyAggregate>[] = [
  ...CALL_METRICS,
  ...spendMetrics(FORM),
  ...outcomeMetrics({ ...FORM, by: "call" }, FORM),
];

const TABLES: Readonly<Record<string, Listed>> = {
  facts: listed<{ help: string; shown?: { in: string; as?: string } }>(
    FACTS,
    FACTS.topic,
    ({ shown }, key) => shown && (shown.as ?? key),
    {
      files: headOf("calls.csv"),
      terminal: async () => membersOf(JSON.parse(await printed(`explain ${CALL_ID} --json`))),
      MCP: explained,
      library: async () => Object.keys((await Array.fromAsync(open.calls()))[0] ?? {}),
      SQL: columnsOf("attributed_calls"),
      cluster: () => Object.keys(CALLS_TABLE.columns),
      docs: doc("reference/schema.md#attributed_calls"),
    },
  ),
  kinds: listed(CONVERSION_KINDS, CONVERSION_KINDS["microsoft-ads"], byKey, {
    files: () => readdirSync(warehouse.folder).map((file) => file.replace(".csv", "")),
    terminal: heads(`explain ${CALL_ID}`),
    MCP: explained,
    docs: doc("ad-platforms.md#Upload conversions"),
    completion: completed("export", ""),
  }),
  figures: listed(
    Object.fromEntries(METRICS.map((metric) => [metric.name, metric])),
    { ...METRICS[0], name: NEW_ROW },
    ({ name }) => name,
    {
      files: headOf("channel.csv"),
      explore: async () => figuresOfPage((await readPage(PAGE)).facts).map(({ name }) => name),
      // The sheet About lists the names of columns, and headers have them in words.
      workbook: () =>
        [...(books.figures?.channel?.[1] ?? []), ...(books.figures?.About ?? []).flat()].map(toName),
      MCP: toolSchema("figures"),
      library: async () => {
        const { columns } = await open.rollup({ by: ["channel"], spend: true, outcomes: true });
        return columns.map(({ name }) => name);
      },
      SQL: columnsOf("rollup_channel"),
      docs: doc("figures.md#A worked example", "ad-platforms.md#Costs", "outcomes.md#The figures"),
      completion: completed("export", "--columns", ""),
    },
  ),
  dimensions: listed<readonly KeyColumn[]>(
    Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, keyColumns([dimension])])),
    keyColumns(["topic"]),
    byKey,
    {
      files: () => readdirSync(warehouse.folder).map((file) => file.replace(".csv", "")),
      explore: async () => (await readPage(PAGE)).facts.dimensions,
      workbook: () => Object.keys(books.dimensions ?? {}),
      MCP: toolSchema("figures"),
      library: async () => {
        const rollups = await Promise.all(DIMENSIONS.map((dimension) => open.rollup({ by: [dimension] })));
        return rollups.flatMap(({ columns: [key] }) => key?.name ?? []);
      },
      SQL: columnsOf("attributed_calls"),
      docs: doc("figures.md#Dimensions"),
      completion: completed("export", ""),
    },
  ),
  options: listed(OPTIONS, OPTIONS.total, byKey, {
    files: () => pathsOf(jsonSchema()).flatMap((path) => /^reports\.(.*)$/.exec(path)?.[1] ?? []),
    terminal: flagsOf(heads("export --help"), heads("report --help")),
    docs: doc("reference/calltally-yaml.md#A report"),
    completion: flagsOf(completed("export", "--"), completed("report", "--")),
  }),
  statements: listed(RULES, RULES.no_rows, byKey, { docs: doc("figures.md#Statements") }),
  settings: listed<Pick<Setting, "key">>(SETTINGS, { key: NEW_ROW }, ({ key }) => key, {
    files: () => pathsOf(jsonSchema()).map((path) => path.replace(/^accounts\./, "")),
    terminal: async () => keysOfSettings(await heads("config show")()),
    docs: async () => keysOfSettings(await doc("reference/settings.md")()),
  }),
  commands: listed(COMMANDS, COMMANDS.query, byKey, {
    files: manPage,
    terminal: heads("--help"),
    docs: async () => (await doc("reference/commands.md")()).map((command) => command.split(" ")[1] ?? ""),
    completion: completed(""),
  }),
};

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

/** Returns the rows that the surface must show, and does not. */
async function findMissed(table: string, own: Listed, surface: string): Promise<readonly string[]> {
  return (await findLacking(own, surface)).filter((row) => exemptionOf(table, surface, row) === undefined);
}

const EACH = Object.entries(TABLES).flatMap(([table, listed]) =>
  SURFACES.map((surface) => ({ table, surface, listed })),
);

describe("each row of a table", () => {
  it.each(EACH)(
    "the surface shows each row that is not exempt: $table, $surface",
    async ({ table, surface, listed: own }) => {
      expect(await findMissed(table, own, surface)).toEqual([]);
    },
  );

  it.each(EACH.filter(({ table, surface }) => exemptionOf(table, surface, NEW_ROW) === undefined))(
    "the check fails for a row that was added to a copy of the table: $table, $surface",
    async ({ table, surface, listed: own }) => {
      expect(await findMissed(table, { ...own, rows: own.rowsOfCopy }, surface)).toEqual([NEW_ROW]);
    },
  );
});

const NO_TABLE: Listed = { rows: [], rowsOfCopy: [], on: {} };

describe("exemptions", () => {
  it("exemptions are at most ten, and each is needed and has a reason", async () => {
    expect(EXEMPTIONS.length).toBeLessThanOrEqual(10);
    for (const { tables, surfaces, rows, why } of EXEMPTIONS) {
      expect(why).not.toBe("");
      for (const table of tables) {
        const listed = TABLES[table] ?? NO_TABLE;
        const lacking = await Promise.all(surfaces.map((surface) => findLacking(listed, surface)));
        // A surface that can be read is exempt only row by row.
        if (rows === undefined) expect(surfaces.filter((surface) => surface in listed.on)).toEqual([]);
        else expect(lacking.flat().some((row) => rows.includes(row))).toBe(true);
      }
      const anyLacking = await Promise.all(
        tables.flatMap((table) => surfaces.map((surface) => findLacking(TABLES[table] ?? NO_TABLE, surface))),
      );
      expect(rows?.filter((row) => !anyLacking.flat().includes(row)) ?? []).toEqual([]);
    }
  });
});
