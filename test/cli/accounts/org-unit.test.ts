import { describe, expect, it } from "vitest";
import { parseLines } from "../../support/logging-program.ts";
import { settingsFor } from "../../support/run.ts";
import {
  type CallService,
  callOf,
  type Disturb,
  startCallService,
} from "../../support/services/call-service.ts";
import { readText } from "../../support/temp-folder.ts";
import { makeFolder } from "../folder.ts";

/** Thirty calls of unit 7, and twenty of unit 8, newest first. */
const CALLS = Array.from({ length: 50 }, (_, index) =>
  callOf(50 - index, index, { org_unit_id: index % 5 < 3 ? 7 : 8 }),
);

/** A service that limits its calls to the requested unit. */
const byUnit: Disturb = ({ offset, limit, unit }, calls) => {
  const own = calls.filter(({ org_unit_id }) => unit === undefined || String(org_unit_id) === unit);
  return { rows: own.slice(offset, offset + limit), total: own.length };
};

/** A working folder whose settings name a service and a unit; pages are short, so that there are several. */
const makePlace = (service: CallService, unit: string) =>
  makeFolder({
    ...settingsFor({ url: service.url.href, token: "token-4711-unit" }),
    CALLTALLY_LIMIT: "20",
    CALLTALLY_RETRY_SECONDS: "0",
    CALLTALLY_ORG_UNIT_ID: unit,
  });

describe("CALLTALLY_ORG_UNIT_ID", () => {
  it("calltally sends the unit with every request for calls, and records it in the origin of the warehouse", async () => {
    await using service = await startCallService(CALLS, byUnit);
    using folder = makePlace(service, "7");
    const { say } = folder;
    expect(await say("sync")).toContain("every one of 30 calls read");
    await say("sync --incremental");
    const origin = `a copy of ${service.url.origin}, org_unit_id 7\n`;
    const doctor = await say("doctor --all");
    expect(doctor).toContain(origin);
    expect(doctor).toMatch(/^ok +org_unit_id +no call is known to belong to another unit than 7$/m);
    const units = service.requests.map(({ url }) =>
      new URL(url, service.url).searchParams.get("org_unit_id"),
    );
    expect(new Set(units)).toEqual(new Set(["7"]));
    expect(folder.read("SELECT org_unit_id, count(*) AS calls FROM calls GROUP BY 1")).toEqual([
      { org_unit_id: 7, calls: 30 },
    ]);
    expect(await say("status")).toContain(origin);
    expect(JSON.parse(await say("status --json"))).toMatchObject({
      origin: { org_unit_id: "7" },
      last_done_run: { calls_other_unit: 0 },
    });
    await say("export");
    expect(JSON.parse(readText(folder.path, "data/exports/manifest.json"))).toMatchObject({
      origin: { base_url: service.url.origin, org_unit_id: "7" },
    });
  });

  it("status reports calls of other units", async () => {
    await using service = await startCallService(CALLS);
    using folder = makePlace(service, "7");
    expect(await folder.say("sync")).toMatch(
      /^ {2}unit +20 {3}new or changed calls have another org_unit_id than the setting/m,
    );
    expect(await folder.run("doctor")).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(
        /^warn +other unit +20 calls belong to another organization unit than 7, the one asked for\.$/m,
      ),
    });
    expect(await folder.say("sync --full")).not.toContain("org_unit_id");
    using unattended = makePlace(service, "7");
    const { code, stderr } = await unattended.run("job sync --begin");
    expect(code).toBe(0);
    expect(parseLines(stderr)).toContainEqual(
      expect.objectContaining({ level: "warn", calls_other_unit: 20 }),
    );
  });
});
