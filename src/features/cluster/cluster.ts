import { CalltallyError, describeError, EXIT, UsageError } from "../../base/errors.ts";
import { type ClusterAddress, DEFAULT_CLUSTER } from "../../config/cluster-url.ts";
import { readSecretFile } from "../../config/files/secret-file.ts";
import { SETTINGS } from "../../config/settings.ts";
import { localName } from "./account-tables.ts";
import { ClickhouseNode, type StatementOptions } from "./clickhouse-node.ts";
import { type ClusterRow, literal, quoted } from "./clickhouse-text.ts";

export interface ClusterAccess {
  address: ClusterAddress;
  /** If the address names none. */
  user?: string | undefined;
  passwordFile?: string | undefined;
}

export interface Server {
  node: ClickhouseNode;
  /** From 0 on; the rows of a shard are at all of its servers. */
  shard: number;
}

/** A cluster whose servers have all responded, or a single server. Dispose of it to close the connections. */
export class Cluster implements AsyncDisposable {
  readonly address: ClusterAddress;
  /** In the order of the shards. */
  readonly servers: readonly Server[];
  /** How many there are. */
  readonly shards: number;
  /** Whether it is one server that knows no cluster. */
  readonly isSingle: boolean;

  constructor(address: ClusterAddress, servers: readonly Server[], isSingle: boolean) {
    this.address = address;
    this.servers = servers;
    this.shards = new Set(servers.map(({ shard }) => shard)).size;
    this.isSingle = isSingle;
  }

  table(name: string): string {
    return `${quoted(this.address.database)}.${quoted(name)}`;
  }

  /** Returns the table with the rows of all servers. */
  all(name: string): string {
    return this.table(this.isSingle ? localName(name) : name);
  }

  /** Reads the rows of all shards, or fails. @throws CalltallyError (exit 5) that names the servers that are down */
  async select(sql: string, options: StatementOptions): Promise<ClusterRow[]> {
    const [first] = this.servers;
    if (first === undefined) throw new Error("A cluster has a server");
    try {
      return await first.node.select(sql, options);
    } catch (error) {
      // The server that was asked names others by addresses of its own.
      if (error instanceof CalltallyError && error.exitCode === EXIT.unreachable)
        await this.atEach((node) => node.select("SELECT 1", options));
      throw error;
    }
  }

  /** Runs work at all servers concurrently; returns the results in their order. */
  async atEach<T>(work: (node: ClickhouseNode, index: number) => Promise<T>): Promise<T[]> {
    return await askAll(
      this.servers.map(({ node }) => node),
      work,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.servers.map(({ node }) => node[Symbol.asyncDispose]()));
  }
}

/** Asks each server whether it belongs to the cluster. @throws CalltallyError (exit 2, 4, 5 or 8) that names the server */
export async function openCluster(access: ClusterAccess, signal?: AbortSignal): Promise<Cluster> {
  const { address, user, passwordFile } = access;
  const login = {
    user: address.user ?? user,
    password:
      passwordFile === undefined ? undefined : readSecretFile(passwordFile, SETTINGS.publishPasswordFile.env),
  };
  const nodes = address.hosts.map((url) => new ClickhouseNode(url, login));
  try {
    const members = await askAll(nodes, (node) => readMembers(node, address.cluster, signal));
    const isSingle = nodes.length === 1 && members[0]?.length === 0 && address.cluster === DEFAULT_CLUSTER;
    const alone = nodes.map((node) => ({ node, shard: 0 }));
    return new Cluster(address, isSingle ? alone : toServers(nodes, members, address.cluster), isSingle);
  } catch (error) {
    await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
    throw error;
  }
}

/** Waits for all before it throws, so that an error names every server that has it. */
async function askAll<T>(
  nodes: readonly ClickhouseNode[],
  ask: (node: ClickhouseNode, index: number) => Promise<T>,
): Promise<T[]> {
  const answers = await Promise.allSettled(nodes.map(ask));
  const errors: unknown[] = answers.flatMap((answer) =>
    answer.status === "rejected" ? [answer.reason] : [],
  );
  const [first] = errors;
  const messages = new Set(errors.map(describeError));
  if (first instanceof CalltallyError && messages.size > 1) {
    const { exitCode, hint } = first;
    throw new CalltallyError(exitCode, [...messages].join("; "), { hint });
  }
  if (errors.length > 0) throw first;
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
}

async function readMembers(node: ClickhouseNode, cluster: string, signal: AbortSignal | undefined) {
  const rows = await node.select(
    `SELECT shard_num, concat(host_name, ':', toString(port)), is_local FROM system.clusters WHERE cluster = ${literal(cluster)} ORDER BY shard_num, replica_num`,
    { doing: "read system.clusters", signal },
  );
  return rows.map(([shard, server, isLocal]) => ({
    shard: Number(shard) - 1,
    name: String(server),
    isLocal: isLocal === 1,
  }));
}

const CLUSTER_HINT =
  "Name each server of the cluster once, by its HTTP port, in agreement with remote_servers on all of them. With TLS ports there, 18.16 does not recognize itself: configure tcp_port as well, or use a later version.";

/** @throws UsageError that names the server which is outside the cluster, or knows another one */
function toServers(
  nodes: readonly ClickhouseNode[],
  members: readonly Awaited<ReturnType<typeof readMembers>>[],
  cluster: string,
): Server[] {
  const shapes = members.map((ofServer) => ofServer.map(({ shard, name }) => `${shard} ${name}`).join());
  const servers: Server[] = [];
  for (const [index, node] of nodes.entries()) {
    const bad = (state: string) =>
      new UsageError(`Cannot use the cluster ${cluster}: ${node.name} ${state}`, { hint: CLUSTER_HINT });
    const ofServer = members[index] ?? [];
    if (ofServer.length === 0) throw bad("has no cluster of that name");
    if (ofServer.length !== nodes.length)
      throw bad(`has ${ofServer.length} servers in it, but the address names ${nodes.length}`);
    if (shapes[index] !== shapes[0]) throw bad(`has other servers in it than ${nodes[0]?.name}`);
    // In 18.16, all replicas of a server's own shard are local.
    const [shard, ...others] = new Set(ofServer.flatMap((member) => (member.isLocal ? [member.shard] : [])));
    if (shard === undefined || others.length > 0)
      throw bad("does not belong to it, by its own configuration");
    const replicas = ofServer.filter((member) => member.shard === shard).length;
    if (servers.filter((known) => known.shard === shard).length === replicas)
      throw bad("serves a shard whose servers are already named");
    servers.push({ node, shard });
  }
  return servers.toSorted((a, b) => a.shard - b.shard);
}
