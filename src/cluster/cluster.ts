import { CalltallyError, describeError, EXIT, UsageError } from "../base/errors.ts";
import { type ClusterAddress, DEFAULT_CLUSTER } from "../config/cluster-url.ts";
import { readSecretFile } from "../config/secret-file.ts";
import { SETTINGS } from "../config/settings.ts";
import { localName } from "./account-tables.ts";
import { ClickhouseNode, type StatementOptions } from "./clickhouse-node.ts";
import { type ClusterRow, literal, quoted } from "./clickhouse-text.ts";

export interface ClusterAccess {
  address: ClusterAddress;
  /** If the address names none. */
  user?: string | undefined;
  passwordFile?: string | undefined;
}

/** A cluster whose servers have all responded, or a single server. Dispose of it to close the connections. */
export class Cluster implements AsyncDisposable {
  readonly address: ClusterAddress;
  /** The server of each shard, in the order of the shards. */
  readonly shards: readonly ClickhouseNode[];
  /** Whether it is one server that knows no cluster. */
  readonly isSingle: boolean;

  constructor(address: ClusterAddress, shards: readonly ClickhouseNode[], isSingle: boolean) {
    this.address = address;
    this.shards = shards;
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
    const [first] = this.shards;
    if (first === undefined) throw new Error("A cluster has a server");
    try {
      return await first.select(sql, options);
    } catch (error) {
      // The server that was asked names others by addresses of its own.
      if (error instanceof CalltallyError && error.exitCode === EXIT.unreachable)
        await this.atEach((node) => node.select("SELECT 1", options));
      throw error;
    }
  }

  /** Runs work at all servers concurrently; returns the results in the order of the shards. */
  async atEach<T>(work: (node: ClickhouseNode, shard: number) => Promise<T>): Promise<T[]> {
    return await askAll(this.shards, work);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.shards.map((node) => node[Symbol.asyncDispose]()));
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
    return new Cluster(
      address,
      isSingle ? nodes : inOrderOfShards(nodes, members, address.cluster),
      isSingle,
    );
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
  return rows.map(([shard, server, isLocal]) => ({ shard: Number(shard), server, isLocal: isLocal === 1 }));
}

const CLUSTER_HINT =
  "Name each server of the cluster once, by its HTTP port, in agreement with remote_servers on all of them: one per shard. With TLS ports there, 18.16 does not recognize itself: configure tcp_port as well, or use a later version.";

/** @throws UsageError that names the server which is outside the cluster, or knows another one */
function inOrderOfShards(
  nodes: readonly ClickhouseNode[],
  members: readonly Awaited<ReturnType<typeof readMembers>>[],
  cluster: string,
): ClickhouseNode[] {
  const shapes = members.map((own) => own.map(({ shard, server }) => `${shard} ${server}`).join());
  const ordered = new Map<number, ClickhouseNode>();
  for (const [index, node] of nodes.entries()) {
    const bad = (state: string) =>
      new UsageError(`Cannot use the cluster ${cluster}: ${node.name} ${state}`, { hint: CLUSTER_HINT });
    const own = members[index] ?? [];
    const count = new Set(own.map(({ shard }) => shard)).size;
    if (own.length === 0) throw bad("has no cluster of that name");
    if (own.length !== nodes.length || count !== own.length)
      throw bad(`has ${own.length} servers in ${count} shards, but the address names ${nodes.length}`);
    if (shapes[index] !== shapes[0]) throw bad(`has other servers in it than ${nodes[0]?.name}`);
    const [local, ...others] = own.filter(({ isLocal }) => isLocal);
    if (local === undefined || others.length > 0)
      throw bad("does not belong to it, by its own configuration");
    if (ordered.has(local.shard)) throw bad("serves a shard that another named server already serves");
    ordered.set(local.shard, node);
  }
  return [...ordered].toSorted(([a], [b]) => a - b).map(([, node]) => node);
}
