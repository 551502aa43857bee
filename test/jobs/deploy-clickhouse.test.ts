import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { EXIT } from "../../src/base/errors.ts";
import { makeCalls } from "../features/cluster/published-calls.ts";
import { makeWarehouse } from "../support/figures/produce-files.ts";
import { calltally } from "../support/run.ts";
import {
  baseConfig,
  CLICKHOUSE,
  type Ports,
  PUBLISHER,
  startClickhouse,
} from "../support/services/clickhouse-servers.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const FOLDER = "jobs/deploy/clickhouse";
const DATABASE = "calls";
const read = (file: string) => readFileSync(join(FOLDER, file), "utf8");

/** Creates the secrets of a cluster; returns the contents of their files. */
function makeSecrets(folder: string): Record<string, string> {
  const made = spawnSync(join(FOLDER, "make-secrets"), [folder], { encoding: "utf8" });
  expect(made).toMatchObject({ status: 0, stdout: "", stderr: "" });
  return Object.fromEntries(
    readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]),
  );
}

describe("jobs/deploy/clickhouse/compose.yaml", () => {
  const { services, secrets, volumes } = parse(read("compose.yaml"), { merge: true });

  it("runs a server for each shard, all of one version, with few privileges", () => {
    const hosts = [...read("cluster.xml").matchAll(/<host>(\w+)<\/host><port>9000<\/port>/g)].map(
      ([, host]) => host,
    );
    expect(Object.keys(services)).toEqual(hosts);
    expect(Object.keys(volumes)).toEqual(hosts);
    for (const host of hosts) {
      expect(services[`${host}`]).toMatchObject({
        image: expect.stringMatching(/^clickhouse\/clickhouse-server:(\d+\.){3}\d+$/),
        user: "101:101",
        read_only: true,
        security_opt: ["no-new-privileges:true"],
        secrets: Object.keys(secrets),
        volumes: [
          "./cluster.xml:/etc/clickhouse-server/config.d/cluster.xml:ro",
          "./users.xml:/etc/clickhouse-server/users.d/users.xml:ro",
          `${host}:/var/lib/clickhouse`,
        ],
      });
    }
  });

  it("opens only local ports, those used in the command of its first lines", () => {
    const ports: string[] = Object.values<{ ports: string[] }>(services).flatMap((service) => service.ports);
    const open = ports.map((port) => /^(127\.0\.0\.1:\d+):8123$/.exec(port)?.[1]);
    expect(read("compose.yaml")).toContain(`--to clickhouse://publisher@${open.join(",")}/${DATABASE}\n`);
  });
});

describe("jobs/deploy/clickhouse/make-secrets", () => {
  it("creates different passwords each time, hashed for the servers and readable only by the owner", () => {
    using folder = makeTempFolder();
    const [first, second] = [join(folder.path, "first"), join(folder.path, "second")];
    const made = makeSecrets(first);
    expect(Object.keys(made)).toEqual(["publisher.password", "reader.password", "secrets.xml"]);
    expect(new Set([...Object.values(made), ...Object.values(makeSecrets(second))]).size).toBe(6);
    for (const file of Object.keys(made)) expect(statSync(join(first, file)).mode & 0o777).toBe(0o600);
    for (const user of ["publisher", "reader"]) {
      const password = made[`${user}.password`] ?? "";
      expect(password).toMatch(/^[\da-f]{64}$/);
      const hash = createHash("sha256").update(password).digest("hex");
      expect(made["secrets.xml"]).toContain(`<${user}_password_sha256>${hash}</${user}_password_sha256>`);
      expect(made["secrets.xml"]).not.toContain(password);
    }
    // The files that the servers require exist, and nothing else.
    const asked = ["cluster.xml", "users.xml"].flatMap((file) =>
      [...read(file).matchAll(/incl="(\w+)"/g)].map(([, name]) => name),
    );
    const has = [...(made["secrets.xml"] ?? "").matchAll(/<(\w+)>\S+<\/\1>/g)].map(([, name]) => name);
    expect(has.toSorted()).toEqual(asked.toSorted());
  });
});

