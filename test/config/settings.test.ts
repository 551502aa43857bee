import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/base/errors.ts";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { KEEP_ALL } from "../../src/calls/privacy/keep-settings.ts";
import { inspectSettings, loadSettings } from "../../src/config/load-settings.ts";
import type { SettingSources } from "../../src/config/setting-layers.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const { aliases: _, topics: __, channels: ___, ...RULES } = DEFAULT_RULES;

/** Loads settings in a folder of their own, with this `.env`. */
function load({
  flags = {},
  env = {},
  dotenv = "",
}: Partial<SettingSources> & { dotenv?: string | Buffer } = {}) {
  using folder = makeTempFolder();
  if (dotenv !== "") writeFileSync(join(folder.path, ".env"), dotenv);
  return loadSettings({ flags, env, folder: folder.path });
}

/** The error of loading. */
function catchError(sources: Parameters<typeof load>[0]): unknown {
  try {
    load(sources);
  } catch (error) {
    return error;
  }
  return undefined;
}

const TOKEN = "tok3n-THAT-must-not-be-seen";

describe("loadSettings", () => {
  it("returns defaults for everything except the address and the token", () => {
    expect(load()).toEqual({
      accounts: [],
      baseUrl: undefined,
      token: undefined,
      tokenPlace: "CALLTALLY_TOKEN",
      orgUnitId: undefined,
      database: "data/calltally.db",
      exportDir: "data/exports",
      timezone: "UTC",
      title: undefined,
      logo: undefined,
      locale: undefined,
      browser: undefined,
      limit: 1000,
      concurrency: 4,
      timeoutSeconds: 60,
      retrySeconds: 120,
      lookbackHours: 72,
      fullEveryHours: 24,
      goneAfterHours: 6,
      checkEveryHours: 24,
      recordingSignature: new Set(),
      keep: KEEP_ALL,
      rules: RULES,
      aliasesFile: undefined,
      topicsFile: undefined,
      channelsFile: undefined,
      currency: undefined,
      publish: {
        to: undefined,
        user: undefined,
        passwordFile: undefined,
        isPersonal: false,
        isAfterSync: true,
      },
      syncCron: "7 * * * *",
      exportCron: "30 5 * * *",
      notices: true,
      insightIds: [],
      insightsCron: "15 4 * * *",
      jitterSeconds: 30,
      jobMinutes: 60,
      heartbeatFailures: 3,
      heartbeatUrl: undefined,
      logLevel: "info",
    });
  });

  it("reads every setting from the environment", () => {
    const env = {
      CALLTALLY_BASE_URL: "https://api.example.com/base",
      CALLTALLY_TOKEN: TOKEN,
      CALLTALLY_DATABASE: "/srv/calls.db",
      CALLTALLY_EXPORT_DIR: "/srv/exports",
      CALLTALLY_TIMEZONE: "Europe/Berlin",
      CALLTALLY_TITLE: "Northwind Dental",
      CALLTALLY_LOGO: "/srv/northwind.png",
      CALLTALLY_LOCALE: "de-de",
      CALLTALLY_BROWSER: "/srv/chrome",
      CALLTALLY_ORG_UNIT_ID: " north/7 ",
      CALLTALLY_LIMIT: "2",
      CALLTALLY_CONCURRENCY: "32",
      CALLTALLY_TIMEOUT_SECONDS: "3600",
      CALLTALLY_RETRY_SECONDS: "0",
      CALLTALLY_LOOKBACK_HOURS: "8760",
      CALLTALLY_FULL_EVERY_HOURS: "0",
      CALLTALLY_GONE_AFTER_HOURS: "7",
      CALLTALLY_CHECK_EVERY_HOURS: "36",
      CALLTALLY_RECORDING_SIGNATURE: "K, session",
      CALLTALLY_KEEP_TRANSCRIPTS: "never",
      CALLTALLY_KEEP_SUMMARIES: "always",
      CALLTALLY_KEEP_CALLER_NUMBERS: "90d",
      CALLTALLY_KEEP_RECORDING_URLS: "1d",
      CALLTALLY_ANSWERED: " answered , it's ok,,",
      CALLTALLY_MISSED: ",",
      CALLTALLY_QUALIFIED_SECONDS: "086400",
      CALLTALLY_DURATION_UNIT: "milliseconds",
      CALLTALLY_ALIASES: "/srv/aliases.csv",
      CALLTALLY_TOPICS: "/srv/topics.csv",
      CALLTALLY_CHANNELS: "/srv/channels.csv",
      CALLTALLY_HOURS: "mon-fri 08:00-18:00",
      CALLTALLY_CLOSED: "/srv/closed.csv",
      CALLTALLY_CURRENCY: "eur",
      CALLTALLY_PUBLISH_TO: "clickhouse://anna@ch1.example.com,ch2.example.com:443/calls",
      CALLTALLY_PUBLISH_USER: "bob",
      CALLTALLY_PUBLISH_PASSWORD_FILE: "/srv/password",
      CALLTALLY_PUBLISH_PERSONAL_DATA: "true",
      CALLTALLY_PUBLISH_AFTER_SYNC: "false",
      CALLTALLY_NOTICES: "false",
      CALLTALLY_SYNC_CRON: "0 0 * * *",
      CALLTALLY_EXPORT_CRON: "1 1 * * *",
      CALLTALLY_INSIGHT_IDS: "101, 102",
      CALLTALLY_INSIGHTS_CRON: "2 2 * * *",
      CALLTALLY_JITTER_SECONDS: "0",
      CALLTALLY_JOB_MINUTES: "1440",
      CALLTALLY_HEARTBEAT_FAILURES: "12",
      CALLTALLY_HEARTBEAT_URL: "http://monitor.example.com/ping/17?k=v",
      CALLTALLY_LOG_LEVEL: "Debug",
    };
    const names = Object.values(SETTINGS).map((setting) => setting.env);
    expect([...Object.keys(env), "CALLTALLY_TOKEN_FILE", "CALLTALLY_HEARTBEAT_URL_FILE"].sort()).toEqual(
      names.sort(),
    );
    expect(load({ env })).toEqual({
      accounts: [],
      baseUrl: new URL("https://api.example.com/base"),
      token: TOKEN,
      tokenPlace: "CALLTALLY_TOKEN",
      orgUnitId: "north/7",
      database: "/srv/calls.db",
      exportDir: "/srv/exports",
      timezone: "Europe/Berlin",
      title: "Northwind Dental",
      logo: "/srv/northwind.png",
      locale: "de-DE",
      browser: "/srv/chrome",
      limit: 2,
      concurrency: 32,
      timeoutSeconds: 3600,
      retrySeconds: 0,
      lookbackHours: 8760,
      fullEveryHours: 0,
      goneAfterHours: 7,
      checkEveryHours: 36,
      recordingSignature: new Set(["k", "session"]),
      keep: { transcripts: "never", summaries: "always", caller_numbers: 90, recording_urls: 1 },
      rules: {
        answered: ["answered", "it's ok"],
        missed: [],
        qualified_seconds: 86_400,
        duration_unit: "milliseconds",
      },
      aliasesFile: "/srv/aliases.csv",
      topicsFile: "/srv/topics.csv",
      channelsFile: "/srv/channels.csv",
      hours: { week: "Mon-Fri 08:00-18:00", closedFile: "/srv/closed.csv", timezone: "Europe/Berlin" },
      currency: "EUR",
      publish: {
        to: {
          hosts: [new URL("https://ch1.example.com:8443"), new URL("https://ch2.example.com")],
          database: "calls",
          cluster: "calltally",
          user: "anna",
          name: "clickhouse://ch1.example.com:8443,ch2.example.com:443/calls?cluster=calltally",
        },
        user: "bob",
        passwordFile: "/srv/password",
        isPersonal: true,
        isAfterSync: false,
      },
      syncCron: "0 0 * * *",
      exportCron: "1 1 * * *",
      notices: false,
      insightIds: [101, 102],
      insightsCron: "2 2 * * *",
      jitterSeconds: 0,
      jobMinutes: 1440,
      heartbeatFailures: 12,
      heartbeatUrl: new URL("http://monitor.example.com/ping/17?k=v"),
      logLevel: "debug",
    });
  });

  it("keeps opening hours in the account's zone, which no flag changes", () => {
    const env = { CALLTALLY_HOURS: "Sat 8:00-9:00", CALLTALLY_TIMEZONE: "europe/berlin" };
    const flags = { CALLTALLY_TIMEZONE: "Asia/Tokyo" };
    const { timezone, hours } = load({ flags, env });
    expect([timezone, hours]).toEqual([
      "Asia/Tokyo",
      { week: "Sat 08:00-09:00", closedFile: undefined, timezone: "Europe/Berlin" },
    ]);
    expect(load({ flags, env: { CALLTALLY_HOURS: "Sat 8:00-9:00" } }).hours?.timezone).toBe("UTC");
    expect(catchError({ env: { CALLTALLY_HOURS: "Mo 08:00-18:00" } })).toMatchObject({
      exitCode: 2,
      message:
        'Cannot use CALLTALLY_HOURS: "Mo" is not a weekday: allowed are Mon, Tue, Wed, Thu, Fri, Sat, Sun',
    });
  });

  it("prefers the flag to the environment, that to .env, and that to the default", () => {
    const flags = { CALLTALLY_LIMIT: "2" };
    const env = { CALLTALLY_LIMIT: "3" };
    const dotenv = "# ours\nexport CALLTALLY_LIMIT='4'\n";
    expect([
      load({ flags, env, dotenv }).limit,
      load({ env, dotenv }).limit,
      load({ dotenv }).limit,
      load().limit,
    ]).toEqual([2, 3, 4, 1000]);
  });

  it("ignores an empty value, except in a flag, where it is an unset variable of the shell", () => {
    const empty = { CALLTALLY_DATABASE: "" };
    const unset = { CALLTALLY_DATABASE: undefined };
    const dotenv = "CALLTALLY_DATABASE=third.db";
    expect([
      load({ flags: unset, env: empty, dotenv }).database,
      load({ env: unset, dotenv: "CALLTALLY_DATABASE=" }).database,
    ]).toEqual(["third.db", "data/calltally.db"]);
    expect(catchError({ flags: empty, dotenv })).toMatchObject({
      exitCode: 2,
      message: 'Cannot use --database "": is empty',
    });
  });

  it.each([
    { title: "a byte order mark and CRLF", dotenv: "\ufeffCALLTALLY_LIMIT=5\r\nCALLTALLY_CONCURRENCY=6\r\n" },
    {
      title: "export, quotes and comments",
      dotenv: "export CALLTALLY_LIMIT='5' # calls\n  CALLTALLY_CONCURRENCY = \"6\"\n",
    },
    {
      title: "a name twice, of which the last counts",
      dotenv: "CALLTALLY_LIMIT=9\nCALLTALLY_CONCURRENCY=6\nCALLTALLY_LIMIT=5",
    },
  ])("reads .env with $title", ({ dotenv }) => {
    expect(load({ dotenv })).toMatchObject({ limit: 5, concurrency: 6 });
  });

  it.each([
    { dotenv: "# ours\nCALLTALLY_LIMIT: 5\n", says: "line 2 does not set CALLTALLY_LIMIT" },
    { dotenv: "CALLTALLY_TOKEN\nCALLTALLY_LIMIT=5\n", says: "line 1 does not set CALLTALLY_TOKEN" },
    { dotenv: Buffer.from("\ufeffCALLTALLY_LIMIT=5\n", "utf16le"), says: "it is not UTF-8 text" },
    { dotenv: Buffer.from("CALLTALLY_LIMIT=5\n", "utf16le"), says: "it is not UTF-8 text" },
  ])("refuses an invalid line of .env: $says", ({ dotenv, says }) => {
    expect(catchError({ dotenv })).toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(`Cannot use .env: ${says}`),
    });
  });

  it.skipIf(process.platform === "win32")("refuses .env with settings if others can write it", () => {
    using folder = makeTempFolder();
    const [file, elsewhere] = [join(folder.path, ".env"), join(folder.path, "elsewhere")];
    const read = (text: string, mode: number) => {
      writeFileSync(elsewhere, text);
      chmodSync(elsewhere, mode);
      return loadSettings({ env: {}, folder: folder.path }).limit;
    };
    symlinkSync(elsewhere, file);
    expect([read("CALLTALLY_LIMIT=5", 0o644), read("PORT=80", 0o666)]).toEqual([5, 1000]);
    for (const mode of [0o664, 0o646]) {
      expect(() => read("CALLTALLY_LIMIT=5", mode)).toThrow(
        "Cannot use .env: other users can write it, though it decides where the token goes and what is run",
      );
    }
  });

  it.skipIf(process.platform === "win32")("refuses .env with settings if others can replace it", () => {
    using folder = makeTempFolder();
    const [linked, real] = [join(folder.path, "linked"), join(folder.path, "real")];
    for (const path of [linked, real]) mkdirSync(path);
    symlinkSync(join(real, ".env"), join(linked, ".env"));
    const read = (text: string, mode: number, open: string) => {
      writeFileSync(join(real, ".env"), text, { mode: 0o600 });
      for (const path of [linked, real]) chmodSync(path, path === open ? mode : 0o755);
      return loadSettings({ env: {}, folder: linked }).limit;
    };
    for (const open of [linked, real]) {
      expect(read("CALLTALLY_LIMIT=5", 0o1777, open)).toBe(5);
      expect(read("CALLTALLY_LIMIT=5", 0o775, open)).toBe(5);
      expect(read("PORT=80", 0o777, open)).toBe(1000);
      for (const mode of [0o777, 0o757])
        expect(() => read("CALLTALLY_LIMIT=5", mode, open)).toThrow(
          expect.objectContaining({
            message:
              "Cannot use .env: all users can replace it, though it decides where the token goes and what is run",
            hint: `Run chmod o-w ${open}`,
          }),
        );
    }
  });

  it("reads .env only from its own folder", () => {
    using folder = makeTempFolder();
    const inner = join(folder.path, "inner");
    mkdirSync(inner);
    writeFileSync(join(folder.path, ".env"), "CALLTALLY_LIMIT=5");
    expect(loadSettings({ env: {}, folder: folder.path }).limit).toBe(5);
    expect(loadSettings({ env: {}, folder: inner }).limit).toBe(1000);
  });

  const BAD: [name: string, value: string, says: string, hint?: string][] = [
    ["CALLTALLY_BASE_URL", "api.example.com", "is not a URL"],
    ["CALLTALLY_TOKEN", "two words", "cannot have"],
    ["CALLTALLY_TOKEN", " ", "is empty"],
    ["CALLTALLY_TOKEN_FILE", "/", "must be a file, but ends like a folder"],
    ["CALLTALLY_DATABASE", "data/", "must be a file, but ends like a folder"],
    ["CALLTALLY_DATABASE", "~/calls.db", "must be a full path: only a shell"],
    ["CALLTALLY_DATABASE", "calls.db ", "must be a path without white space around it"],
    ["CALLTALLY_DATABASE", "calls\u0001.db", "must be a path without line breaks"],
    ["CALLTALLY_EXPORT_DIR", "~", "must be a full path: only a shell"],
    ["CALLTALLY_ALIASES", " ", "is empty"],
    ["CALLTALLY_TIMEZONE", "Berlin", "Berlin is not an IANA time zone", "Did you mean Europe/Berlin?"],
    ["CALLTALLY_TIMEZONE", "Middle-earth", "is not an IANA time zone such as"],
    ["CALLTALLY_TIMEZONE", "+02:00", "+02:00 is not an IANA time zone", "Did you mean"],
    ["CALLTALLY_ORG_UNIT_ID", " ", "is empty"],
    ["CALLTALLY_ORG_UNIT_ID", "7 8", "must be without white space"],
    ["CALLTALLY_ORG_UNIT_ID", "7\u202e8", "must be without white space"],
    ["CALLTALLY_LIMIT", "1", "must be a whole number from 2 to 1000", "could not overlap"],
    ["CALLTALLY_LIMIT", "1001", "must be a whole number from 2 to 1000"],
    ["CALLTALLY_CONCURRENCY", "33", "must be a whole number from 1 to 32"],
    ["CALLTALLY_TIMEOUT_SECONDS", "0", "must be a whole number from 1 to 3600"],
    ["CALLTALLY_RETRY_SECONDS", "-1", "must be a whole number from 0 to 86400"],
    ["CALLTALLY_LOOKBACK_HOURS", "8761", "must be a whole number from 0 to 8760"],
    ["CALLTALLY_FULL_EVERY_HOURS", "1d", "must be a whole number from 0 to 8760"],
    ["CALLTALLY_GONE_AFTER_HOURS", "-6", "must be a whole number from 0 to 8760"],
    ["CALLTALLY_QUALIFIED_SECONDS", "1m", "must be a whole number from 0 to 86400"],
    ["CALLTALLY_DURATION_UNIT", "minutes", "must be one of seconds, milliseconds"],
    ["CALLTALLY_JITTER_SECONDS", "3601", "must be a whole number from 0 to 3600"],
    ["CALLTALLY_JOB_MINUTES", "0", "must be a whole number from 1 to 1440"],
    ["CALLTALLY_HEARTBEAT_FAILURES", "0", "must be a whole number from 1 to 100"],
    ["CALLTALLY_HEARTBEAT_URL", "hc-ping.com/17", "is not a URL"],
    ["CALLTALLY_HEARTBEAT_URL", "ftp://hc-ping.com/17", "must start with https:// or http://"],
    ["CALLTALLY_HEARTBEAT_URL", "https://u:p@hc-ping.com", "must have neither user nor"],
    ["CALLTALLY_LOG_LEVEL", "verbose", "must be one of trace, debug, info, warn"],
  ];

  it.each(BAD)("refuses %s=%s with exit 2 and the reason", (name, value, says, hint = name) => {
    const fromEnv = catchError({ env: { [name]: value } });
    expect(fromEnv).toBeInstanceOf(UsageError);
    expect(fromEnv).toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(new RegExp(`^Cannot use ${name}: .*${says.replace("+", "\\+")}`)),
      hint: expect.stringContaining(hint),
    });
    const fromFile = catchError({ dotenv: `${name}="${value}"` });
    expect(fromFile).toBeInstanceOf(UsageError);
    expect(fromFile).toMatchObject({ message: expect.stringMatching(`^Cannot use ${name} in \\.env: `) });
  });

  it("names the flag with the invalid value", () => {
    const error = catchError({
      flags: { CALLTALLY_LIMIT: "many" },
      env: { CALLTALLY_LIMIT: "5" },
    });
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({
      exitCode: 2,
      message: "Cannot use --limit many: must be a whole number from 2 to 1000",
    });
  });

  it.each(["clickhouse://u:geheim@h/calls", "clickhouse://h/calls?password=geheim", "clickhouse:u:geheim@h"])(
    "does not show the password in --to %s",
    (to) => {
      const error = catchError({ flags: { CALLTALLY_PUBLISH_TO: to } });
      expect(error).toBeInstanceOf(UsageError);
      expect(String(error)).toMatch(/--to clickhouse:.*…/);
      expect(String(error)).not.toContain("geheim");
    },
  );

  it("does not fall back on a valid value of a lower level", () => {
    expect(catchError({ env: { CALLTALLY_LIMIT: "0" }, dotenv: "CALLTALLY_LIMIT=5" })).toBeInstanceOf(
      UsageError,
    );
  });
});

