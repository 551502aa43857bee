import { expect, it } from "vitest";
import { ClickhouseNode } from "../../../src/features/cluster/clickhouse-node.ts";
import { isolateProxies, openScene } from "../../support/services/far-server.ts";

isolateProxies();

it("a proxy for HTTPS passes a statement to a server of a cluster, and is named in its error", async () => {
  await using scene = await openScene();
  const login = { user: "publisher", password: "p" };
  await using node = new ClickhouseNode(new URL("https://far.example.test:8443"), login);
  await node.run("SELECT 1", { doing: "ask" });
  expect(scene.proxy.asked).toEqual(["CONNECT far.example.test:8443"]);
  await using refusing = await openScene(403);
  await using other = new ClickhouseNode(new URL("https://far.example.test:8443"), login);
  await expect(other.run("SELECT 1", { doing: "ask" })).rejects.toMatchObject({
    message: `Cannot reach far.example.test:8443 of the cluster through the proxy http://${refusing.proxy.host}: the proxy returned 403`,
    hint: "Check HTTPS_PROXY, with the proxy's user and password, or add far.example.test to NO_PROXY.",
  });
});
