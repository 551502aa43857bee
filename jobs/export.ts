// `node jobs/export.ts` is `calltally job export`.
if (require.main === module)
  import("../src/cli/run-from-source.js").then(({ runFromSource }) =>
    runFromSource(["job", "export", ...process.argv.slice(2)]),
  );
