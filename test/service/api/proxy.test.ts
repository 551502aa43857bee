import { describe, expect, it } from "vitest";
import { proxyOf, unreadProxyFor } from "../../../src/service/api/proxy.ts";

const PROXY = "http://proxy.example:3128";
const API = "https://api.example.com";

describe("proxyOf", () => {
  it.each<[target: string, env: Record<string, string>, name: string | undefined]>([
    [API, {}, undefined],
    [API, { HTTPS_PROXY: PROXY }, PROXY],
    [API, { https_proxy: PROXY, HTTPS_PROXY: "http://other.example" }, PROXY],
    [API, { https_proxy: "", HTTPS_PROXY: PROXY }, undefined],
    [API, { HTTPS_PROXY: "proxy.example:3128" }, PROXY],
    [API, { HTTPS_PROXY: "http://ann:p%40ss@proxy.example:3128/" }, PROXY],
    [API, { HTTPS_PROXY: "https://proxy.example" }, "https://proxy.example"],
    [API, { HTTP_PROXY: PROXY }, undefined],
    ["http://api.example.com", { HTTP_PROXY: PROXY }, PROXY],
    ["https://localhost:8443", { HTTPS_PROXY: PROXY }, undefined],
    ["http://[::1]:8080", { HTTP_PROXY: PROXY }, undefined],
    [API, { HTTPS_PROXY: PROXY, NO_PROXY: "" }, PROXY],
    [API, { HTTPS_PROXY: PROXY, NO_PROXY: "*" }, undefined],
    [API, { HTTPS_PROXY: PROXY, NO_PROXY: "a.example, API.example.com" }, undefined],
    [API, { HTTPS_PROXY: PROXY, no_proxy: "example.com" }, undefined],
    [API, { HTTPS_PROXY: PROXY, NO_PROXY: ".example.com" }, undefined],
    [API, { HTTPS_PROXY: PROXY, NO_PROXY: "pi.example.com,com.example,example" }, PROXY],
    [API, { HTTPS_PROXY: PROXY, NO_PROXY: "api.example.com:443" }, undefined],
    [API, { HTTPS_PROXY: PROXY, NO_PROXY: "api.example.com:8443" }, PROXY],
    ["https://[2001:db8::1]", { HTTPS_PROXY: PROXY, NO_PROXY: "2001:db8::1" }, undefined],
    ["https://[2001:db8::1]", { HTTPS_PROXY: PROXY, NO_PROXY: "[2001:db8::1]:443" }, undefined],
    ["https://[2001:db8::1]", { HTTPS_PROXY: PROXY, NO_PROXY: "2001:db8::2" }, PROXY],
  ])("of %s with %o is %s", (target, env, name) => {
    expect(proxyOf(new URL(target), env)?.name).toBe(name);
  });

  it.each(["socks5://user:SECRET@proxy.example", "http://user:100%SECRET@proxy.example", "http://:SECRET"])(
    "refuses %s without showing it",
    (text) => {
      const read = () => proxyOf(new URL(API), { HTTPS_PROXY: text });
      expect(read).toThrow("Cannot use HTTPS_PROXY: it is not the address of an HTTP proxy");
      expect(read).not.toThrow("SECRET");
    },
  );
});

describe("unreadProxyFor", () => {
  it.each<[target: string, env: Record<string, string>, variable: string | undefined]>([
    [API, {}, undefined],
    [API, { ALL_PROXY: PROXY }, "ALL_PROXY"],
    [API, { all_proxy: "socks5://proxy.example" }, "all_proxy"],
    [API, { ALL_PROXY: "" }, undefined],
    [API, { ALL_PROXY: PROXY, NO_PROXY: "example.com" }, undefined],
    ["http://127.0.0.1:8080", { ALL_PROXY: PROXY }, undefined],
  ])("of %s with %o is %s", (target, env, variable) => {
    expect(unreadProxyFor(new URL(target), env)).toBe(variable);
  });
});
