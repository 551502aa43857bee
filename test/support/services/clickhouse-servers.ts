import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { findPeer } from "../peers.ts";
import { makeTempFolder } from "../temp-folder.ts";

const SERVER = "/usr/sbin/clickhouse-server";
const PATIENCE_MS = 600_000;
const POLL_MS = 50;
const FOLDERS = ["data", "tmp", "formats"];

export const PUBLISHER = { user: "publisher", password: "a secret of the cluster's" };

/** Users with the publisher's password, whose profiles are as bad as possible. */
const PROFILES = {
  /** Rows of each shard separately, and none of shards that are down. */
  reader:
    "<readonly>2</readonly><skip_unavailable_shards>1</skip_unavailable_shards><distributed_group_by_no_merge>1</distributed_group_by_no_merge><extremes>1</extremes>",
  /** Only the first rows and groups. */
  limited:
    "<max_result_rows>5</max_result_rows><result_overflow_mode>break</result_overflow_mode><max_rows_to_group_by>5</max_rows_to_group_by><group_by_overflow_mode>any</group_by_overflow_mode><max_rows_in_set>5</max_rows_in_set><set_overflow_mode>break</set_overflow_mode><max_rows_to_read>1000</max_rows_to_read><read_overflow_mode>break</read_overflow_mode><timeout_overflow_mode>break</timeout_overflow_mode><max_block_size>5</max_block_size>",
};

export const CLICKHOUSE = findPeer("clickhouse-server", SERVER);

/** ClickHouse servers on free ports of this machine, each a shard of the cluster `calltally`, and a replica of the only shard of `copies`; stopped at the end of the scope. */
export interface ClickhouseServers extends AsyncDisposable {
  /** Folder for additional files. */
  folder: string;
  /** File with the publisher's password. */
  passwordFile: string;
  /** Hosts and HTTP ports. */
  hosts: string[];
  /** The address of a database for `--to`. */
  url: (database: string, hosts?: readonly string[], user?: string) => string;
  /** Runs a statement at one of them, and returns its output without the last line break. */
  ask: (server: number, sql: string) => Promise<string>;
  stop: (server: number) => Promise<void>;
  start: (server: number) => Promise<void>;
}

export interface Ports {
  http: number;
  tcp: number;
}

interface ClickhouseOptions {
  /** Writes the configuration of a server, config.xml, into its folder. */
  writeConfig?: (folder: string, shard: number, ports: readonly Ports[], isCluster: boolean) => void;
  /** By default that of the publisher. */
  password?: string;
  /** Whether the servers are a cluster. @default true */
  isCluster?: boolean;
}

/** Starts that many servers, and resolves when all of them respond. */
export async function startClickhouse(
  shards?: number,
  options?: ClickhouseOptions,
): Promise<ClickhouseServers> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryToStart(shards, options);
    } catch (error) {
      // Another process may have taken a port between the check and the start.
      if (attempt === 3) throw error;
    }
  }
}