describe("inspectSettings", () => {
  /** Inspects settings in a folder of their own, with this `.env`. */
  function inspect({ flags = {}, env = {}, dotenv = "" }: Parameters<typeof load>[0] & object) {
    using folder = makeTempFolder();
    if (dotenv !== "") writeFileSync(join(folder.path, ".env"), dotenv);
    const { entries, ...rest } = inspectSettings({ flags, env, folder: folder.path });
    return {
      ...rest,
      found: Object.fromEntries(entries.map(({ env: name, ...setting }) => [name, setting])),
    };
  }

  it("names the source of each setting", () => {
    const { found, settings } = inspect({
      flags: { CALLTALLY_DATABASE: "flag.db" },
      env: { CALLTALLY_DATABASE: "env.db", CALLTALLY_LIMIT: "7" },
      dotenv: "CALLTALLY_LIMIT=8\nCALLTALLY_CONCURRENCY=9",
    });
    expect(Object.keys(found)).toEqual(Object.values(SETTINGS).map((setting) => setting.env));
    expect(found).toMatchObject({
      CALLTALLY_DATABASE: { origin: "flag", shown: "flag.db" },
      CALLTALLY_LIMIT: { origin: "environment", shown: "7" },
      CALLTALLY_CONCURRENCY: { origin: ".env", shown: "9" },
      CALLTALLY_TIMEZONE: { origin: "default", shown: "UTC" },
      CALLTALLY_BASE_URL: { origin: "not set" },
    });
    expect(settings).toMatchObject({ database: "flag.db", limit: 7, concurrency: 9 });
  });

  it("shows only file and length of a token, and no unreadable path, which may be a token", () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "token");
    writeFileSync(file, `${TOKEN}\n`);
    const inspected = inspect({ env: { CALLTALLY_TOKEN: `${TOKEN}2`, CALLTALLY_TOKEN_FILE: file } });
    expect(inspected.found).toMatchObject({
      CALLTALLY_TOKEN_FILE: { shown: `${file}, ${TOKEN.length} characters` },
      CALLTALLY_TOKEN: { shown: `set, ${TOKEN.length + 1} characters` },
    });
    expect(inspected.found).toMatchObject({ CALLTALLY_TOKEN_FILE: { file } });
    expect(JSON.stringify(inspected.found)).not.toContain(TOKEN);
    const bad = inspect({ env: { CALLTALLY_TOKEN: `${TOKEN} ${TOKEN}`, CALLTALLY_TOKEN_FILE: `/${TOKEN}` } });
    expect(JSON.stringify(bad.found)).not.toContain(TOKEN);
  });

  it("treats settings as secret unless they are known to be harmless", () => {
    const shown = Object.values(SETTINGS).filter((spec) => !("isSecret" in spec) && !("default" in spec));
    expect(shown.map(({ env }) => env.replace("CALLTALLY_", ""))).toEqual([
      "BASE_URL",
      "ORG_UNIT_ID",
      "TITLE",
      "LOGO",
      "LOCALE",
      "BROWSER",
      "RECORDING_SIGNATURE",
      "ALIASES",
      "TOPICS",
      "CHANNELS",
      "HOURS",
      "CLOSED",
      "CURRENCY",
      "PUBLISH_TO",
      "PUBLISH_USER",
      "INSIGHT_IDS",
    ]);
  });

  it("continues after invalid settings as if they were not set", () => {
    const { found, settings, unknown } = inspect({
      env: {
        CALLTALLY_LIMIT: "0",
        CALLTALLY_BASE_URL: "http://api.example.com",
        CALLTALLY_LIMT: "5",
        CALLTALLY_QX: "",
        calltally_qy: "",
        QX: "",
      },
      dotenv: "CALLTALLY_LIMIT=9\nCALLTALLY_QUALIFIED_SECONDS=soon\nCALLTALLY_TOKNE=x",
    });
    expect(found).toMatchObject({
      CALLTALLY_LIMIT: {
        origin: "environment",
        problem: { message: "must be a whole number from 2 to 1000" },
      },
      CALLTALLY_BASE_URL: { problem: { message: expect.stringContaining("must start with https://") } },
      CALLTALLY_QUALIFIED_SECONDS: { origin: ".env", problem: { hint: expect.any(String) } },
    });
    expect(settings).toEqual(load());
    expect(unknown).toEqual([
      { name: "CALLTALLY_LIMT", origin: "environment", advice: "Did you mean CALLTALLY_LIMIT?" },
      ...["CALLTALLY_QX", "calltally_qy"].map((name) => ({
        ...{ name, origin: "environment", advice: "`calltally docs settings` lists them." },
      })),
      { name: "CALLTALLY_TOKNE", origin: ".env", advice: "Did you mean CALLTALLY_TOKEN?" },
    ]);
  });
});

