import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folderOutput, SEVERAL_ACCOUNTS } from "../../../src/export/output/folder.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const ONE = {
  warehouse_id: "01234567-89ab",
  base_url: "https://acme.example",
  org_unit_id: null,
  account: null,
};
const OTHER = { ...ONE, warehouse_id: "fedcba98-7654" };
const SEVERAL = { ...ONE, warehouse_id: SEVERAL_ACCOUNTS, base_url: null };

it.each([
  [
    "two warehouses",
    ONE,
    OTHER,
    "another warehouse, a copy of https://acme.example (01234567); this warehouse is a copy of https://acme.example (fedcba98)",
  ],
  [
    "a warehouse, and several accounts",
    ONE,
    SEVERAL,
    "another warehouse, a copy of https://acme.example (01234567); the new ones are of several accounts",
  ],
  [
    "several accounts, and a warehouse",
    SEVERAL,
    ONE,
    "several accounts; this warehouse is a copy of https://acme.example (01234567)",
  ],
])("folderOutput names both owners of a folder that it refuses: %s", async (_, held, origin, expected) => {
  using folder = makeTempFolder();
  writeFileSync(join(folder.path, "manifest.json"), JSON.stringify({ origin: held, files: [] }));
  await expect(folderOutput(folder.path).open(origin)).rejects.toThrow(
    `Cannot export to ${folder.path}: it holds the files of ${expected}`,
  );
});
