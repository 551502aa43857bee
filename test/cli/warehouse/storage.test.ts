import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { settingsFor } from "../../support/run.ts";
import { startRowService, TOKEN } from "../../support/services/call-service.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { readIds, readRows } from "../../support/warehouses/warehouse.ts";
import { makeFolder } from "../folder.ts";

/** Calls with so much text that they fill many pages of a database. */
const ROWS = Array.from({ length: 300 }, (_, index) =>
  JSON.stringify({
    call_id: index + 1,
    call_started: new Date(Date.parse("2026-11-20T00:00:00.000Z") - index * 3_600_000).toISOString(),
    dni_data: { referring_url: `https://www.example.com/${"path/".repeat(200)}` },
    transcription: "What was said. ".repeat(300),
  }),
);
const IDS = ROWS.map((_, index) => index + 1);

/** A working folder whose settings name a service of these calls, and the path of the warehouse. */
async function makePlace(database: string) {
  const service = await startRowService(ROWS);
  const folder = makeFolder({
    ...settingsFor({ url: service.url.origin, token: TOKEN }),
    CALLTALLY_DATABASE: database,
  });
  return {
    ...folder,
    service,
    [Symbol.asyncDispose]: async () => {
      folder[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** Mounts a file system in memory on a folder, until the end of the scope. */
function mountTmpfs(folder: string, size: string): Disposable {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder], { stdio: "ignore" });
  return { [Symbol.dispose]: () => void execFileSync("umount", [folder]) };
}

const remount = (folder: string, option: string) =>
  execFileSync("mount", ["-o", `remount,${option}`, folder], { stdio: "ignore" });

function mayMount(): boolean {
  using folder = makeTempFolder();
  try {
    mountTmpfs(folder.path, "1m")[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}

const canMount = mayMount();
const unlessSkipped = canMount ? "" : " (SKIPPED: may not mount a tmpfs here)";

/** A place whose warehouse is on a small disk of its own. */
async function makeDisk(size: string) {
  const place = await makePlace("disk/calls.db");
  const disk = join(place.path, "disk");
  mkdirSync(disk);
  const mounted = mountTmpfs(disk, size);
  return {
    ...place,
    disk,
    database: join(disk, "calls.db"),
    [Symbol.asyncDispose]: async () => {
      mounted[Symbol.dispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

describe.skipIf(!canMount)(`sync on a full disk${unlessSkipped}`, () => {
  it.each([
    { size: "2400k", state: "that fills up during the run", hasCalls: true },
    { size: "16k", state: "too full for the first page of a warehouse", hasCalls: false },
  ])("exits with 7, and completes when there is room: $state", async ({ size, hasCalls }) => {
    await using place = await makeDisk(size);
    const { disk, database, run, env } = place;
    env.CALLTALLY_LIMIT = "40";
    const { code, stdout, stderr } = await run("sync");
    expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
    expect(stderr).toContain(`calltally: Cannot use ${database} (SQLITE_FULL): database or disk is full`);
    expect(stderr).toMatch(/\nMake room on (its disk|the disk of .*\/disk), and run it again/);
    expect(readdirSync(disk).includes("calls.db")).toBe(hasCalls);
    expect(readdirSync(disk).filter((name) => name.includes(".tmp"))).toEqual([]);

    if (hasCalls) {
      const status = await run("status --json");
      expect({ code: status.code, status: JSON.parse(status.stdout) }).toMatchObject({
        code: 3,
        status: { runs: [{ verdict: null }] },
      });
      const kept = readIds(database);
      expect(kept.length).toBeGreaterThan(0);
      expect(kept).toEqual(IDS.slice(0, kept.length));
      expect(readRows(database, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    }

    remount(disk, "size=32m");
    const again = await run("sync --json");
    expect({ code: again.code, run: JSON.parse(again.stdout) }).toMatchObject({
      code: 0,
      run: { verdict: "exact", calls_read: 300, calls_new: 300 },
    });
    expect(readdirSync(disk).sort()).toEqual(["calls.db", "calls.db.lock"]);
    expect(readIds(database)).toEqual(IDS);
    expect(readRows(database, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  });

  it("names a full folder for temporary files", async () => {
    await using place = await makeDisk("64k");
    const { disk, env, run } = place;
    Object.assign(env, { CALLTALLY_DATABASE: "calls.db", TMPDIR: disk });
    expect((await run("sync")).code).toBe(0);
    expect(await run("export calls --format sqlite --out out")).toMatchObject({
      code: 7,
      stderr: `calltally: Cannot make calltally.sqlite in ${disk}: database or disk is full\nFree space in the folder for temporary files, or name another one in TMPDIR.\n`,
    });
    expect(readdirSync(disk)).toEqual([]);
  });
});
