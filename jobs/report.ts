// `node jobs/report.ts weekly` is `calltally job report:weekly`.
if (require.main === module)
  import("../src/cli/run-from-source.js").then(({ runFromSource }) => {
    const [name = "", ...args] = process.argv.slice(2);
    return runFromSource(["job", `report:${name}`, ...args]);
  });
