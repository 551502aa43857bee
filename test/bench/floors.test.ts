import { expect, it } from "vitest";
import { measureFloor, startPageServer } from "./process.ts";

it("the plain program of a load still fits the warehouse's tables", async () => {
  await using server = await startPageServer(20);
  const { seconds } = await measureFloor("load", server.url, 20);
  expect(seconds).toBeGreaterThan(0);
});
