import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import { calltally } from "../support/run.ts";
import { startForwardProxy } from "../support/services/forward-proxy.ts";
import { passOn, startTlsServer } from "../support/services/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const API = "api.example.test";
const LOGIN = `Basic ${Buffer.from("ann:s3cr@tpass").toString("base64")}`;

/** A sandbox with TLS under a made-up name, which only a proxy reaches. */
async function openScene(status?: number | "none") {
  const stack = new AsyncDisposableStack();
  const sandbox = stack.use(await startSandbox({ calls: 30 }));
  const front = stack.use(await startTlsServer(API, passOn(sandbox.url)));
  const proxy = stack.use(await startForwardProxy(Number(front.url.port), status));
  const folder = stack.use(makeTempFolder());
  const cert = join(folder.path, "ca.pem");
  writeFileSync(cert, front.cert);
  const env = {
    CALLTALLY_BASE_URL: `https://${API}`,
    CALLTALLY_TOKEN: sandbox.token,
    CALLTALLY_RETRY_SECONDS: "5",
    NODE_EXTRA_CA_CERTS: cert,
    HTTPS_PROXY: `http://ann:s3cr%40tpass@${proxy.host}`,
  };
  const run = async (args: string[], more: Record<string, string> = {}) => {
    const finished = await calltally(args, { cwd: folder.path, env: { ...env, ...more } });
    expect(finished.stdout + finished.stderr).not.toMatch(/s3cr|@127/);
    return finished;
  };
  return { sandbox, proxy, run, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describe("calltally behind a proxy", () => {
  it("reaches the API by CONNECT and TLS with the proxy's login, and doctor names the proxy", async () => {
    await using scene = await openScene();
    expect(await scene.run(["sync"])).toMatchObject({ code: 0 });
    expect(new Set(scene.proxy.asked)).toEqual(new Set([`CONNECT ${API}:443`]));
    expect(new Set(scene.proxy.logins)).toEqual(new Set([LOGIN]));
    const { stdout } = await scene.run(["doctor", "--all"]);
    expect(stdout).toContain(`${API} is reached through http://${scene.proxy.host} (HTTPS_PROXY)`);
  });

  it("asks a proxy that refuses with 407 once, and reports it", async () => {
    await using scene = await openScene(407);
    const { code, stderr } = await scene.run(["sync"]);
    expect({ code, asked: scene.proxy.asked.length }).toEqual({ code: 5, asked: 1 });
    expect(stderr).toContain(
      `Cannot reach https://${API} through the proxy http://${scene.proxy.host}: the proxy returned 407\nCheck HTTPS_PROXY, with the proxy's user and password, or add ${API} to NO_PROXY.`,
    );
  });

  it.each(["sync", "doctor"])(
    "%s refuses an address that is not a proxy's without showing it",
    async (command) => {
      await using scene = await openScene();
      const { code, stdout, stderr } = await scene.run([command], {
        HTTPS_PROXY: "socks5://ann:s3cret@proxy.example",
      });
      expect(code).toBe(2);
      expect(stdout + stderr).toContain("Cannot use HTTPS_PROXY: it is not the address of an HTTP proxy");
    },
  );
});
