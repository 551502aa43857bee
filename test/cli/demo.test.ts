import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCsv } from "../support/page.ts";
import { readText } from "../support/temp-folder.ts";
import { makeFolder } from "./folder.ts";

describe("calltally demo", () => {
  it("writes the default files and a report without settings, and shows a typical account in 80 columns", async () => {
    using folder = makeFolder();
    const { code, stdout, stderr } = await folder.run("demo");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("verdict   exact");
    for (const dimension of ["channel", "campaign"])
      expect(stdout).toMatch(new RegExp(`^${dimension} +calls +answered +rate`, "m"));
    expect(stdout).toMatch(/^Paid Search +[\d,]+ +[\d,]+ +\d\d\.\d% /m);
    const names = readCsv(readText(folder.path, "data/demo/campaign.csv")).map(({ campaign }) =>
      String(campaign),
    );
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !/^(\(not set\)|[\w|–() -]+)$/.test(name))).toEqual([]);
    const tables = stdout.split("\n").filter((line) => !line.endsWith("."));
    expect(Math.max(...tables.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(readdirSync(join(folder.path, "data/demo")).sort()).toEqual([
      "calltally.db",
      "calltally.db.caller-key",
      "calltally.db.lock",
      "campaign.csv",
      "explore",
      "gclid.csv",
      "manifest.json",
      "report",
      "utm_source.csv",
    ]);
    await folder.run("export --database data/demo/calltally.db --timezone America/Chicago");
    for (const name of ["utm_source.csv", "campaign.csv", "gclid.csv"]) {
      const [demo, exported] = ["data/demo", "data/exports"].map((place) =>
        readText(folder.path, join(place, name)),
      );
      expect(demo).toBe(exported);
    }
    const page = readText(folder.path, "data/demo/report/report.html");
    for (const words of ["Amounts are in USD.", "America/Chicago"]) expect(page).toContain(words);
    expect(stdout).toMatch(
      /\nOpen data\/demo\/explore\/explore\.html in a browser .*data\/demo\/report\/report\.html for .*\n$/,
    );
  });

  it("replaces no file that it did not write", async () => {
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
});