async function tryToStart(
  shards = 2,
  { isCluster = true, writeConfig = writeOwnConfig, password = PUBLISHER.password }: ClickhouseOptions = {},
): Promise<ClickhouseServers> {
  const temp = makeTempFolder();
  const ports: Ports[] = [];
  for (let shard = 0; shard < shards; shard++) ports.push({ http: await freePort(), tcp: await freePort() });
  const folders = ports.map((_, shard) => join(temp.path, `shard-${shard}`));
  for (const [shard, folder] of folders.entries()) {
    for (const name of FOLDERS) mkdirSync(join(folder, name), { recursive: true });
    writeConfig(folder, shard, ports, isCluster);
  }
  const passwordFile = join(temp.path, "password");
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  const hosts = ports.map(({ http }) => `127.0.0.1:${http}`);
  const children: (ChildProcess | undefined)[] = [];

  const ask = async (server: number, sql: string) => {
    const response = await fetch(`http://${hosts[server]}/?extremes=0`, {
      method: "POST",
      headers: { "X-ClickHouse-User": PUBLISHER.user, "X-ClickHouse-Key": password },
      body: sql,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text.trimEnd();
  };
  const start = async (server: number) => {
    const folder = folders[server] ?? "";
    const child = spawn(SERVER, [`--config-file=${join(folder, "config.xml")}`], { stdio: "ignore" });
    children[server] = child;
    const untilMs = Date.now() + PATIENCE_MS;
    for (;;) {
      if (child.exitCode !== null || child.signalCode !== null || Date.now() > untilMs)
        throw new Error(readLog(folder));
      const isThere = await ask(server, "SELECT 1").then(
        () => true,
        () => false,
      );
      if (isThere) return;
      await setTimeout(POLL_MS);
    }
  };
  const stop = async (server: number) => {
    const child = children[server];
    children[server] = undefined;
    if (child === undefined) return;
    const closed = once(child, "close");
    // A regular stop waits for connections.
    if (!child.kill("SIGKILL")) throw new Error(readLog(folders[server] ?? ""));
    await closed;
  };
  const stopAll = async () => {
    await Promise.all(children.map((_, server) => stop(server)));
    temp[Symbol.dispose]();
  };
  try {
    await Promise.all(hosts.map((_, server) => start(server)));
  } catch (error) {
    await stopAll();
    throw error;
  }
  return {
    folder: temp.path,
    passwordFile,
    hosts,
    url: (database, named = hosts, user = PUBLISHER.user) =>
      `clickhouse://${user}@${named.join(",")}/${database}`,
    ask,
    start,
    stop,
    [Symbol.asyncDispose]: stopAll,
  };
}

/** Below the ports that systems assign, so that nobody gets it before the server does, or while it is down. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

function writeOwnConfig(folder: string, shard: number, ports: readonly Ports[], isCluster: boolean): void {
  const { user, password } = PUBLISHER;
  const replicas = ports.map(
    ({ tcp }) =>
      `<replica><host>127.0.0.1</host><port>${tcp}</port><user>${user}</user><password>${password}</password></replica>`,
  );
  const shards = replicas.map((replica) => `<shard>${replica}</shard>`);
  writeFileSync(
    join(folder, "config.xml"),
    baseConfig(
      folder,
      ports[shard],
      isCluster
        ? `<remote_servers><calltally>${shards.join("")}</calltally><first>${shards[0]}</first><copies><shard>${replicas.join("")}</shard></copies></remote_servers>`
        : "",
    ),
  );
  const profiles = {
    default: "<skip_unavailable_shards>1</skip_unavailable_shards><extremes>1</extremes>",
    ...PROFILES,
  };
  const users = { [user]: "default", reader: "reader", limited: "limited" };
  const elements = (content: Readonly<Record<string, string>>) =>
    Object.entries(content)
      .map(([name, text]) => `<${name}>${text}</${name}>`)
      .join("\n");
  const toUser = (profile: string) =>
    `<password>${password}</password><networks><ip>127.0.0.1</ip></networks><profile>${profile}</profile><quota>default</quota>`;
  writeFileSync(
    join(folder, "users.xml"),
    `<yandex>
  <profiles>${elements(profiles)}</profiles>
  <users>${elements(Object.fromEntries(Object.entries(users).map(([name, profile]) => [name, toUser(profile)])))}</users>
  <quotas><default></default></quotas>
</yandex>
`,
  );
}

/** Returns the configuration that each server needs, its paths and additional parts. */
export function baseConfig(folder: string, { http, tcp }: Ports = { http: 0, tcp: 0 }, more = ""): string {
  return `<yandex>
  <logger><level>warning</level><log>${folder}/log</log><errorlog>${folder}/errors</errorlog></logger>
  <listen_host>127.0.0.1</listen_host><http_port>${http}</http_port><tcp_port>${tcp}</tcp_port>
  <path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path><format_schema_path>${folder}/formats/</format_schema_path>
  <users_config>users.xml</users_config><default_profile>default</default_profile>
  <default_database>default</default_database><mark_cache_size>268435456</mark_cache_size>
  ${more}
</yandex>
`;
}

function readLog(folder: string): string {
  const log = join(folder, "errors");
  return `clickhouse-server did not start: ${existsSync(log) ? readFileSync(log, "utf8") : "it said nothing"}`;
}