it.each(["https://hc-ping.com/17", "http://monitor.example.com/17"])(
  "CALLTALLY_HEARTBEAT_URL accepts %s",
  (url) => {
    expect(load({ env: { CALLTALLY_HEARTBEAT_URL: url } }).heartbeatUrl).toEqual(new URL(url));
  },
);

describe("CALLTALLY_BASE_URL", () => {
  it.each([
    "https://api.example.com",
    "https://api.example.com:8443/platform/",
    "https://api.example.com/v3beta",
    "http://localhost:8080",
    "http://LOCALHOST",
    "http://127.0.0.1:43211",
    "http://127.1.2.3",
    "http://[::1]:8080",
  ])("accepts %s", (value) => {
    expect(load({ env: { CALLTALLY_BASE_URL: value } }).baseUrl).toEqual(new URL(value));
  });

  it.each([
    "http://api.example.com",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
    "http://example.com/127.0.0.1",
    "http://127.0.0.1@example.com",
    "http://192.168.0.1",
    "http://0.0.0.0",
    "http://[::2]",
    "ws://localhost",
    "file:///etc/hosts",
  ])("must not be %s, which would send the token in plain text", (value) => {
    expect(catchError({ env: { CALLTALLY_BASE_URL: value } })).toMatchObject({
      exitCode: 2,
      message: expect.stringContaining("must start with https://"),
    });
  });

  it.each([
    "https://api.example.com/v3",
    "https://api.example.com/v3/",
    "https://api.example.com/x/v3//",
    "http://localhost/v3",
  ])("must not be %s, since /v3 is appended", (value) => {
    expect(catchError({ env: { CALLTALLY_BASE_URL: value } })).toMatchObject({
      message: expect.stringContaining("must be given without /v3"),
    });
  });

  it.each([
    "https://user@api.example.com",
    "https://:secret@api.example.com",
    "https://api.example.com/?key=secret",
    "https://api.example.com/#secret",
  ])("must not be %s, and is not shown with its secret", (value) => {
    const error = catchError({ env: { CALLTALLY_BASE_URL: value } });
    expect(error).toMatchObject({ message: expect.stringContaining("must be a plain address") });
    expect(String(error)).not.toContain("secret");
  });
});

