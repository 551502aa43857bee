// `node jobs/insights.ts` is `calltally job insights`.
if (require.main === module)
  import("../src/cli/run-from-source.js").then(({ runFromSource }) =>
    runFromSource(["job", "insights", ...process.argv.slice(2)]),
  );
