/** What goes with a capability, in addition to its folder and the tests that import it. */
export interface Capability {
  folder: string;
  commands: readonly string[];
  /** Its file in the demo. */
  demo?: string;
  /** Pages of `docs` about it alone. */
  pages: readonly string[];
  /** Tests of it that import none of its files, such as those of its command. */
  tests?: readonly string[];
  /** Tests of others that name it: the file, and why it fails without it. */
  excused?: Readonly<Record<string, string>>;
}

const feature = (name: string) => `src/features/${name}`;

/** Returns excuses of test files that have a list with a row for it. */
const naming = (what: string, files: readonly string[]) =>
  Object.fromEntries(files.map((file) => [file, `a row of its lists is about ${what}`]));

/** The files of a capability in other rooms. */
export const filesElsewhere = ({ commands, demo }: Capability): string[] => [
  ...commands.map((name) => `src/cli/commands/${name}.ts`),
  ...(demo === undefined ? [] : [`src/sandbox/demo/${demo}.ts`]),
];

export const CAPABILITIES: Readonly<Record<string, Capability>> = {
  cluster: {
    folder: feature("cluster"),
    commands: ["publish"],
    pages: ["scale"],
    tests: ["test/jobs/deploy-clickhouse.test.ts"],
  },
  conversions: {
    folder: feature("conversions"),
    commands: ["uploads"],
    pages: ["ad-platforms"],
    tests: ["test/cli/reports/uploads.test.ts"],
  },
  explore: { folder: feature("explore"), commands: [], pages: ["explore"] },
  hygiene: {
    folder: feature("hygiene"),
    commands: ["hygiene"],
    pages: ["tags"],
    tests: ["test/cli/reports/hygiene.test.ts"],
  },
  insights: {
    folder: feature("insights"),
    commands: ["insight"],
    pages: [],
    tests: ["test/cli/reports/insight.test.ts"],
  },
  notices: {
    folder: feature("notices"),
    commands: [],
    pages: ["notices"],
    tests: ["test/cli/reports/notices.test.ts"],
  },
  outcomes: {
    folder: feature("outcomes"),
    commands: ["outcome"],
    demo: "demo-outcomes",
    pages: ["outcomes"],
    tests: ["test/cli/reports/outcome.test.ts"],
  },
  restatements: {
    folder: feature("restatements"),
    commands: ["restatements"],
    pages: ["restatements"],
    tests: ["test/cli/reports/restatements.test.ts"],
  },
  spend: {
    folder: feature("spend"),
    commands: ["spend"],
    demo: "demo-spend",
    pages: [],
    tests: ["test/cli/reports/spend.test.ts"],
  },
  webhooks: {
    folder: feature("webhooks"),
    commands: ["webhook"],
    pages: [],
    tests: ["test/cli/schedule/webhook.test.ts"],
    excused: {
      ...naming("the command", [
        "test/cli/completion.test.ts",
        "test/cli/invalid-input.test.ts",
        "test/cli/terminal.test.ts",
        "test/cli/written-files.test.ts",
        "test/cli/accounts/accounts.test.ts",
        "test/cli/accounts/origin.test.ts",
        "test/cli/warehouse/wrong-place.test.ts",
      ]),
      ...naming("its table", ["test/sync/damage.test.ts", "test/warehouse/personal-columns.test.ts"]),
      "test/docs/commands.test.ts": "docs/operating.md has a section about the command",
      "test/docs/sessions.test.ts": "docs/operating.md shows the command",
      "test/cli/schedule/doorbell.test.ts": "the command sets up the doorbell",
    },
  },
  topics: {
    folder: feature("topics"),
    commands: ["topics"],
    pages: ["topics"],
    tests: ["test/cli/reports/topics.test.ts"],
  },
  mcp: { folder: "src/mcp", commands: ["mcp"], pages: ["assistants"] },
};

/**
 * The files that may import a capability, and how deep their rows are: 1 for the elements of a list, 2 for those of lists
 * in it.
 */
export const LISTS: Readonly<Record<string, 1 | 2>> = {
  "src/features/list.ts": 1,
  "src/operate/schema/schema.ts": 1,
  "src/operate/jobs/all.ts": 1,
  "src/cli/commands.ts": 2,
  "src/sandbox/demo/imports.ts": 1,
  "test/architecture/rooms.ts": 1,
  "test/mutants/rooms.ts": 1,
};
