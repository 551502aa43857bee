import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calltally } from "../../support/run.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { FULL_CALL } from "../../support/warehouses/calls.ts";
import { fillWarehouse } from "../../support/warehouses/warehouse.ts";
import { makeFolder } from "../folder.ts";

const accountsOf = (names: readonly string[]) =>
  names.map((name) => `  ${name}: { base_url: "http://127.0.0.1:1", token_file: ${name}.token }\n`).join("");
const REPORTS = `reports:
  weekly: { accounts: all, contents: [channel], deliver: [{ command: ["true", "{folder}"] }] }
  own: { accounts: [acme], contents: [channel], folder: elsewhere/acme }
`;

/** A folder with two accounts, each with a warehouse, exports, delivered reports, and a backup. */
async function makeAgency() {
  const folder = makeTempFolder();
  const write = (accounts: readonly string[]) =>
    writeFileSync(join(folder.path, "calltally.yaml"), `accounts:\n${accountsOf(accounts)}${REPORTS}`, {
      mode: 0o600,
    });
  const run = (...args: string[]) => calltally(args, { cwd: folder.path });
  write(["acme", "beta"]);
  for (const name of ["acme", "beta"]) {
    writeFileSync(join(folder.path, `${name}.token`), `t-${name}`, { mode: 0o600 });
    fillWarehouse(join(folder.path, `data/${name}/calltally.db`), [FULL_CALL]);
  }
  for (const line of [
    "export calls channel",
    "run weekly own --deliver",
    "run weekly --deliver",
    "backup copies/{account}.db",
  ])
    expect((await run(...line.split(" "))).code, line).toBe(0);
  const files = () =>
    globSync("**", { cwd: folder.path, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.path.length + 1));
  return { folder: folder.path, run, write, files, [Symbol.dispose]: folder.remove };
}

