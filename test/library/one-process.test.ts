import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { LIBRARY, syncWarehouse } from "../support/library.ts";
import { settingsFor, startCalltally } from "../support/run.ts";
import { newestFirst, startCallService, TOKEN } from "../support/services/call-service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { readIds } from "../support/warehouses/warehouse.ts";

/** Starts a service that responds to the second request once `release` is called. */
async function startHeldService() {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const service = await startCallService(newestFirst(60), ({ before, honest }) => {
    if (before !== 1) return undefined;
    asked.resolve();
    return (...exchange) => held.promise.then(() => honest(...exchange));
  });
  return Object.assign(service, { asked: asked.promise, release: held.resolve });
}

/** The locks on a file, if the system lists them (Linux), without their numbers. */
function locksOn(file: string): string[] {
  if (!existsSync("/proc/locks")) return [];
  const inode = `:${statSync(file).ino} `;
  const lines = readFileSync("/proc/locks", "utf8").split("\n");
  return lines.filter((line) => line.includes(inode)).map((line) => line.replace(/^\d+: /, ""));
}

/** The result of the library in another thread of this process. */
async function inThread(database: string, options: object): Promise<unknown> {
  const code = `
    const { parentPort, workerData: { library, database, options } } = require("node:worker_threads");
    (async () => {
      const { openWarehouse, syncWarehouse } = await import(library);
      const warehouse = openWarehouse(database);
      const { calls } = await warehouse.readBasis();
      warehouse[Symbol.dispose]();
      const { exitCode } = await syncWarehouse(options).catch((error) => error);
      parentPort.postMessage({ calls, exitCode });
    })();`;
  const worker = new Worker(code, {
    eval: true,
    workerData: { library: pathToFileURL(LIBRARY).href, database, options },
  });
  const [message] = await once(worker, "message");
  await worker.terminate();
  return message;
}

describe("syncWarehouse", () => {
  it("locks its warehouse for other processes in spite of a reader and a sync in another thread", async () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    await using service = await startHeldService();
    using _released = { [Symbol.dispose]: service.release };
    const options = {
      database,
      baseUrl: service.url.href,
      token: TOKEN,
      settings: { CALLTALLY_LIMIT: "20", CALLTALLY_CONCURRENCY: "1" },
    };
    const first = syncWarehouse(options);
    await Promise.race([service.asked, first]);

    const held = [database, `${database}.lock`].map(locksOn);

    expect(await inThread(database, options)).toMatchObject({ exitCode: 6 });

    expect([database, `${database}.lock`].map(locksOn)).toEqual(held);

    const env = { ...settingsFor({ url: service.url.href, token: TOKEN }), CALLTALLY_DATABASE: database };
    expect(await startCalltally(["sync"], { cwd: folder.path, env }).done).toMatchObject({ code: 6 });
    service.release();
    expect(await first).toMatchObject({ run_id: 1, verdict: "exact", calls_read: 60 });
    expect(readIds(database)).toHaveLength(60);
  });
});
