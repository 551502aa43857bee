/** A page of docs/. */
export interface DocsPage {
  /** Without its folder and `.md`. */
  name: string;
  title: string;
  /** What it tells, in one sentence. */
  about: string;
  /** Whether it is generated, and lies in docs/reference/. */
  isReference?: true;
}

/** The pages of docs/ by who reads them, in the order of the index. */
export const DOCS_PAGES: Readonly<Record<string, readonly DocsPage[]>> = {
  "Use it": [
    {
      name: "getting-started",
      title: "Getting started",
      about: "From the demo to a first weekly report of your own calls.",
    },
    {
      name: "figures",
      title: "Exports and figures",
      about: "What each figure counts, with a worked example.",
    },
    {
      name: "reports",
      title: "Spreadsheets and reports",
      about: "Excel workbooks, a page to look at, and reports that make themselves.",
    },
    {
      name: "conversions",
      title: "Conversions for ad platforms",
      about: "Tell Google Ads and others which calls were qualified.",
    },
    { name: "spend", title: "What calls cost", about: "Import what ads cost, and set it beside the calls." },
    {
      name: "restatements",
      title: "Restatements",
      about: "Find figures that changed after they were given out, and why.",
    },
    {
      name: "warehouse",
      title: "The warehouse",
      about: "Open the SQLite file, and find your way among its tables.",
    },
    {
      name: "cookbook",
      title: "SQL cookbook",
      about: "Twenty questions that analysts ask, with their SQL and its results.",
    },
    {
      name: "privacy",
      title: "Privacy",
      about: "What is stored where, and how to keep less, forget and share.",
    },
  ],
  "Trust it": [
    {
      name: "completeness",
      title: "Completeness",
      about: "How a sync proves that it read every call, and what to do about each verdict.",
    },
    {
      name: "benchmarks",
      title: "Benchmarks",
      about: "How fast it is, beside what the machine does at best.",
    },
  ],
  "Run it": [
    {
      name: "accounts",
      title: "Accounts and schedules",
      about: "Several accounts in one file, and jobs at their times.",
    },
    {
      name: "delivery",
      title: "Delivery",
      about: "Send a report by mail, to Slack or Teams, or to a command.",
    },
    {
      name: "operating",
      title: "Operating it",
      about: "systemd, cron and containers; monitoring, backup and upgrades.",
    },
    {
      name: "webhooks",
      title: "Insights, webhooks and the doorbell",
      about: "Watch insights, change webhooks, and sync when a call comes in.",
    },
    {
      name: "cluster",
      title: "A ClickHouse cluster",
      about: "Publish the facts of many accounts, and ask there.",
    },
    {
      name: "scale",
      title: "Past one machine",
      about: "When a cluster is worth it, how large, and what was measured.",
    },
  ],
  "Build on it": [
    {
      name: "library",
      title: "The library",
      about: "Sync and ask a warehouse from TypeScript or JavaScript.",
    },
    {
      name: "architecture",
      title: "Architecture",
      about: "Where things are, the way of one call, and the way of one figure.",
    },
    { name: "glossary", title: "Glossary", about: "The words of calltally, one for each thing." },
  ],
  Reference: [
    { name: "commands", title: "Commands", about: "What each command and flag does.", isReference: true },
    { name: "settings", title: "Settings", about: "Every setting and its default.", isReference: true },
    {
      name: "calltally-yaml",
      title: "calltally.yaml",
      about: "What the file of accounts and reports may hold.",
      isReference: true,
    },
    { name: "exit-codes", title: "Exit codes", about: "What each means, and what to do.", isReference: true },
    {
      name: "schema",
      title: "The warehouse's tables and views",
      about: "Every table, view and column.",
      isReference: true,
    },
  ],
};

/** Returns the path of a page within docs/. */
export function pathOfPage({ name, isReference }: DocsPage): string {
  return `${isReference ? "reference/" : ""}${name}.md`;
}
