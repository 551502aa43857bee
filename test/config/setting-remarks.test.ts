import { describe, expect, it } from "vitest";
import { remarkOnSettings } from "../../src/config/setting-remarks.ts";

const ENV = { CALLTALLY_BASE_URL: "https://api.example.com", CALLTALLY_TIMEZONE: "America/Chicago" };

describe("remarkOnSettings", () => {
  it.each([
    [{}, []],
    [{ CALLTALLY_TIMEZONE: "EST" }, [/^EST has no daylight saving time: it is UTC-05:00 all year\./]],
    [{ CALLTALLY_TIMEZONE: "Etc/GMT-9" }, [/^Etc\/GMT-9 has no daylight saving time: it is UTC\+09:00/]],
    [
      { CALLTALLY_ANSWERED: "answered,busy", CALLTALLY_MISSED: "no answer,busy" },
      [/^CALLTALLY_ANSWERED and CALLTALLY_MISSED both have busy: such calls count as answered\./],
    ],
    [{ CALLTALLY_CLOSED: "holidays.csv" }, [/^CALLTALLY_CLOSED has no effect without CALLTALLY_HOURS:/]],
    [{ CALLTALLY_CLOSED: "holidays.csv", CALLTALLY_HOURS: "Mon-Fri 08:00-18:00" }, []],
    [{ CALLTALLY_ZONE: "UTC" }, [/^CALLTALLY_ZONE in the environment is not a setting, and has no effect\./]],
  ])("remarks on %j", (settings, remarks) => {
    const found = remarkOnSettings({ env: { ...ENV, ...settings }, folder: "/data" });
    expect(found).toEqual(remarks.map((remark) => expect.stringMatching(remark)));
  });
});
