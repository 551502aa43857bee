// `node jobs/sync.ts` is `calltally job sync`.
if (require.main === module)
  import("../src/cli/run-from-source.js").then(({ runFromSource }) =>
    runFromSource(["job", "sync", ...process.argv.slice(2)]),
  );
