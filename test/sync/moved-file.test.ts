import { existsSync, linkSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tryAcquireLock } from "../../src/warehouse/file/lock.ts";
import { type CallService, newestFirst, startCallService } from "../support/services/call-service.ts";
import { readIds } from "../support/warehouses/warehouse.ts";

/** Runs an event before a response. */
async function whenAsked(request: number, happen: () => void | Promise<void>) {
  return await startCallService(newestFirst(400), ({ before }) => {
    if (before === request) void happen();
    return undefined;
  });
}

const sync = (service: CallService, database = service.database) =>
  service.sync({ limit: 100, concurrency: 1, database });

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
    await using service = await whenAsked(3, () => happen(service.database));
    const file = service.database;
    await using other = await startCallService(newestFirst(3));
    await sync(other, `${file}.other`);
    await expect(sync(service)).rejects.toMatchObject({
      exitCode: 7,
      message: `Cannot continue with ${file}: ${says}`,
    });
    expect(service.requests.length).toBeLessThan(8);
    // The file in its place was not touched.
    if (existsSync(file)) expect(readIds(file)).toEqual([1, 2, 3]);
  });

  it("refuses a file with two names, which would allow a second writer", async () => {
    await using service = await startCallService(newestFirst(400));
    await sync(service);
    const other = join(service.folder, "other.db");
    linkSync(service.database, other);
    for (const name of [service.database, other]) {
      await expect(sync(service, name)).rejects.toMatchObject({
        exitCode: 7,
        message: expect.stringContaining("has a second name, a hard link"),
      });
    }
    rmSync(other);
    expect(await sync(service)).toMatchObject({ run_id: 2, verdict: "exact" });
  });

  it("follows a link to a missing file, so that both names share one file and one lock", async () => {
    await using service = await startCallService(newestFirst(400));
    const [file, link] = [service.database, join(service.folder, "link.db")];
    symlinkSync("calls.db", link);
    using lock = tryAcquireLock(file);
    expect(lock).toBeDefined();
    expect(tryAcquireLock(link)).toBeUndefined();
    lock?.[Symbol.dispose]();
    expect(await sync(service, link)).toMatchObject({ run_id: 1 });
    expect(await sync(service)).toMatchObject({ run_id: 2 });
    expect(readIds(file)).toHaveLength(400);
  });

  it("detects symlink loops", async () => {
    await using service = await startCallService(newestFirst(4));
    const [a, b] = [join(service.folder, "a.db"), join(service.folder, "b.db")];
    symlinkSync("b.db", a);
    symlinkSync("a.db", b);
    await expect(sync(service, a)).rejects.toThrow();
    expect(service.requests).toEqual([]);
  });

  it("ignores the log of a removed warehouse", async () => {
    await using service = await startCallService(newestFirst(400));
    const file = service.database;
    await sync(service);
    writeFileSync(`${file}-wal`, "what was written last");
    rmSync(file);
    await expect(sync(service)).rejects.toMatchObject({
      exitCode: 7,
      message: `Cannot make a warehouse at ${file}: ${file}-wal is left over from another`,
    });
    rmSync(`${file}-wal`);
    expect(await sync(service)).toMatchObject({ run_id: 1, verdict: "exact", calls_new: 400 });
  });
});
