import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { markProcess } from "../../../src/base/process-mark.ts";
import { lockFolder } from "../../../src/export/output/folder-lock.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const lockFile = (folder: string) => join(folder, ".calltally.lock");

const MACHINE = `${hostname()}/${readlinkSync("/proc/self/ns/pid")}`;

describe("lockFolder", () => {
  it("admits one at a time and leaves nothing behind", async () => {
    using folder = makeTempFolder();
    let inside = 0;
    const most: number[] = [];
    const enter = async () => {
      using _lock = await lockFolder(folder.path, undefined);
      most.push(++inside);
      await Promise.resolve();
      inside--;
    };
    await Promise.all(Array.from({ length: 5 }, enter));
    expect(most).toEqual([1, 1, 1, 1, 1]);
    expect(existsSync(lockFile(folder.path))).toBe(false);
  });

  it("takes over from a process that was killed", async () => {
    using folder = makeTempFolder();
    const { pid } = spawnSync("true");
    writeFileSync(lockFile(folder.path), `${MACHINE} ${pid}`);
    using _lock = await lockFolder(folder.path, undefined);
    expect(readFileSync(lockFile(folder.path), "utf8")).toBe(`${MACHINE} ${markProcess()}`);
  });

  it.each([
    { title: "a running process", holder: `${MACHINE} ${markProcess()}` },
    { title: "another machine", holder: `${MACHINE.replace("/", "-2/")} 1` },
    { title: "another container with this host name", holder: `${hostname()}/pid:[1] 1@1` },
  ])("waits for $title until it is aborted", async ({ holder }) => {
    using folder = makeTempFolder();
    writeFileSync(lockFile(folder.path), holder);
    const stop = new AbortController();
    const locked = lockFolder(folder.path, stop.signal);
    stop.abort(new Error("stopped"));
    await expect(locked).rejects.toThrow("stopped");
    expect(readFileSync(lockFile(folder.path), "utf8")).toBe(holder);
    const again = lockFolder(folder.path, undefined);
    rmSync(lockFile(folder.path));
    (await again)[Symbol.dispose]();
  });
});
