import { existsSync, linkSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tryAcquireLock } from "../../src/warehouse/lock.ts";
import { honestly, type ListService, newestFirst, startListService } from "../support/list-service.ts";
import { syncFrom } from "../support/row-service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { readIds, readRows } from "../support/warehouse.ts";

/** Runs an event before a response. */
async function whenAsked(request: number, happen: () => void | Promise<void>) {
  return await startListService(newestFirst(400), (asked, calls) => {
    if (asked.before === request) void happen();
    return honestly(asked, calls);
  });
}

const sync = (service: ListService, folder: string, database = "calls.db") =>
  syncFrom(service, folder, { limit: 100, concurrency: 1, database: join(folder, database) });

describe("sync into a file that moves", () => {
  it.each<{ title: string; happen: (file: string) => void; says: string }>([
    { title: "removed", happen: (file) => rmSync(file), says: "it no longer exists" },
    { title: "moved", happen: (file) => renameSync(file, `${file}.old`), says: "it no longer exists" },
    {
      title: "replaced",
      happen: (file) => {
        renameSync(file, `${file}.old`);
        renameSync(`${file}.other`, file);
      },
      says: "it was replaced by another file",
    },
  ])("exits with 7 and names the file when it is $title", async ({ happen, says }) => {
    using folder = makeTempFolder();
    const file = join(folder.path, "calls.db");
    {
      await using other = await startListService(newestFirst(3));
      await sync(other, folder.path, "calls.db.other");
    }
    await using service = await whenAsked(3, () => happen(file));
    await expect(sync(service, folder.path)).rejects.toMatchObject({
      exitCode: 7,
      message: `Cannot continue with ${file}: ${says}`,
    });
    expect(service.requests.length).toBeLessThan(8);
    // The file in its place was not touched.
    if (existsSync(file)) expect(readIds(file)).toEqual([1, 2, 3]);
  });

  it("refuses a file with two names, which would allow a second writer", async () => {
    using folder = makeTempFolder();
    await using service = await startListService(newestFirst(400));
    await sync(service, folder.path);
    linkSync(join(folder.path, "calls.db"), join(folder.path, "other.db"));
    for (const name of ["calls.db", "other.db"]) {
      await expect(sync(service, folder.path, name)).rejects.toMatchObject({
        exitCode: 7,
        message: expect.stringContaining("has a second name, a hard link"),
      });
    }
    rmSync(join(folder.path, "other.db"));
    expect(await sync(service, folder.path)).toMatchObject({ run_id: 2, verdict: "exact" });
  });

  it("follows a link to a missing file, so that both names share one file and one lock", async () => {
    using folder = makeTempFolder();
    const [file, link] = [join(folder.path, "calls.db"), join(folder.path, "link.db")];
    symlinkSync("calls.db", link);
    using lock = tryAcquireLock(file);
    expect(lock).toBeDefined();
    expect(tryAcquireLock(link)).toBeUndefined();
    lock?.[Symbol.dispose]();
    await using service = await startListService(newestFirst(400));
    expect(await sync(service, folder.path, "link.db")).toMatchObject({ run_id: 1 });
    expect(await sync(service, folder.path)).toMatchObject({ run_id: 2 });
    expect(readIds(file)).toHaveLength(400);
  });

  it("detects symlink loops", async () => {
    using folder = makeTempFolder();
    symlinkSync("b.db", join(folder.path, "a.db"));
    symlinkSync("a.db", join(folder.path, "b.db"));
    await using service = await startListService(newestFirst(4));
    await expect(sync(service, folder.path, "a.db")).rejects.toThrow();
    expect(service.requests).toEqual([]);
  });

  it("stops before the next write when its lock was deleted and another sync has begun", async () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "calls.db");
    const second = Promise.withResolvers<unknown>();
    await using other = await startListService(newestFirst(400));
    await using service = await startListService(newestFirst(400), (asked, calls) => {
      if (asked.before !== 3) return honestly(asked, calls);
      // Like somebody who believes that the lock is stale.
      rmSync(`${file}.lock`);
      return (request, response) => {
        second.resolve(
          syncFrom(other, folder.path, { limit: 100, concurrency: 1, rebind: true }).then(
            (run) => {
              response.destroy(); // retried, and answered then
              return run;
            },
            (error: unknown) => {
              response.destroy();
              return error;
            },
          ),
        );
        void request;
      };
    });
    await expect(sync(service, folder.path)).rejects.toMatchObject({
      exitCode: 6,
      message: `Cannot continue run 1 of ${file}: another process has taken over`,
    });
    expect(await second.promise).toMatchObject({
      verdict: expect.stringMatching(/exact|probable/),
      calls_read: 400,
    });
    expect(readRows(file, "SELECT status, count(*) AS runs FROM sync_runs GROUP BY 1")).toEqual([
      { status: "done", runs: 1 },
    ]);
  });

  it("ignores the log of a removed warehouse", async () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "calls.db");
    await using service = await startListService(newestFirst(400));
    await sync(service, folder.path);
    writeFileSync(`${file}-wal`, "what was written last");
    rmSync(file);
    await expect(sync(service, folder.path)).rejects.toMatchObject({
      exitCode: 7,
      message: `Cannot make a warehouse at ${file}: ${file}-wal is left over from another`,
    });
    rmSync(`${file}-wal`);
    expect(await sync(service, folder.path)).toMatchObject({ run_id: 1, verdict: "exact", calls_new: 400 });
  });
});