/** The files of the image, in the syntax of 18.16: it has no grants, secrets between servers or constraints. */
function writeDeployed(
  folder: string,
  secrets: string,
  ports: readonly Ports[],
  shard: number,
  password: string,
) {
  const login = `<user>${PUBLISHER.user}</user><password>${password}</password>`;
  const forOld = (text: string) =>
    text
      .replaceAll(/<(\/?)clickhouse>/g, "<$1yandex>")
      .replace("/run/secrets/secrets.xml", secrets)
      .replace(/<secret .*\/>/, "")
      .replace(/<constraints>.*?<\/constraints>/s, "")
      .replaceAll(
        /<grants>.*?<\/grants>/gs,
        `<allow_databases><database>${DATABASE}</database></allow_databases>`,
      )
      .replaceAll(/<host>ch(\d)<\/host><port>9000<\/port>/g, (_, number: string) => {
        return `<host>127.0.0.1</host><port>${ports[Number(number) - 1]?.tcp}</port>${login}`;
      });
  for (const name of ["config.d", "users.d"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "config.xml"), baseConfig(folder, ports[shard]));
  writeFileSync(
    join(folder, "users.xml"),
    "<yandex><profiles><default/></profiles><users><default><password></password><networks><ip>::/0</ip></networks></default></users><quotas><default/></quotas></yandex>",
  );
  writeFileSync(join(folder, "config.d", "cluster.xml"), forOld(read("cluster.xml")));
  writeFileSync(join(folder, "users.d", "users.xml"), forOld(read("users.xml")));
}

describe.skipIf(CLICKHOUSE.isMissing)(`the users of jobs/deploy/clickhouse${CLICKHOUSE.note}`, () => {
  it("publish and read; the reader cannot write, and nobody else has access", async () => {
    using folder = makeTempFolder();
    const made = makeSecrets(folder.path);
    const secrets = join(folder.path, "servers.xml");
    writeFileSync(secrets, (made["secrets.xml"] ?? "").replaceAll("clickhouse>", "yandex>"));
    const password = made["publisher.password"] ?? "";
    await using servers = await startClickhouse(2, {
      writeConfig: (own, shard, ports) => writeDeployed(own, secrets, ports, shard, password),
      password,
    });
    using warehouse = makeWarehouse(makeCalls(500, 1));
    const as = (user: string, ...args: string[]) => {
      const env = {
        CALLTALLY_DATABASE: warehouse.database,
        CALLTALLY_PUBLISH_USER: user,
        CALLTALLY_PUBLISH_PASSWORD_FILE: resolve(folder.path, `${user}.password`),
      };
      return calltally(args, { cwd: folder.path, env });
    };
    const url = `clickhouse://${servers.hosts.join(",")}/${DATABASE}`;
    const elsewhere = `clickhouse://${servers.hosts.join(",")}/elsewhere`;

    const refused = { code: EXIT.refused, stderr: expect.stringContaining("Cannot make the tables") };
    expect(await as("reader", "publish", "--to", url)).toMatchObject(refused);
    expect(await as("publisher", "publish", "--to", elsewhere)).toMatchObject({ code: EXIT.refused });
    expect(await as("publisher", "publish", "--to", url)).toMatchObject({ code: 0, stderr: "" });
    const exported = await as("reader", "export", "channel", "--engine", url, "--out", "there");
    expect(exported).toMatchObject({ code: 0 });
    expect(await as("reader", "export", "channel", "--out", "here")).toMatchObject({ code: 0 });
    const [here, there] = ["here", "there"].map((name) =>
      readFileSync(join(folder.path, name, "channel.csv"), "utf8"),
    );
    expect(there).toBe(here);
    expect(await as("reader", "publish", "--to", url)).toMatchObject({ code: EXIT.refused });

    writeFileSync(join(folder.path, "default.password"), "", { mode: 0o600 });
    const nobody = await fetch(`http://${servers.hosts[0]}/?query=SELECT%201`);
    expect(await nobody.text()).toContain("Unknown user default");
  });
});
