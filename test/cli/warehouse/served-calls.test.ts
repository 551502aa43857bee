import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SORT_KEYS } from "../../../src/service/api/attribution-client.ts";
import { calltally, settingsFor } from "../../support/run.ts";
import { json, startServer } from "../../support/services/server.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeSandboxFolder } from "../folder.ts";

describe("calltally calls", () => {
  it("shows a page of the service's list by each key and stores nothing", async () => {
    await using folder = await makeSandboxFolder({ calls: 60 });
    const run = (...args: string[]) => folder.run("calls", ...args);
    const pages = new Set<string>();
    for (const key of SORT_KEYS) {
      for (const order of ["asc", "desc"]) {
        const args = ["--sort-by", key, "--sort-order", order, "--limit", "5", "--offset", "10", "--json"];
        const { code, stdout } = await run(...args);
        const page = JSON.parse(stdout);
        expect({ code, ...page }).toMatchObject({ code: 0, total: 60, limit: 5, offset: 10, rejected: [] });
        expect(page.calls).toHaveLength(5);
        pages.add(JSON.stringify(page.calls));
      }
    }
    expect(pages.size).toBeGreaterThan(5);
    const { stdout } = await run("--limit", "3");
    expect(stdout).toMatch(/^ *call_id +call_started .*\n(.*\n){3}Calls 1 to 3 of 60\n$/);
    expect((await run("--offset", "60")).stdout).toBe("No calls at offset 60: the service counts 60.\n");
    expect(existsSync(join(folder.path, "data"))).toBe(false);
  });

  it("prints the calls as served with --json, even unreadable ones and integers beyond 2^53, and otherwise escaped", async () => {
    using folder = makeTempFolder();
    const calls = [
      {
        call_id: 1,
        insight_name: "\u001b[31mred\nnext",
        dni_data: { utm_source: "", gclid: null, ttclid: "t" },
        transcription_details: [{ text: "Hi" }],
      },
      { call_id: "none", caller_id: 49301001, odd: JSON.rawJSON("12345678901234567890") },
    ];
    await using server = await startServer(
      json({ code: 200, message: "Success", data: { total: 2, limit: 20, offset: 0, calls } }),
    );
    const options = { cwd: folder.path, env: settingsFor({ url: server.url.href, token: "secret-token" }) };
    const { stdout } = await calltally(["calls", "--json"], options);
    expect(stdout).toContain(`"calls":${JSON.stringify(calls)}}`);
    const shown = await calltally(["calls"], options);
    expect(shown.stdout).toContain("\\u001b[31mred\\nnext");
    expect(shown.stdout).toContain("Calls 1 to 2 of 2");
    expect(shown.stderr).toMatch(/^Cannot read a row: call_id: .+$/m);
  });
});
