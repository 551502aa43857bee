import { attempt } from "../base/errors.ts";
import { isLoopback } from "../base/loopback.ts";
import { parseUserName } from "./setting-parsers.ts";

export type ClusterAddress = ReturnType<typeof parseClusterUrl>;

const FORM = "must look like clickhouse://host1,host2/database";
const URL_FORM =
  /^clickhouse:\/\/(?:(?<user>[^@/?]*)@)?(?<hosts>[^@/?]+)\/(?<database>[^@/?]+)(?:\?(?<query>.*))?$/s;
const HOST_FORM = /^(?<host>\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::(?<port>\d{1,5}))?$/i;
const NAME_FORM = /^[a-z_][\w-]{0,63}$/i;
export const DEFAULT_CLUSTER = "calltally";
const MAX_PORT = 65_535;
const TLS_PORT = 8443;
const PLAIN_PORT = 8123;

/**
 * Reads `clickhouse://[user@]host[:port],host[:port]/database?cluster=name`. Uses HTTPS, unless all servers are on
 * this machine.
 * @throws Error that says what is wrong, without a password
 */
export function parseClusterUrl(text: string) {
  const { user, hosts = "", database = "", query = "" } = URL_FORM.exec(text)?.groups ?? {};
  if (user?.includes(":")) {
    throw new Error(
      "must be without a password: put the password into a file, and set its path in CALLTALLY_PUBLISH_PASSWORD_FILE",
    );
  }
  if (hosts === "") throw new Error(FORM);
  const { cluster = DEFAULT_CLUSTER, ...others } = Object.fromEntries(new URLSearchParams(query));
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new Error(`has the parameter ${unknown}: only cluster is allowed`);
  for (const [what, name] of Object.entries({ database, cluster })) {
    if (!NAME_FORM.test(name))
      throw new Error(`has a ${what} with characters other than letters, digits, - and _`);
  }
  const servers = hosts.split(",").map(parseHost);
  const isHere = servers.every(({ host }) => isLoopback(host));
  const urls = servers.map(({ host, port = isHere ? PLAIN_PORT : TLS_PORT }) => {
    return new URL(`${isHere ? "http" : "https"}://${host}:${port}`);
  });
  const twice = urls.find(({ href }, index) => urls.findIndex((url) => url.href === href) < index);
  if (twice !== undefined) throw new Error(`names ${twice.host} twice`);
  return {
    /** Its servers, by their HTTP ports, without duplicates. */
    hosts: urls,
    database,
    /** As the servers' `remote_servers` name it. */
    cluster,
    user: user === undefined ? undefined : decodeUser(user),
    /** A canonical form without the user: the same for any order of the servers. */
    name: `clickhouse://${urls.map(hostAndPort).toSorted().join(",")}/${database}?cluster=${cluster}`,
  };
}

/** A URL omits its scheme's default port, which is not ClickHouse's. */
function hostAndPort({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port || (protocol === "http:" ? 80 : 443)}`;
}

function parseHost(text: string): { host: string; port?: number } {
  const { host, port } = HOST_FORM.exec(text)?.groups ?? {};
  if (host === undefined || !URL.canParse(`http://${host}`)) throw new Error(FORM);
  if (port === undefined) return { host };
  if (Number(port) < 1 || Number(port) > MAX_PORT) throw new Error(`port ${port} is out of range (1–65535)`);
  return { host, port: Number(port) };
}

function decodeUser(text: string): string {
  const user = attempt(() => parseUserName(decodeURIComponent(text)));
  if (user === undefined) throw new Error("has an invalid user before the @");
  return user;
}
