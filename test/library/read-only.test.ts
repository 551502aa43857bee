import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { skipped, uid, unlessSkipped } from "../cli/other-user.ts";
import { DIST } from "../support/built.ts";
import { makeCall } from "../support/calls.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { fillWarehouse } from "../support/warehouse.ts";

/** The built library. */
const LIBRARY = pathToFileURL(join(DIST, "index.js")).href;

/** Runs the library as a user that cannot write to the warehouse. */
function readAsOther(code: string): string {
  const args = ["--input-type=module", "--eval", code];
  const { stdout, stderr } = spawnSync(process.execPath, args, { uid, gid: uid, cwd: "/", encoding: "utf8" });
  return stdout + stderr;
}

describe.skipIf(skipped)(`read-only warehouse${unlessSkipped}`, () => {
  it("reports that it was disposed of during a rollup", () => {
    using temp = makeTempFolder();
    const copy = join(temp.path, "calls.db");
    fillWarehouse(
      copy,
      Array.from({ length: 200 }, (_, index) => makeCall({ call_id: index + 1, gclid: `Cj${index}` })),
    );
    chmodSync(temp.path, 0o755);
    chmodSync(copy, 0o444);
    const code = `
      const { openWarehouse } = await import(${JSON.stringify(LIBRARY)});
      const warehouse = openWarehouse(${JSON.stringify(copy)});
      const rollup = warehouse.rollup({ by: ["gclid"] });
      await null;
      warehouse[Symbol.dispose]();
      console.log(await rollup.catch(({ message }) => message));`;
    expect(readAsOther(code)).toBe(`Cannot read ${copy}: it is closed\n`);
  });
});
