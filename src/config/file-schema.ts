import { z } from "zod";
import { parseAge } from "../base/calendar/age-text.ts";
import { parseFilePath, parsePath } from "../base/text/path-text.ts";
import { parseClusterUrl } from "./cluster-url.ts";
import {
  assertPattern,
  assertPlaceholders,
  COMMAND_PLACEHOLDERS,
  PLACEHOLDERS,
  SUBJECT_PLACEHOLDERS,
} from "./placeholder-names.ts";
import { REQUEST_KEYS } from "./request/export-request.ts";
import { option, parsed } from "./request/issues.ts";
import { LISTS } from "./request/option-values.ts";
import { findRefusals } from "./request/refusals/refusal.ts";
import { REFUSALS } from "./request/refusals/refusals.ts";
import { isMailAddress } from "./setting-parsers.ts";
import { ALL_SETTINGS, SETTINGS } from "./settings.ts";

export const DEFAULT_HOST_REQUESTS = 8;

/** Safe as folder names on every system. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/i;

export const NAME_RULE = "must be letters, digits, - and _, at most 64, the first a letter or digit";

const GROUPS: Readonly<Record<string, string>> = {
  keep: "Which data of calls is kept, and for how long.",
  publish: "The ClickHouse cluster that the facts are published to.",
};

function settingKeys(...scopes: (string | undefined)[]): Record<never, z.ZodType> {
  const settings = ALL_SETTINGS.filter(({ scope }) => scopes.includes(scope));
  const byName = Map.groupBy(settings, ({ key }) => key.replace(/\..*/, ""));
  const keys = [...byName].map(([name, members]) => {
    const description = GROUPS[name];
    if (description === undefined) return [name, members[0]?.schema];
    const below = members.map(({ key, schema }) => [key.slice(name.length + 1), schema]);
    return [name, z.strictObject(Object.fromEntries(below)).meta({ description }).optional()];
  });
  return Object.fromEntries(keys);
}

export const nameSchema = z.string().regex(NAME, NAME_RULE);

const file = parsed(parseFilePath);
const argument = parsed((text) => assertPlaceholders(text, COMMAND_PLACEHOLDERS)).min(1);
const address = z
  .string()
  .refine(isMailAddress, "must be one plain mail address, such as marketing@northwind.example");

const email = z.strictObject({
  to: z
    .array(address)
    .min(1)
    .meta({ description: "Recipients.", examples: [["marketing@northwind.example"]] }),
  from: option(address, "The sender; by default the user of the SMTP address.", "reports@agency.example"),
  subject: option(
    parsed((text) => assertPattern(text, SUBJECT_PLACEHOLDERS)).min(1),
    "Subject of the mail, with placeholders as in folder, and {title}. Default: {title}, {report}: calls, {period}.",
    "Calls, {period}",
  ),
});

const webhook = z.strictObject({
  url_file: file.meta({
    description: "File that holds the address: https, or http on this machine.",
    examples: ["secrets/slack.url"],
  }),
});

const RECIPIENT = {
  email: option(
    email,
    "Mail by the server in smtp_url_file. Files are attached in order while they fit into 10 MB; the others are named.",
  ),
  webhook: option(webhook, "A JSON message that Slack and Teams show."),
  command: option(
    z.array(argument).min(1),
    "A program and its arguments, without a shell. In the arguments {folder}, where the files are, and {file}, the only one, are replaced as well.",
    ["rclone", "copy", "{folder}", "remote:calls/{account}"],
  ),
};

/** Keys of which a value has exactly one. */
function oneOf<Shape extends z.core.$ZodLooseShape>(shape: Shape, what: string) {
  const names = Object.keys(shape);
  const described = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  return z
    .strictObject(shape)
    .refine((value) => Object.keys(value).length === 1, `must have one of ${described}`)
    .meta({ description: `${what}: one of ${described}.`, minProperties: 1, maxProperties: 1 });
}

const recipient = oneOf(RECIPIENT, "A recipient");
const delivery = oneOf(
  { ...RECIPIENT, to: option(z.enum(["account"]), "The recipients of the account, below accounts.") },
  "A recipient",
);

const account = z
  .strictObject({
    ...settingKeys("account", undefined),
    recipients: option(
      z.array(recipient).min(1),
      "Who gets its reports that say `to: account`, and no figures of other accounts.",
      [{ email: { to: ["owner@northwind.example"] } }],
    ),
  })
  .meta({ description: "One account of the service: a warehouse, token, zone and rules of its own." });

const ofAgency = z
  .strictObject({
    base_url: SETTINGS.baseUrl.schema,
    token_file: SETTINGS.tokenFile.schema,
  })
  .refine(
    ({ base_url, token_file }) => base_url !== undefined && token_file !== undefined,
    "must have both base_url and token_file: a token is for one address",
  );

