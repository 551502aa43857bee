import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readConfiguration } from "../../../src/config/read-configuration.ts";
import { remarkOnOrphans } from "../../../src/operate/status/orphans.ts";
import { markDemo } from "../../../src/warehouse/origin.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { openNewWarehouse } from "../../support/warehouses/warehouse.ts";

it("remarkOnOrphans names warehouses of accounts that have left, and not that of the demo", () => {
  using folder = makeTempFolder();
  const yaml = "accounts: { austin: { base_url: 'https://api.example.com', token_file: austin.token } }\n";
  writeFileSync(join(folder.path, "calltally.yaml"), yaml, { mode: 0o600 });
  for (const name of ["austin", "dallas", "demo"]) {
    using warehouse = openNewWarehouse(join(folder.path, "data", name, "calltally.db"));
    if (name === "demo") markDemo(warehouse, new URL("http://127.0.0.1:8080"));
  }
  const file = join(folder.path, "calltally.yaml");
  const configuration = readConfiguration(file, { env: {}, folder: "/" });
  expect(remarkOnOrphans(configuration)).toEqual([
    expect.stringMatching(/data\/dallas: data of dallas, an account that .*calltally\.yaml does not have\. /),
  ]);
});
