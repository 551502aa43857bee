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
  /** Whether the tests without it have not passed yet: none are drawn. */
  untried?: true;
  /** Tests of others that name it: the file, and why it fails without it. */
  excused?: Readonly<Record<string, string>>;
}

const feature = (name: string) => `src/features/${name}`;

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
    untried: true,
    commands: ["uploads"],
    pages: ["ad-platforms"],
    tests: ["test/cli/reports/uploads.test.ts"],
    excused: {
      "test/cli/privacy/forget-seams.test.ts": "forgets callers in files for ad platforms, too",
      "test/surfaces/surfaces.test.ts": "its table lists the files for ad platforms",
    },
  },
  explore: {
    folder: feature("explore"),
    untried: true,
    commands: [],
    demo: "demo-explore",
    pages: ["explore"],
    excused: { "test/library/package.test.ts": "lists the script of the page, and its libraries" },
  },
  hygiene: {
    folder: feature("hygiene"),
    commands: ["hygiene"],
    pages: ["tags"],
    tests: ["test/cli/reports/hygiene.test.ts"],
  },
  insights: {
    folder: feature("insights"),
    untried: true,
    commands: ["insight"],
    pages: [],
    tests: ["test/cli/reports/insight.test.ts", "test/cli/schedule/insights-job.test.ts"],
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
    excused: {
      "test/surfaces/surfaces.test.ts": "reads the figures of outcomes in their page of docs",
      "test/reports/page/report.test.ts": "the headline of the demo has booked calls and revenue",
    },
  },
  reconcile: {
    folder: feature("reconcile"),
    commands: ["reconcile"],
    pages: ["reconcile"],
    tests: ["test/cli/reports/reconcile.test.ts"],
  },
  restatements: {
    folder: feature("restatements"),
    untried: true,
    commands: ["restatements"],
    pages: ["restatements"],
    tests: ["test/cli/reports/restatements.test.ts"],
  },
  spend: {
    folder: feature("spend"),
    untried: true,
    commands: ["spend"],
    demo: "demo-spend",
    pages: [],
    tests: ["test/cli/reports/spend.test.ts"],
  },
  webhooks: {
    folder: feature("webhooks"),
    commands: ["webhook"],
    pages: [],
    tests: ["test/cli/schedule/webhook.test.ts", "test/cli/schedule/webhook-doorbell.test.ts"],
  },
  topics: {
    folder: feature("topics"),
    commands: ["topics"],
    pages: ["topics"],
    tests: ["test/cli/reports/topics.test.ts"],
  },
  mcp: { folder: "src/mcp", commands: ["mcp"], pages: ["assistants"] },
};

/** Tests that do not run without a capability, and why: these show what all capabilities do together. */
export const TOGETHER: Readonly<Record<string, string>> = {
  "test/docs/": "pages of docs link and show all capabilities",
  "test/scene/": "the scene uses all capabilities, and its goldens show them",
  "test/simulation/": "its lives use all capabilities",
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
  "src/sandbox/demo/pages.ts": 1,
  "test/architecture/rooms.ts": 1,
  "test/mutants/rooms.ts": 1,
};
