/** What goes with a capability, in addition to its folder and the tests that import it. */
export interface Capability {
  folder: string;
  commands: readonly string[];
  /** Its file in the demo. */
  demo?: string;
  /** Its job, with a script and a timer for operators. */
  job?: string;
  /** Pages of `docs` about it alone. */
  pages: readonly string[];
  /** Tests of it that import none of its files, such as those of its command. */
  tests?: readonly string[];
  /** Tests of others that import it, or fail without it: the file, and why. */
  excused?: Readonly<Record<string, string>>;
}

const feature = (name: string) => `src/features/${name}`;

/** The files of a capability in other rooms. */
export const filesElsewhere = ({ commands, demo, job }: Capability): string[] => [
  ...commands.map((name) => `src/cli/commands/${name}.ts`),
  ...(demo === undefined ? [] : [`src/sandbox/demo/${demo}.ts`]),
  ...(job === undefined ? [] : [`jobs/${job}.ts`, `jobs/deploy/calltally-${job}.timer`]),
];

export const CAPABILITIES: Readonly<Record<string, Capability>> = {
  cluster: {
    folder: feature("cluster"),
    commands: ["publish"],
    pages: ["scale"],
    tests: ["test/jobs/deploy-clickhouse.test.ts"],
    excused: { "test/surfaces/surfaces.test.ts": "its table lists the columns of a cluster" },
  },
  conversions: {
    folder: feature("conversions"),
    commands: ["uploads"],
    pages: ["ad-platforms"],
    tests: ["test/cli/reports/uploads.test.ts", "test/crash/uploads.test.ts"],
    excused: {
      "test/surfaces/surfaces.test.ts": "its table lists the files for ad platforms",
    },
  },
  explore: {
    folder: feature("explore"),
    commands: [],
    demo: "demo-explore",
    pages: ["explore"],
    excused: {
      "test/library/package.test.ts": "lists the script of the page, and its libraries",
      "test/surfaces/surfaces.test.ts": "its table lists the figures and dimensions of the page",
    },
  },
  hygiene: {
    folder: feature("hygiene"),
    commands: ["hygiene"],
    pages: ["tags"],
    tests: ["test/cli/reports/hygiene.test.ts"],
  },
  insights: {
    folder: feature("insights"),
    commands: ["insight"],
    job: "insights",
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
      "test/export/changed-calls.test.ts": "its random lives import and remove jobs",
      "test/export/job-dates.test.ts": "compares imported jobs, and costs, on their days",
      "test/export/pivots.test.ts": "pivots the scene, which imports jobs",
    },
  },
  reconcile: {
    folder: feature("reconcile"),
    commands: ["reconcile"],
    pages: ["reconcile"],
    tests: ["test/cli/reports/reconcile.test.ts"],
    excused: { "test/operate/faults/faults.test.ts": "its table has a column of what reconcile finds" },
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
    excused: { "test/export/pivots.test.ts": "pivots the scene, which imports costs" },
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
  mcp: {
    folder: "src/mcp",
    commands: ["mcp"],
    pages: ["assistants"],
    excused: {
      "test/export/statements/statements.test.ts": "compares the responses of an assistant, too",
      "test/surfaces/surfaces.test.ts": "compares the responses of an assistant, too",
      "test/export/texts-as-served.test.ts": "compares the responses of an assistant, too",
      "test/cli/reports/cost-rows.test.ts": "compares the responses of an assistant, too",
      "test/cli/reports/doubts.test.ts": "compares the responses of an assistant, too",
      "test/reports/changes.test.ts": "compares the responses of an assistant, too",
      "test/reports/sentences.test.ts": "compares the responses of an assistant, too",
      "test/reports/page/golden.test.ts": "its situations are asked of an assistant, too",
    },
  },
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
