import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { startSandbox } from "../../../src/sandbox/server.ts";
import { BIN, settingsFor, startCalltally } from "../../support/run.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const MAX_FILES = 100;

/** Every nth maximum is tried. */
const STEP = 5;

/** The minimum of file descriptors with which the program starts: with more, it does as well. */
function fewest(): number {
  let [tooFew, enough] = [10, MAX_FILES];
  while (enough - tooFew > 1) {
    const files = Math.floor((tooFew + enough) / 2);
    const script = `ulimit -n ${files}; exec "$0" "$@" >/dev/null 2>&1`;
    const { status } = spawnSync("/bin/sh", ["-c", script, process.execPath, BIN, "--version"]);
    if (status === 0) enough = files;
    else tooFew = files;
  }
  return enough;
}

const first = fewest();

it.skipIf(process.platform === "win32").each([{ args: ["sync"] }, { args: ["query", "SELECT 1"] }])(
  "calltally $args.0 exits with 7 and reports that there are too few file descriptors",
  async ({ args }) => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 30 });
    const options = { cwd: folder.path, env: settingsFor(sandbox) };
    expect((await startCalltally(["sync"], options).done).code).toBe(0);

    for (let files = first; files < MAX_FILES; files += STEP) {
      const { code, stderr } = await startCalltally(args, { ...options, files }).done;
      if (code === 0) return expect(files).toBeGreaterThan(first);
      expect({ files, code, stderr }).toMatchObject({
        code: 7,
        stderr: expect.stringMatching(
          /^calltally: Cannot .*: (too many open files|unable to open database file)/,
        ),
      });
    }
    expect.unreachable(`It does not run with ${MAX_FILES} file descriptors`);
  },
);
