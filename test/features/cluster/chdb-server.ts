import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";

// Serves today's ClickHouse by HTTP, as one server that is a cluster of one shard: chDB is ClickHouse within a process, and
// has neither HTTP nor clusters of its own. Half a gigabyte, so it is no dependency:
//
//   mkdir /tmp/chdb && cd /tmp/chdb && npm i --no-save chdb@3.4.0
//   node test/features/cluster/chdb-server.ts --chdb /tmp/chdb --data /tmp/chdb/data --port 8123
//   npx calltally publish --to clickhouse://127.0.0.1:8123/agency

/** The used part of chDB. */
interface Session {
  query: (sql: string, format?: string) => string;
}

/** The port at which a server of a cluster is expected; chDB, without such a port, takes it for itself. */
const TCP_PORT = 9000;

const { chdb, data, port } = parseArgs({
  options: {
    chdb: { type: "string" },
    data: { type: "string" },
    port: { type: "string", default: "0" },
  },
}).values;
if (chdb === undefined || data === undefined) throw new Error("--chdb and --data are required");

const folder = resolve(data);
mkdirSync(folder, { recursive: true });
const config = join(folder, "config.xml");
writeFileSync(
  config,
  `<clickhouse><tcp_port>${TCP_PORT}</tcp_port><remote_servers><calltally><shard><replica>
  <host>127.0.0.1</host><port>${TCP_PORT}</port></replica></shard></calltally></remote_servers></clickhouse>
`,
);
const library: { Session: new (path: string, options: object) => Session } = createRequire(
  join(resolve(chdb), "package.json"),
)("chdb");
const session = new library.Session(join(folder, "store"), { connectionArgs: [`--config-file=${config}`] });

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { searchParams } = new URL(request.url ?? "/", "http://chdb");
  const statement = searchParams.get("query");
  searchParams.delete("query");
  for (const name of ["wait_end_of_query", "enable_http_compression"]) searchParams.delete(name); // they are HTTP's
  const body = Buffer.concat(chunks).toString();
  try {
    for (const [name, value] of searchParams)
      session.query(`SET ${name} = '${value.replaceAll("\\", "\\\\")}'`);
    const said = session.query(statement === null ? body : `${statement}\n${body}`);
    response.setHeader("content-encoding", "gzip").setHeader("x-clickhouse-server-display-name", "chdb");
    response.end(gzipSync(said));
  } catch (error) {
    response.statusCode = 500;
    response.end(error instanceof Error ? error.message : String(error));
  }
});
server.listen(Number(port), "127.0.0.1", () => {
  const address = server.address();
  const version = session.query("SELECT version()", "TabSeparated").trim();
  if (address === null || typeof address === "string") throw new Error("It does not listen");
  process.stdout.write(`ClickHouse ${version} at 127.0.0.1:${address.port}\n`);
});
