import { describe, expect, it } from "vitest";
import { offsetSpanAt } from "../../src/calendar/local-time.ts";
import { describeFixedZone, ZONE_OF_OFFSET } from "../../src/calendar/zone-names.ts";

// What the names are taken for stands in test/config/time-zone.test.ts.

describe("ZONE_OF_OFFSET", () => {
  it("names a zone for each offset, which has it in winter", () => {
    const winters = Object.values(ZONE_OF_OFFSET).map((zone) =>
      Math.min(
        ...["01", "07"].map((month) => offsetSpanAt(`2026-${month}-15T00:00:00Z`, zone).offsetSeconds),
      ),
    );
    expect(winters.map((seconds) => seconds / 3600)).toEqual(Object.keys(ZONE_OF_OFFSET).map(Number));
    expect(Object.keys(ZONE_OF_OFFSET)).toHaveLength(20);
  });
});

describe("describeFixedZone", () => {
  it.each(["GMT+0", "GMT-0", "GMT0", "Greenwich", "Etc/GMT", "Etc/GMT0", "Etc/Greenwich"])(
    "takes %s for GMT, which London has in winter",
    (zone) => {
      expect(describeFixedZone(zone)).toBe(
        `${zone} has no summer time: it is UTC+00:00 all year. The zone probably meant is Europe/London; if not, UTC says so.`,
      );
    },
  );

  it.each(["XGMT", "GMTX", "GMT+00", "xEtc/GMT+8", "Etc/GMT+8x", "Etc/GMT+"])(
    "says nothing of %s",
    (zone) => {
      expect(describeFixedZone(zone)).toBeUndefined();
    },
  );

  it("says an offset of two digits", () => {
    expect(describeFixedZone("Etc/GMT-10")).toContain("it is UTC+10:00 all year");
    expect(describeFixedZone("Etc/GMT-10")).toContain("meant is Australia/Sydney");
  });
});
