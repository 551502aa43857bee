import { describe, expect, it } from "vitest";
import { isLoopback } from "../../src/base/loopback.ts";

describe("isLoopback", () => {
  it.each(["localhost", "LOCALHOST", "127.0.0.1", "127.5.66.255", "::1", "[::1]"])("accepts %s", (host) => {
    expect(isLoopback(host)).toBe(true);
  });

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
  ])("refuses %j", (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});
