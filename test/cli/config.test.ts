import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeFolder } from "./folder.ts";

const YAML = `timezone: Europe/Berlin
smtp_url_file: smtp.url
accounts:
  acme:
    base_url: https://api.example.com
    token_file: acme.token
  beta:
    base_url: https://api.example.com
    token_file: beta.token
    qualified_seconds: 90
reports:
  weekly:
    contents: [channel]
    range: { last: 4w }
    filter: { exclude_callers: test-numbers.txt }
    cron: "0 7 * * 1"
    deliver:
      - email: { to: [marketing@acme.example] }
      - webhook: { url_file: slack.url }
      - command: [sh, -c, "ls {folder}"]
    accounts: all
`;

function write(folder: string, files: Record<string, string>, mode = 0o600): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode });
}

const SECRETS = {
  "acme.token": "t0ken-of-acme",
  "beta.token": "t0ken-of-beta",
  "smtp.url": "smtps://calls%40example.com:s3cret@mail.example.com",
  "slack.url": "https://hooks.example.com/s3cret",
};

it("config checks all files without a request, and reports every problem with its position", async () => {
  using folder = makeFolder({ PATH: "/usr/bin:/bin" });
  write(folder.path, { "calltally.yaml": YAML, "test-numbers.txt": "+49 30 123456\n", ...SECRETS });
  expect(await folder.run("config check")).toEqual({
    code: 0,
    stdout: "calltally.yaml: 2 accounts, 1 report: no problem\n",
    stderr: "",
  });

  const broken = YAML.replace("0 7 * * 1", "0 25 * * 1")
    .replace("sh, -c", "shh, -c")
    .replace("qualified_seconds: 90", "sync_cron: hourly\n    logo: nowhere.png");
  write(folder.path, {
    "calltally.yaml": broken,
    "test-numbers.txt": "+49 30 123456\nMax\n",
    "slack.url": "ftp://x/s3cret",
  });
  chmodSync(join(folder.path, "smtp.url"), 0o644);
  chmodSync(join(folder.path, "acme.token"), 0o604);
  const { code, stdout, stderr } = await folder.run("config check");
  expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
  expect(stdout.trimEnd().split("\n")).toEqual([
    "acme: CALLTALLY_TOKEN_FILE: other users can read acme.token, which contains a secret; run chmod 600 acme.token (from calltally.yaml:6:17: accounts.acme.token_file)",
    expect.stringMatching(
      /^beta: CALLTALLY_SYNC_CRON: hourly is not a cron expression: .* \(from calltally.yaml:10:16: accounts.beta.sync_cron\)$/,
    ),
    "beta: logo: Cannot read the logo nowhere.png: no such file or directory",
    "calltally.yaml:2:16: smtp_url_file: other users can read smtp.url, which contains a secret. Run chmod 600 smtp.url",
    expect.stringMatching(
      /^calltally.yaml:17:11: reports.weekly.cron: 0 25 \* \* 1 is not a cron expression/,
    ),
    expect.stringMatching(
      /^calltally.yaml:16:32: reports.weekly.filter.exclude_callers: Cannot use filter.exclude_callers .*test-numbers.txt: line 2 is not a phone number$/,
    ),
    "calltally.yaml:20:30: reports.weekly.deliver[1].webhook.url_file: the text in slack.url must start with https:// (http:// only for this machine). Name a file that holds the secret and nothing else, readable only by its owner.",
    "calltally.yaml:21:19: reports.weekly.deliver[2].command[0]: there is no program shh in the PATH",
    "calltally.yaml: 2 accounts, 1 report: 8 problems",
  ]);
  const json = JSON.parse((await folder.run("config check --json")).stdout);
  expect(json).toMatchObject({ accounts: 2, reports: 1, problems: { length: 8 } });

  for (const [text, says] of [
    ["smpt://calls:s3cret@mail.example.com", "the text in smtp.url must start with smtp:// (STARTTLS) or"],
    ["s3cret", "the text in smtp.url is not a URL such as smtps://"],
  ] as const) {
    rmSync(join(folder.path, "smtp.url"));
    write(folder.path, { "smtp.url": text });
    const checked = await folder.run("config check");
    expect(checked.stdout).toContain(`\ncalltally.yaml:2:16: smtp_url_file: ${says}`);
    expect(checked.stdout).not.toContain("s3cret");
  }
});

it("config shows the settings in force and their sources, and no secrets", async () => {
  using folder = makeFolder({ CALLTALLY_QUALIFIED_SECONDS: "30" });
  write(folder.path, { "calltally.yaml": YAML, ...SECRETS, ".env": "CALLTALLY_LIMIT=500\n" });
  const stdout = await folder.say("config show --account beta");
  expect(stdout).not.toMatch(/s3cret|t0ken/);
  expect(stdout).toMatch(/^host_requests +default +8\nsmtp_url_file +calltally.yaml:2:16 +set, in a file$/m);
  expect(stdout).toMatch(/^CALLTALLY_TOKEN_FILE +calltally.yaml:9:17 +\S+\.token, 13 characters$/m);
  expect(stdout).toMatch(/^CALLTALLY_TIMEZONE +calltally.yaml:1:11 +Europe\/Berlin$/m);
  expect(stdout).toMatch(/^CALLTALLY_QUALIFIED_SECONDS +environment +30$/m);
  expect(stdout).toMatch(/^CALLTALLY_LIMIT +.env +500$/m);
  expect(stdout).toMatch(/^CALLTALLY_DATABASE +default +data\/beta\/calltally.db$/m);
  expect(stdout).toMatch(/^weekly +all +csv +0 7 \* \* 1 +email, webhook, command$/m);
  const json = JSON.parse(await folder.say("config show --json"));
  expect(json.accounts.map(({ account }: { account: string }) => account)).toEqual(["acme", "beta"]);
  expect(json.accounts[0].settings).toContainEqual({
    setting: "CALLTALLY_TIMEZONE",
    value: "Europe/Berlin",
    from: "calltally.yaml:1:11",
  });
});

it("config prints the JSON Schema of the file, and the text of docs/reference/calltally-yaml.md", async () => {
  using folder = makeFolder();
  const schema = JSON.parse(await folder.say("config schema"));
  expect(schema.properties.accounts.additionalProperties).toMatchObject({
    additionalProperties: false,
    properties: { timezone: { type: "string", examples: ["America/New_York"] } },
  });
  const reference = await folder.say("config schema --reference");
  expect(readFileSync("docs/reference/calltally-yaml.md", "utf8").trimEnd()).toBe(reference.trimEnd());
});

it("an invalid calltally.yaml makes every command that needs it exit with 2", async () => {
  using folder = makeFolder({ CALLTALLY_CONFIG: "conf/c.yaml" });
  const { run, say } = folder;
  mkdirSync(join(folder.path, "conf"));
  write(folder.path, { "conf/c.yaml": "accounts: 5\n" });
  const bad = {
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("conf/c.yaml:1:11: accounts: must be keys and values, not 5\n"),
  };
  for (const command of [["sync"], ["query", "SELECT 1"], ["config", "check"], ["schedule", "--list"]])
    expect(await run(...command)).toEqual(bad);
  expect(await run("status --config conf/c.yaml")).toEqual(bad);
  expect(await run("status --config none.yaml")).toMatchObject({
    code: 2,
    stderr:
      "calltally: Cannot read none.yaml: no such file or directory\nCheck the path; a relative one starts in the working folder, and one in calltally.yaml in the folder of that file.\n",
  });
  await say("completion bash");
});
