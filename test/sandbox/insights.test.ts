import { describe, expect, test } from "vitest";
import openApi from "../../src/sandbox/openapi.json" with { type: "json" };
import { startSandbox } from "../../src/sandbox/server.ts";
import { send } from "../support/services/requests.ts";

describe("GET insights/{id}", () => {
  test("returns every member of each seeded insight", async () => {
    await using sandbox = await startSandbox({ calls: 0 });
    expect(sandbox.insights.ids).toEqual([101, 102, 103, 104]);

    for (const id of sandbox.insights.ids) {
      const { status, data } = await send(sandbox, "GET", `/v3/insights/${id}`);
      expect(status).toBe(200);
      expect(data).toEqual(sandbox.insights.get(id));
      expect(Object.keys({ ...sandbox.insights.get(id) })).toEqual(
        Object.keys(openApi.components.schemas.Insight.properties),
      );
    }
  });

  test.for(["x", "-101", "101.0", "0x65", "1e2", "%20101", "99999999999999999999"])(
    "responds with 400 to %s",
    async (id) => {
      await using sandbox = await startSandbox({ calls: 0 });
      expect(await send(sandbox, "GET", `/v3/insights/${id}`)).toMatchObject({
        status: 400,
        message: "id: must be a whole number",
      });
    },
  );

  test("responds with 401 without the token, 405 to another method, 404 without an id", async () => {
    await using sandbox = await startSandbox({ calls: 0 });
    expect((await fetch(`${sandbox.url}/v3/insights/101`)).status).toBe(401);
    expect((await send(sandbox, "DELETE", "/v3/insights/101")).status).toBe(405);
    expect((await send(sandbox, "GET", "/v3/insights/")).status).toBe(404);
  });
});
