import { describe, expect, it } from "vitest";
import { isLoopback } from "../../src/base/loopback.ts";
import { isAllowedHost } from "../../src/schedule/monitor.ts";

describe("isLoopback", () => {
  it.each(["localhost", "LOCALHOST", "127.0.0.1", "127.5.66.255", "::1", "[::1]"])(
    "is true for %s",
    (host) => {
      expect(isLoopback(host)).toBe(true);
    },
  );

  it.each([
    "",
    "0.0.0.0",
    "::",
    "::11",
    "x::1",
    "10.127.0.0.1",
    "127.0.0",
    "127.0.0.1.1",
    "127.0.0.1000",
    "127.0.0.1.example.com",
    "127a0b0c1",
    "127.x.y.z",
    "localhost.example.com",
    "my-localhost",
  ])("is false for %j", (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});

describe("isAllowedHost", () => {
  it.each([
    ["127.0.0.1", undefined],
    ["127.0.0.1", "localhost"],
    ["127.0.0.1", "LocalHost:9464"],
    ["127.0.0.1", "[::1]:1"],
    ["127.0.0.1", "[::1]"],
    ["::1", "127.0.0.1:65535"],
    ["127.5.6.7", "127.5.6.7"],
    ["Calls.Example.com", "calls.EXAMPLE.com:80"],
    ["0.0.0.0", undefined],
    ["0.0.0.0", "10.0.0.1:9464"],
    ["0.0.0.0", "[fe80::1]:9464"],
    ["0.0.0.0", "[::ffff:10.0.0.1]"],
    ["0.0.0.0", "calltally"],
    ["0.0.0.0", "call-tally_2:80"],
    ["0.0.0.0", "a.b.local"],
    ["0.0.0.0", "A.Internal:80"],
    ["0.0.0.0", "a-b.localhost"],
  ])("accepts %j on %s", (listened, header) => {
    expect(isAllowedHost(header, listened)).toBe(true);
  });

  it.each([
    ["127.0.0.1", ""],
    ["127.0.0.1", "calltally"],
    ["127.0.0.1", "127.0.0.2"],
    ["127.0.0.1", "a.local"],
    ["127.0.0.1", "localhost:"],
    ["127.0.0.1", "localhost:123456"],
    ["127.0.0.1", "localhost:80x"],
    ["127.0.0.1", "xx[::1]"],
    ["127.0.0.1", "[::1]x"],
    ["127.0.0.1", "::1"],
    ["127.0.0.1", "localhost@example.com"],
    ["127.0.0.1", "user@localhost"],
    ["calls.example.com", "example.com"],
    ["0.0.0.0", ""],
    ["0.0.0.0", "rebound.example.com"],
    ["0.0.0.0", "10.0.0.1.example.com"],
    ["0.0.0.0", "a.local.example.com"],
    ["0.0.0.0", "a.blocal"],
    ["0.0.0.0", ".local"],
    ["0.0.0.0", "a.example:80:80"],
    ["0.0.0.0", "a/b"],
    ["0.0.0.0", "a/b.local"],
    ["0.0.0.0", "10.0.0.256"],
  ])("refuses %j on %s", (listened, header) => {
    expect(isAllowedHost(header, listened)).toBe(false);
  });
});
