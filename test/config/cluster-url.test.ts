import { describe, expect, it } from "vitest";
import { parseClusterUrl } from "../../src/config/cluster-url.ts";

describe("parseClusterUrl", () => {
  it.each([
    ["clickhouse://a.example,b.example/calls", ["https://a.example:8443", "https://b.example:8443"]],
    ["clickhouse://127.0.0.1,localhost:9123/calls", ["http://127.0.0.1:8123", "http://localhost:9123"]],
    ["clickhouse://[::1]/calls", ["http://[::1]:8123"]],
    ["clickhouse://a.example:1,b.example:65535/calls", ["https://a.example:1", "https://b.example:65535"]],
    ["clickhouse://127.0.0.1,b.example:443/calls", ["https://127.0.0.1:8443", "https://b.example"]],
  ])("uses HTTPS for the servers of %s unless all are on this machine", (text, origins) => {
    expect(parseClusterUrl(text).hosts.map(({ origin }) => origin)).toEqual(origins);
  });

  it("reads user, database and cluster, and names the cluster without the user", () => {
    expect(parseClusterUrl("clickhouse://an%20na@a.example/calls_1?cluster=both")).toMatchObject({
      user: "an na",
      database: "calls_1",
      cluster: "both",
      name: "clickhouse://a.example:8443/calls_1?cluster=both",
    });
    expect(parseClusterUrl("clickhouse://a.example/calls")).toMatchObject({
      user: undefined,
      cluster: "calltally",
    });
  });

  it("names a cluster independently of the order of its servers", () => {
    const names = ["b.example,a.example:443", "a.example:443,b.example:8443"].map(
      (hosts) => parseClusterUrl(`clickhouse://${hosts}/calls`).name,
    );
    const name = "clickhouse://a.example:443,b.example:8443/calls?cluster=calltally";
    expect(names).toEqual([name, name]);
    expect(parseClusterUrl(name).name).toBe(name);
  });

  it.each([
    ["clickhouse://user:geheim@a.example/calls", "must be without a password"],
    ["clickhouse://user:ge/heim@a.example/calls", "must look like"],
    ["https://a.example/calls", "must look like"],
    ["clickhouse://a.example", "must look like"],
    ["clickhouse://a.example/", "must look like"],
    ["clickhouse:///calls", "must look like"],
    ["clickhouse://a.example,/calls", "must look like"],
    ["clickhouse://a b/calls", "must look like"],
    ["clickhouse://a.example:0/calls", "port 0 is out of range"],
    ["clickhouse://a.example:65536/calls", "port 65536 is out of range"],
    ["clickhouse://a.example,A.example:8443/calls", "names a.example:8443 twice"],
    ["clickhouse://a.example/calls`; DROP", "has a database with characters other than"],
    ["clickhouse://a.example/calls?cluster=a'b", "has a cluster with characters other than"],
    ["clickhouse://a.example/calls?secure=0", "has the parameter secure"],
    ["clickhouse://%00@a.example/calls", "has an invalid user before the @"],
    ["clickhouse://user%3Ageheim@a.example/calls", "has an invalid user before the @"],
  ])("refuses %s without showing the password", (text, message) => {
    expect(() => parseClusterUrl(text)).toThrow(message);
    expect(() => parseClusterUrl(text)).not.toThrow("geheim");
  });
});
