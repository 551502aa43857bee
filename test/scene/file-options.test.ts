import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ACCOUNTS, type AccountName } from "../support/scene/accounts.ts";
import { writeScene } from "../support/scene/ask.ts";
import { FILE_OPTIONS } from "../support/scene/file-options.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

/** After the last call, so that conversions are not too recent. */
const NOW_MS = Date.parse("2026-04-08T09:00:00.000Z");

/** Writes files; returns their names and bytes, without the manifest, which always has what was asked. */
async function filesOf(account: AccountName, request: Parameters<typeof writeScene>[1]): Promise<string> {
  using folder = makeTempFolder();
  await writeScene(account, request, { nowMs: NOW_MS, folder: folder.path });
  return readdirSync(folder.path)
    .filter((name) => name !== "manifest.json")
    .map((name) => `${name}: ${readFileSync(join(folder.path, name), "base64")}`)
    .join();
}

it.each(Object.entries(FILE_OPTIONS))("each value of %s writes other files", async (option, row) => {
  const same = new Set<string>();
  for (const { name } of ACCOUNTS) {
    const files = new Map([["none", await filesOf(name, row.of)]]);
    for (const value of row.values(name)) {
      if ("standard" in row && value === row.standard) continue;
      files.set(JSON.stringify(value), await filesOf(name, { ...row.of, [option]: value }));
    }
    expect(files.size).toBeGreaterThan(1);
    for (const [value, bytes] of files)
      if ([...files].some(([other, others]) => other !== value && others === bytes))
        same.add(`${name} ${value}`);
  }
  expect([...same]).toEqual([]);
});
