import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeAgencyFolder } from "./agency.ts";

const NOW = new Date("2026-10-31T23:00:00Z");
const AGENCY = { austin: { calls: 60, seed: 1, now: NOW }, dallas: { calls: 40, seed: 2, now: NOW } };

// biome-ignore lint/suspicious/noExplicitAny: manifests are forged in ways that no type allows
type Json = any;

const FORGERIES: Record<string, (manifest: Json) => void> = {
  "statements emptied": (manifest) => (manifest.statements = []),
  "another address": ({ accounts }) => (accounts.dallas.origin.base_url = "https://other.example.com"),
  "another zone": ({ accounts }) => (accounts.austin.timezone = "Asia/Tokyo"),
  "another reason of the verdict": ({ accounts }) => (accounts.dallas.run.verdict_reason = "read twice"),
  "other rules": ({ accounts }) => accounts.austin.rules.qualified_seconds++,
  "doubled sums": ({ files }) => (files[0].sums.calls *= 2),
  "an account left out": ({ accounts }) => delete accounts.dallas,
  "another number of rows": ({ files }) => files[0].rows++,
};

it("verify compares files of several accounts with the record of each", async () => {
  await using folder = await makeAgencyFolder(AGENCY);
  const { path, say, run } = folder;
  await say("sync");
  await say("export --by account,channel --out all");
  await say("export --by account,source --out all");
  const overview = "report --overview --from 2026-10-01 --to 2026-10-31 --out overview";
  expect(await run(overview)).toMatchObject({ stderr: "" });
  const failsOf = async (name: string) => {
    const { stdout } = await run(`verify ${name}/manifest.json --json`);
    return JSON.parse(stdout).checks.filter(({ holds }: Json) => !holds);
  };
  const isUnproven = ({ name }: Json) => !name.endsWith("certificate");
  for (const name of ["all", "overview"]) expect((await failsOf(name)).filter(isUnproven)).toEqual([]);
  cpSync(join(path, "all"), join(path, "copy"), { recursive: true });
  expect((await failsOf("copy")).filter(isUnproven)).toEqual([]);
  const file = join(path, "all/manifest.json");
  const written = readFileSync(file, "utf8");
  for (const [what, forge] of Object.entries(FORGERIES)) {
    const manifest = JSON.parse(written);
    forge(manifest);
    writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
    const fails = (await failsOf("all")).filter(isUnproven);
    expect({ what, fails }).toEqual({
      what,
      fails: expect.arrayContaining([
        expect.objectContaining({
          name: "austin: manifest",
          message: expect.stringMatching(/^it is not the one that was written at 20/),
        }),
      ]),
    });
  }
});

it("remove-account names files of several accounts that have rows of the client", async () => {
  await using folder = await makeAgencyFolder(AGENCY);
  const { path, say, run } = folder;
  await say("sync");
  await say("export --by account,channel --out all");
  await say("export --by account,source --out others --account dallas");
  await say("export channel --account austin --out own");
  const { code, stderr } = await run("remove-account austin --yes");
  expect(code).toBe(0);
  const file = join(path, "all/account-channel.csv");
  expect(stderr).toContain(`also have rows of other accounts; export them again:\n  ${file}\n`);
  expect(stderr).not.toContain("others/");
  expect(readFileSync(file, "utf8")).toContain("dallas");
});
