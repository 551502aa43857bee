import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { accountsOf, loadConfiguration, settingsOf } from "../../../src/cli/chosen-accounts.ts";
import { silentContext } from "../../../src/cli/context.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

/** A folder of two accounts, with a warehouse each, and other names for both. */
function makePlace() {
  const place = makeTempFolder();
  const { path } = place;
  mkdirSync(join(path, "data/west"), { recursive: true });
  for (const name of ["east", "west/calls"]) writeFileSync(join(path, `data/${name}.db`), name);
  symlinkSync("data/east.db", join(path, "link.db"));
  symlinkSync("link.db", join(path, "link to a link.db"));
  symlinkSync(join(path, "data/west"), join(path, "folder"));
  writeFileSync(join(path, "a.token"), "t0ken", { mode: 0o600 });
  writeFileSync(
    join(path, "calltally.yaml"),
    `accounts:
  east: { database: data/east.db, timezone: Asia/Tokyo, token_file: ${path}/a.token, base_url: "https://east.example", limit: 41 }
  west: { database: folder/calls.db, timezone: Pacific/Honolulu, token_file: ${path}/a.token, base_url: "https://west.example", limit: 73 }
`,
    { mode: 0o600 },
  );
  return place;
}

describe("--database", () => {
  it.each([
    ["data/east.db", "east"],
    ["./data/../data/east.db", "east"],
    ["link.db", "east"],
    ["link to a link.db", "east"],
    ["data/west/calls.db", "west"],
    ["folder/calls.db", "west"],
    ["data/other.db", undefined],
  ])("%s is the warehouse of the account %s, with its settings", async (database, name) => {
    using place = makePlace();
    for (const given of [join(place.path, database), relative(process.cwd(), join(place.path, database))]) {
      const context = silentContext({ folder: place.path, options: { database: given } });
      await loadConfiguration(context);
      expect(accountsOf(context).map((account) => account.name)).toEqual([name]);
      const { timezone, limit } = settingsOf(context);
      expect({ timezone, limit }).toEqual(
        {
          east: { timezone: "Asia/Tokyo", limit: 41 },
          west: { timezone: "Pacific/Honolulu", limit: 73 },
          none: { timezone: "UTC", limit: 1000 },
        }[name ?? "none"],
      );
    }
  });
});