describe("CALLTALLY_HEARTBEAT_URL", () => {
  it.each([
    "ftp://example.com/SECRET",
    "SECRET",
    "https://example.com/#SECRET",
    "https://SECRET@example.com",
  ])("an error does not show an invalid address: %s", (value) => {
    const error = catchError({ env: { CALLTALLY_HEARTBEAT_URL: value } });
    expect(error).toBeInstanceOf(UsageError);
    expect(JSON.stringify(error) + String(error)).not.toContain("SECRET");
  });
});

describe("CALLTALLY_TOKEN, CALLTALLY_TOKEN_FILE", () => {
  /** Settings where the token file has this content. */
  function loadWithFile(content: string, env: Record<string, string> = {}) {
    using folder = makeTempFolder();
    const file = join(folder.path, "token");
    writeFileSync(file, content);
    return loadSettings({ env: { CALLTALLY_TOKEN_FILE: file, ...env }, folder: folder.path });
  }

  it("a token is trimmed", () => {
    expect(loadWithFile(`\n ${TOKEN}\r\n`).token).toBe(TOKEN);
    expect(load({ env: { CALLTALLY_TOKEN: `${TOKEN}\n` } }).token).toBe(TOKEN);
  });

  it("prefer the file", () => {
    expect(loadWithFile("from-file", { CALLTALLY_TOKEN: "from-env" }).token).toBe("from-file");
  });

  it("name a missing or unreadable file, and do not fall back", () => {
    using folder = makeTempFolder();
    const env = { CALLTALLY_TOKEN: TOKEN };
    const missing = join(folder.path, "missing");
    expect(catchError({ env: { ...env, CALLTALLY_TOKEN_FILE: missing } })).toMatchObject({
      exitCode: 2,
      message: "Cannot use CALLTALLY_TOKEN_FILE: cannot be read: no such file or directory",
    });
    expect(catchError({ env: { ...env, CALLTALLY_TOKEN_FILE: folder.path } })).toBeInstanceOf(UsageError);
  });

  it.each([
    { what: "empty", content: "" },
    { what: "blank", content: " \n" },
  ])("refuse a file that is $what", ({ content }) => {
    expect(() => loadWithFile(content)).toThrow(/^Cannot use CALLTALLY_TOKEN_FILE: \S+ is empty$/);
  });

  it.each([`${TOKEN} ${TOKEN}`, `${TOKEN}\n${TOKEN}`, `${TOKEN}é`, `${TOKEN}\0`, `"${TOKEN}" # ours`])(
    "an error does not show an invalid token: %j",
    (value) => {
      const errors = [catchError({ env: { CALLTALLY_TOKEN: value } })];
      try {
        loadWithFile(value);
      } catch (error) {
        errors.push(error);
      }
      expect(errors).toHaveLength(2);
      for (const error of errors) {
        expect(error).toBeInstanceOf(UsageError);
        const shown =
          error instanceof UsageError ? `${error.message} ${error.hint} ${error.stack} ${error.cause}` : "";
        expect(shown).toMatch(/cannot have|more than one line/);
        expect(shown).not.toContain(TOKEN);
      }
    },
  );
});
