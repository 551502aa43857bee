import { describe, expect, it } from "vitest";
import { loadSettings } from "../../src/config/load-settings.ts";
import { toSyncOptions } from "../../src/sync/sync-options.ts";

const ENV = {
  CALLTALLY_BASE_URL: "https://api.example.com:8443/x",
  CALLTALLY_TOKEN: "token",
  CALLTALLY_DATABASE: "/nowhere/calls.db",
  CALLTALLY_ORG_UNIT_ID: "7",
  CALLTALLY_LIMIT: "300",
  CALLTALLY_CONCURRENCY: "3",
  CALLTALLY_TIMEOUT_SECONDS: "11",
  CALLTALLY_RETRY_SECONDS: "12",
  CALLTALLY_LOOKBACK_HOURS: "13",
  CALLTALLY_FULL_EVERY_HOURS: "14",
  CALLTALLY_GONE_AFTER_HOURS: "15",
  CALLTALLY_CHECK_EVERY_HOURS: "16",
  CALLTALLY_KEEP_TRANSCRIPTS: "90d",
  CALLTALLY_KEEP_SUMMARIES: "80d",
  CALLTALLY_KEEP_CALLER_NUMBERS: "70d",
  CALLTALLY_KEEP_RECORDING_URLS: "60d",
  CALLTALLY_RECORDING_SIGNATURE: "sig",
};
const read = (env: Record<string, string>) => loadSettings({ env, folder: "/nowhere" });

describe("toSyncOptions", () => {
  it("maps each setting to its option", () => {
    const limit = async <T>(attempt: () => Promise<T>) => await attempt();
    const hosts: string[] = [];
    const options = toSyncOptions(read(ENV), (host) => {
      hosts.push(host);
      return limit;
    });
    expect(options).toMatchObject({
      database: "/nowhere/calls.db",
      api: {
        baseUrl: new URL("https://api.example.com:8443/x"),
        token: "token",
        tokenPlace: "CALLTALLY_TOKEN",
        orgUnitId: "7",
        attemptTimeoutMs: 11_000,
        retry: { budgetMs: 12_000 },
        limitRequest: limit,
      },
      limit: 300,
      concurrency: 3,
      lookbackHours: 13,
      fullEveryHours: 14,
      goneAfterHours: 15,
      checkEveryHours: 16,
      acceptGone: 0,
      recordingSignature: new Set(["sig"]),
      keep: {
        transcripts: 90,
        summaries: 80,
        caller_numbers: 70,
        recording_urls: 60,
      },
      rules: expect.objectContaining({ aliases: {} }),
    });
    expect(hosts).toEqual(["api.example.com:8443"]);
  });

  it("sets no limit of requests if none is given", () => {
    expect(toSyncOptions(read(ENV)).api.limitRequest).toBeUndefined();
  });

  it.each([{ missing: "CALLTALLY_BASE_URL" }, { missing: "CALLTALLY_TOKEN", names: "CALLTALLY_TOKEN_FILE" }])(
    "throws if $missing is not set",
    ({ missing, names = missing }) => {
      expect(() => toSyncOptions(read({ ...ENV, [missing]: "" }))).toThrow(`${names} is not set`);
    },
  );
});
