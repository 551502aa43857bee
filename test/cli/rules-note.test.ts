import { join } from "node:path";
import { expect, it } from "vitest";
import { calltally } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { fillWarehouse } from "../support/warehouses/warehouse.ts";

const READERS = [
  ["explain", "1"],
  ["query", "SELECT channel FROM rollup_channel"],
];
const OTHER = { CALLTALLY_QUALIFIED_SECONDS: "5" };
const NOTE =
  "The attribution settings have changed: these figures follow the old ones until the next sync or export.\n";

it("read-only commands report that the settings have changed until an export has applied them", async () => {
  using folder = makeTempFolder();
  fillWarehouse(join(folder.path, "data/calltally.db"), [makeCall({ call_id: 1 })]);
  const inStatus = async (env: Record<string, string>) => {
    const { stdout } = await calltally(["status"], { cwd: folder.path, env });
    return /^Caution {4}(.*\n(?: {11}.*\n)*)/m.exec(stdout)?.[1]?.replace(/\n {11}/g, " ") ?? "";
  };
  const read = async (env: Record<string, string>) => [
    await inStatus(env),
    ...(await Promise.all(
      READERS.map(async (args) => {
        const { stderr } = await calltally(args, { cwd: folder.path, env });
        return stderr;
      }),
    )),
  ];
  expect(await read({})).toEqual(["", "", ""]);
  expect(await read(OTHER)).toEqual([NOTE, NOTE, NOTE]);
  const { stderr } = await calltally(["export"], { cwd: folder.path, env: OTHER });
  expect(stderr).toBe("Recomputed the attribution of 1 call: the settings or the program have changed.\n");
  expect(await read(OTHER)).toEqual(["", "", ""]);
  expect(await read({})).toEqual([NOTE, NOTE, NOTE]);
});
