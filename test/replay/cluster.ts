import { PUBLISHER, startClickhouse } from "../support/clickhouse-servers.ts";

/** Two ClickHouse servers that are one cluster. */
export interface Cluster extends AsyncDisposable {
  /** The address of all servers, or of one, without a database. */
  addressOf: (name: string) => string;
  /** Replaces hosts, whose ports change, by names. */
  plain: (text: string) => string;
  drop: (database: string) => Promise<void>;
}

export async function startCluster(): Promise<Cluster> {
  const servers = await startClickhouse(2);
  process.on("exit", () => {
    for (const server of servers.hosts.keys()) void servers.stop(server);
  });
  // Sorted as in addresses.
  const hosts = servers.hosts.toSorted();
  const [first = "", second = ""] = hosts;
  const named: Record<string, readonly string[]> = { CLUSTER: hosts, FIRST: [first], SECOND: [second] };
  return {
    addressOf: (name) => `clickhouse://${PUBLISHER.user}@${named[name]?.join(",")}`,
    plain: (text) => text.replaceAll(first, "<first server>").replaceAll(second, "<second server>"),
    drop: async (database) => {
      for (const server of hosts.keys()) await servers.ask(server, `DROP DATABASE IF EXISTS ${database}`);
    },
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  };
}