const allAccounts = z
  .string()
  .regex(/^all$/, "must be all, or a list of accounts")
  .transform(() => "all" as const);

/** A report is not a load of changes. */
const { changed_since: _, caller: __, ...REPORTED } = REQUEST_KEYS;

const reportKeys = z.strictObject({
  accounts: option(
    z.union([z.array(z.string()).min(1), allAccounts]),
    "Its accounts, such as `[austin]`; by default all. If a recipient would get the figures of several, it must be `all`; with `to: account` each account's own recipients get its figures. A command with {account} in its arguments is a recipient for each.",
  ),
  ...REPORTED,
  folder: option(
    parsed((text) => assertPattern(parsePath(text))),
    `Where the files go; ${PLACEHOLDERS.map((word) => `{${word}}`).join(", ")} are replaced, {period} by the whole range: 2026-W47, 2026-11 or 2026-Q4 for one week, month or quarter, otherwise 2026-10-26 to 2026-11-22. Default: reports/{account}/{report}.`,
    "reports/{account}/weekly",
  ),
  cron: option(
    z.string().min(1),
    "Cron expression in the account's time zone; by default, it is made only by hand.",
    "0 7 * * 1",
  ),
  fresh: option(
    parsed(parseAge),
    "Maximum age of the last good sync; otherwise the schedule waits for one, or starts it.",
    "2h",
  ),
  require: option(
    z.enum(["verified"]),
    "Deliver it only if the last sync proved that it read every call: exact or verified. If it did not, the schedule first makes a full pass.",
    "verified",
  ),
  engine: option(
    parsed(parseClusterUrl),
    "ClickHouse cluster that computes the figures, from the account as last published there. Read with the user in the address, or that of publish.",
    "clickhouse://analyst@ch1.northwind.example,ch2.northwind.example/calls",
  ),
  personal_data: option(
    z.boolean(),
    `Let e-mail and commands deliver files with a row for each call, caller or conversion (${LISTS.join(", ")}), or private columns in a page to explore.`,
  ),
  ring_back: option(
    z.enum(["times", "numbers"]),
    "List in mails the callers to ring back, the newest ten since its first day: when each was missed, with `numbers` also the phone number. Needs personal_data.",
    "numbers",
  ),
  deliver: option(z.array(delivery).min(1), "Recipients."),
  on_restatement: option(
    z.enum(["deliver"]),
    "After a sync, make it again for the days of its last slot and deliver it, if previously reported figures changed.",
    "deliver",
  ),
});

const report = reportKeys
  .superRefine((content, { addIssue }) => {
    const wording = { options: content, spell: (option: string) => option };
    for (const { text } of findRefusals(REFUSALS.report, content, wording)) addIssue(text);
  })
  .meta({ description: "A recurring export or page, with the options of `export` and `report`." });

const doorbell = z.strictObject({
  secret_file: file.meta({
    description: "File with the secret of the deliveries: at least 16 printable ASCII characters.",
    examples: ["secrets/doorbell"],
  }),
  account: option(
    z.string(),
    "The account that /doorbell syncs; without it, only /doorbell/<account>.",
    "austin",
  ),
  min_seconds: option(
    z.int().min(1).max(86_400),
    "Minimum seconds between the starts of two syncs of an account. Default: 60.",
    60,
  ),
});

export const fileSchema = z
  .strictObject({
    ...settingKeys("program", undefined),
    host_requests: option(
      z.int().min(1).max(256),
      `Concurrent requests to one host by all accounts. Default: ${DEFAULT_HOST_REQUESTS}.`,
      8,
    ),
    smtp_url_file: option(
      file,
      "File that holds the address of the mail server, such as smtps://user:password@mail.northwind.example.",
      "secrets/smtp.url",
    ),
    doorbell: option(doorbell, "Starts a sync when the platform delivers an event to `schedule --listen`."),
    accounts: option(z.record(nameSchema, account), "The accounts, by name."),
    defaults: option(
      z.strictObject({
        accounts: option(
          ofAgency,
          "One token for accounts that differ by their org_unit_id; an account with a base_url of its own gets neither key.",
          { base_url: "https://api.example.com", token_file: "secrets/agency.token" },
        ),
        reports: option(reportKeys, "Keys of all reports."),
      }),
      "Keys of all accounts and of all reports, unless one has its own.",
      { reports: { range: { last: "4w" }, cron: "0 7 * * 1" } },
    ),
    reports: option(z.record(nameSchema, report), "The reports, by name."),
  })
  .meta({
    title: "calltally.yaml",
    description: "Accounts and reports of calltally. Keys at the top apply to all accounts.",
  });

export type FileContent = z.infer<typeof fileSchema>;
export type ReportContent = z.infer<typeof report>;
export type RecipientContent = z.infer<typeof recipient>;
