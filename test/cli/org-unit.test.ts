import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type CallService,
  callOf,
  type Disturb,
  type ServedCall,
  startCallService,
} from "../support/call-service.ts";
import { calltally } from "../support/run.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

/** Thirty calls of unit 7, and twenty of unit 8, newest first. */
const CALLS = Array.from({ length: 50 }, (_, index) =>
  callOf(50 - index, index, { org_unit_id: index % 5 < 3 ? 7 : 8 }),
);

/** A service that limits its calls to the requested unit. */
const byUnit: Disturb = ({ offset, limit, unit }, calls) => {
  const own = calls.filter(({ org_unit_id }) => unit === undefined || String(org_unit_id) === unit);
  return { rows: own.slice(offset, offset + limit), total: own.length };
};

/** Runs the program against a service, asking for a unit; pages are short, so that there are several. */
function runner(folder: string, service: CallService) {
  return (unit: string | undefined, ...args: string[]) => {
    const env = {
      CALLTALLY_BASE_URL: service.url.href,
      CALLTALLY_TOKEN: "token-4711-unit",
      CALLTALLY_LIMIT: "20",
      CALLTALLY_RETRY_SECONDS: "0",
      ...(unit !== undefined && { CALLTALLY_ORG_UNIT_ID: unit }),
    };
    return calltally(args, { cwd: folder, env });
  };
}

/** The parameters of the requests for calls. */
function parametersOf({ requests }: CallService): Record<string, string>[] {
  return requests.map(({ url }) =>
    Object.fromEntries(new URL(url ?? "", "http://localhost").searchParams.entries()),
  );
}

const countUnits = ["query", "SELECT org_unit_id, count(*) FROM calls GROUP BY 1", "--format", "csv"];

describe("CALLTALLY_ORG_UNIT_ID", () => {
  it("is sent with every request for calls and belongs to the origin of the warehouse", async () => {
    using folder = makeTempFolder();
    await using service = await startCallService(CALLS, byUnit);
    const run = runner(folder.path, service);
    expect(await run("7", "sync")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("every one of 30 calls read"),
    });
    expect((await run("7", "sync", "--incremental")).code).toBe(0);
    const doctor = await run("7", "doctor", "--all");
    expect(doctor.stdout).toContain(`a copy of ${service.url.origin}, org_unit_id 7\n`);
    expect(doctor.stdout).toMatch(/^ok +org_unit_id +no call is known to belong to another unit than 7$/m);
    const asked = parametersOf(service);
    expect(asked.length).toBeGreaterThan(10);
    expect(new Set(asked.map(({ org_unit_id }) => org_unit_id))).toEqual(new Set(["7"]));

    expect((await run("7", ...countUnits)).stdout).toBe("org_unit_id,count(*)\r\n7,30\r\n");
    expect((await run("7", "status")).stdout).toContain(`a copy of ${service.url.origin}, org_unit_id 7\n`);
    const status = JSON.parse((await run("7", "status", "--json")).stdout);
    expect(status).toMatchObject({ origin: { org_unit_id: "7" }, last_done_run: { calls_other_unit: 0 } });
    await run("7", "export");
    const manifest = JSON.parse(readFileSync(join(folder.path, "data/exports/manifest.json"), "utf8"));
    expect(manifest).toMatchObject({ origin: { base_url: service.url.origin, org_unit_id: "7" } });
  });

  it("is sent unchanged, and with both sort parameters if an order is requested", async () => {
    using folder = makeTempFolder();
    const named = CALLS.map((call, index) => ({ ...call, insight_name: `Source ${index % 9}` }));
    const shuffled = named.map((call, index) => named[(index * 7) % 50] ?? call);
    const nameOf = ({ insight_name }: ServedCall) => String(insight_name);
    const bySource = named.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0));
    await using service = await startCallService(shuffled, ({ offset, limit, sort }, calls) => ({
      rows: (sort === "source_name asc" ? bySource : calls).slice(offset, offset + limit),
    }));
    const { stdout } = await runner(folder.path, service)("north&7/ü", "sync");
    expect(stdout).toContain("by source from A to Z, highest id first in each, as requested");
    const asked = parametersOf(service);
    const orders = asked.map(({ limit, offset, org_unit_id, ...order }) => order);
    expect(new Set(asked.map(({ org_unit_id }) => org_unit_id))).toEqual(new Set(["north&7/ü"]));
    expect(orders).toContainEqual({});
    expect(orders.filter((order) => Object.keys(order).length > 0)).toEqual(
      expect.arrayContaining([{ sort_by: "source_name", sort_order: "asc" }]),
    );
    expect(orders.every((order) => "sort_by" in order === "sort_order" in order)).toBe(true);
  });

  it("cannot change, even with --rebind", async () => {
    using folder = makeTempFolder();
    await using service = await startCallService(CALLS, byUnit);
    const run = runner(folder.path, service);
    expect((await run("7", "sync")).code).toBe(0);
    const calls = ["query", "SELECT * FROM calls", "--format", "json"];
    const [stored, sent] = [(await run("7", ...calls)).stdout, service.requests.length];
    for (const args of [
      ["sync"],
      ["sync", "--full", "--rebind"],
      ["job", "sync"],
      ["insight", "sync", "101"],
      ["webhook", "patch", "44", "--status", "inactive"],
    ]) {
      const refused = await run("8", ...args);
      expect(refused, args.join(" ")).toMatchObject({ code: 2, stdout: "" });
      expect(refused.stderr).toContain("with org_unit_id 8: its calls were read with org_unit_id 7");
    }
    expect(service.requests).toHaveLength(sent);
    expect((await run("7", ...calls)).stdout).toBe(stored);
    expect(await run("8", "doctor")).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/^fail {2}origin .*org_unit_id/m),
    });
    expect((await run("7", "sync")).code).toBe(0);
  });

  it("is reported if the service sends calls of other units", async () => {
    using folder = makeTempFolder();
    await using service = await startCallService(CALLS);
    const run = runner(folder.path, service);
    const synced = await run("7", "sync");
    expect(synced).toMatchObject({ code: 0 });
    expect(synced.stdout).toMatch(
      /^ {2}unit +20 {3}new or changed calls have another org_unit_id than the setting/m,
    );
    expect(await run("7", "doctor")).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(
        /^warn +other unit +20 calls belong to another organization unit than 7, the one asked for\.$/m,
      ),
    });
    expect((await run("7", "sync", "--full")).stdout).not.toContain("org_unit_id");
    using unattended = makeTempFolder();
    const { code, stderr } = await runner(unattended.path, service)("7", "job", "sync");
    expect(code).toBe(0);
    expect(
      stderr
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toContainEqual(expect.objectContaining({ level: "warn", calls_other_unit: 20 }));
  });

  it("is not compared with calls if it is not a number", async () => {
    using folder = makeTempFolder();
    await using service = await startCallService(CALLS);
    const run = runner(folder.path, service);
    expect((await run("north", "sync")).stdout).not.toContain("org_unit_id");
    expect((await run("north", "doctor", "--all")).stdout).toMatch(/^ok +org_unit_id /m);
  });
});
