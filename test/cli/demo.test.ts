import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PAGES } from "../../src/sandbox/demo/pages.ts";
import { readText } from "../support/temp-folder.ts";
import { makeFolder } from "./folder.ts";

it("demo writes the files of an export and a report without settings, in 80 columns", async () => {
  using folder = makeFolder();
  const { code, stdout, stderr } = await folder.run("demo");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const tables = stdout.split("\n").filter((line) => !line.endsWith("."));
  expect(Math.max(...tables.map((line) => line.length))).toBeLessThanOrEqual(80);
  const files = ["campaign.csv", "gclid.csv", "utm_source.csv"];
  expect(readdirSync(join(folder.path, "data/demo")).sort()).toEqual(
    [
      "calltally.db",
      "calltally.db.caller-key",
      "calltally.db.lock",
      ...files,
      "manifest.json",
      ...PAGES.map((page) => page.folder),
    ].sort(),
  );
  await folder.run("export --database data/demo/calltally.db --timezone America/Chicago");
  for (const name of files)
    expect(readText(folder.path, `data/demo/${name}`)).toBe(readText(folder.path, `data/exports/${name}`));
  const page = readText(folder.path, "data/demo/report/report.html");
  for (const words of [" USD, as the ad platforms report it", "America/Chicago"])
    expect(page).toContain(words);
});

it("demo replaces no file that it did not write", async () => {
  using folder = makeFolder();
  mkdirSync(join(folder.path, "data/demo"), { recursive: true });
  folder.write("data/demo/gclid.csv", "mine");
  expect(await folder.run("demo")).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("gclid.csv exists"),
  });
  expect(readText(folder.path, "data/demo/gclid.csv")).toBe("mine");
});
