import { describe, expect, it } from "vitest";
import { calltally } from "../support/run.ts";

describe.each([
  { title: "in a process that runs others as well", env: {} },
  { title: "in a process of its own", env: { TZ: "UTC" } },
])("a test's command, $title,", ({ env }) => {
  it("is an error at once where it cannot be started", async () => {
    const { execPath } = process;
    try {
      process.execPath = "/nowhere/node";
      // A user of its own, so that no process is there that waits for a command.
      const options = { cwd: "/", env, uid: process.getuid?.() };
      await expect(calltally(["--version"], options)).rejects.toThrow("spawn /nowhere/node ENOENT");
    } finally {
      process.execPath = execPath;
    }
  });

  it("is killed where it does not end", async () => {
    const args = ["sandbox", "--port", "0", "--calls", "1"];
    expect(await calltally(args, { cwd: "/", env, deadlineMs: 1000 })).toMatchObject({ code: null });
  });
});
