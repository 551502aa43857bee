import { isDeepStrictEqual, parseArgs } from "node:util";
import { parseClusterUrl } from "../../../src/config/cluster-url.ts";
import { readCluster } from "../../../src/features/cluster/cluster-session.ts";
import { askBoth, everyQuestion } from "./engine-questions.ts";
import { makeOddAccounts, publishAccount } from "./odd-accounts.ts";

// Publishes three accounts of 20,000 odd calls to a cluster, asks it every kind of question, and compares with SQLite: for
// versions of ClickHouse without servers for the tests, such as today's, which chdb-server.ts provides.
//
//   node test/features/cluster/chdb-engine.ts --to clickhouse://127.0.0.1:8123/engine

const { to } = parseArgs({ options: { to: { type: "string" } } }).values;
if (to === undefined) throw new Error("--to is required");

const access = { address: parseClusterUrl(to) };
const accounts = makeOddAccounts(20_000);
const counts = { same: 0, different: 0 };
try {
  for (const account of accounts) await publishAccount(access, account);
  const names = accounts.map(({ name }) => name);
  await readCluster(access, names, async (published) => {
    for (const account of accounts) {
      for (const question of everyQuestion(account)) {
        const { expected, found } = await askBoth(account, published, question);
        counts[isDeepStrictEqual(found, expected) ? "same" : "different"]++;
      }
    }
  });
} finally {
  for (const { warehouse } of accounts) warehouse[Symbol.dispose]();
}
process.stdout.write(`${JSON.stringify(counts)}\n`);
if (counts.different > 0) process.exitCode = 1;
