import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeTempFolder } from "../temp-folder.ts";
import { calltally } from "./run.ts";

describe("calltally demo", () => {
  it("writes three rollups and a report with nothing set, twice over, and shows them within 80 columns", async () => {
    using folder = makeTempFolder();
    await calltally(["demo"], { cwd: folder.path });
    const { code, stdout, stderr } = await calltally(["demo"], { cwd: folder.path });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("verdict   exact");
    for (const dimension of ["utm_source", "campaign", "gclid"])
      expect(stdout).toMatch(new RegExp(`^${dimension} +calls`, "m"));
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(readdirSync(join(folder.path, "data/demo")).sort()).toEqual([
      "calltally.db",
      "calltally.db.lock",
      "campaign.csv",
      "gclid.csv",
      "manifest.json",
      "report",
      "utm_source.csv",
    ]);
    expect(stdout).toContain("Open data/demo/report/report.html in a browser");
    expect(readdirSync(join(folder.path, "data/demo/report")).sort()).toEqual([
      "manifest.json",
      "report.html",
    ]);
  });
});