describe("remove-account", () => {
  it("removes all files of the account, and changes no file of the others", async () => {
    using agency = await makeAgency();
    const { folder, run, files } = agency;
    writeFileSync(join(folder, "data/acme/calltally.db.replaced-2026-11-01T00-00-00Z"), "old");
    const others = () => files().filter((file) => /beta|yaml|token/.test(file));
    const bytes = () => others().map((file) => [file, readFileSync(join(folder, file), "latin1")]);
    const [own, before] = [files().filter((file) => !others().includes(file)), bytes()];
    expect(own).toEqual(
      expect.arrayContaining([
        "copies/acme.db",
        "data/acme/calltally.db",
        "data/acme/calltally.db.caller-key",
        "data/acme/exports/calls.csv",
        "data/acme/exports/manifest.json",
        "elsewhere/acme/channel.csv",
        "reports/acme/weekly/channel.csv",
      ]),
    );
    const { code, stdout, stderr } = await run("remove-account", "acme", "--yes");
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^acme: \d+ files removed; nothing of it is left/);
    expect(stderr).toMatch(/command to true #[0-9a-f]+: 2 deliveries\n/);
    expect(stderr).toContain("calltally.yaml:2:3: accounts.acme");
    expect(stderr).toContain("calltally.yaml:6:21: reports.own.accounts[0]");
    expect(files().filter((file) => own.includes(file))).toEqual([]);
    expect(bytes()).toEqual(before);
    for (const gone of ["data/acme", "reports/acme", "elsewhere"])
      expect(existsSync(join(folder, gone))).toBe(false);
  });

  it("lists what it would remove, and removes nothing, if it cannot ask", async () => {
    using agency = await makeAgency();
    const before = agency.files();
    const { code, stderr } = await agency.run("remove-account", "acme");
    expect(code).toBe(2);
    for (const file of ["data/acme/calltally.db", "copies/acme.db", "reports/acme/weekly/channel.csv"])
      expect(stderr).toContain(`\n  ${file}\n`);
    expect(stderr).toContain("give --yes");
    expect(agency.files()).toEqual(before);
  });

  it("removes an account that the file no longer has, and refuses a name without data", async () => {
    using agency = await makeAgency();
    writeFileSync(join(agency.folder, "calltally.yaml"), `accounts:\n${accountsOf(["beta", "gamma"])}`, {
      mode: 0o600,
    });
    const remark = "data/acme: data of acme, an account that calltally.yaml does not have";
    for (const command of [["status"], ["config", "check"]])
      expect((await agency.run(...command)).stderr, command.join(" ")).toContain(remark);
    expect(await agency.run("remove-account", "acme", "--yes")).toMatchObject({ code: 0 });
    expect(existsSync(join(agency.folder, "data/acme"))).toBe(false);
    expect(existsSync(join(agency.folder, "elsewhere/acme"))).toBe(false);
    expect(await agency.run("remove-account", "acme", "--yes")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        "There is no account acme, and no data of one: the file has beta, gamma",
      ),
    });
    expect(await agency.run("remove-account", "../beta", "--yes")).toMatchObject({ code: 2 });
    expect(existsSync(join(agency.folder, "data/beta/calltally.db"))).toBe(true);
  });

  it("keeps files of other accounts with similar names, in its folders, and at the paths of its backups", async () => {
    using folder = makeFolder();
    const account = (name: string, more: string) =>
      `  ${name}: { base_url: "http://127.0.0.1:1/${name}", token_file: t, ${more} }\n`;
    const databases = { acme: "a.db", beta: "a.db.old.db", gamma: "a.db-2" };
    const accounts = Object.entries(databases).map(([name, file]) => account(name, `database: w/${file}`));
    folder.write("calltally.yaml", `accounts:\n${accounts.join("")}`);
    folder.write("t", "t");
    for (const file of Object.values(databases)) fillWarehouse(join(folder.path, "w", file), [FULL_CALL]);
    for (const line of [
      "backup copy.db --account acme",
      "backup copy.db --account beta",
      ...[
        "export channel --account acme --out shared",
        "export channel --account beta --out shared --replace",
      ],
      "export channel --account beta --out data/acme/exports",
    ])
      await folder.say(line);
    const { code, stderr } = await folder.run("remove-account acme --yes");
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(
      /Left, since they are backups of another warehouse or cannot be read:\n {2}.*copy\.db\n/,
    );
    const backup = ["copy.db", "shared/channel.csv", "data/acme/exports/channel.csv"];
    for (const kept of ["w/a.db.old.db", "w/a.db-2", ...backup])
      expect(existsSync(join(folder.path, kept)), kept).toBe(true);
    expect(existsSync(join(folder.path, "w/a.db"))).toBe(false);
  });

  it("does not mistake a renamed account for a removed one, and keeps its files under the old name", async () => {
    using folder = makeFolder();
    const own = "database: data/old/calltally.db, export_dir: data/old/exports";
    const yaml = `accounts:\n  renamed: { base_url: "http://127.0.0.1:1", token_file: t, ${own} }\n${accountsOf(["beta"])}`;
    folder.write("calltally.yaml", yaml);
    for (const file of ["t", "beta.token"]) folder.write(file, `secret-${file}`);
    fillWarehouse(join(folder.path, "data/old/calltally.db"), [FULL_CALL]);
    expect((await folder.run("config check")).stderr).toBe("");
    expect(await folder.run("remove-account old --yes")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("its folder belongs to the account renamed"),
    });
    expect(existsSync(join(folder.path, "data/old/calltally.db"))).toBe(true);
  });

  it("removes a damaged warehouse and its export folder", async () => {
    using agency = await makeAgency();
    mkdirSync(join(agency.folder, "data/acme"), { recursive: true });
    writeFileSync(join(agency.folder, "data/acme/calltally.db"), "not a database");
    expect(await agency.run("remove-account", "acme", "--yes")).toMatchObject({ code: 0 });
    expect(existsSync(join(agency.folder, "data/acme"))).toBe(false);
  });
});
