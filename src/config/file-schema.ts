import { z } from "zod";
import { parseFilePath, parsePath } from "../base/path-text.ts";
import { parseAge } from "../calendar/age-text.ts";
import { REQUEST_KEYS } from "../request/export-request.ts";
import { by } from "../request/issues.ts";
import { LISTS } from "../request/option-values.ts";
import { parseClusterUrl } from "./cluster-url.ts";
import { isMailAddress } from "./mail-address.ts";
import {
  assertFolderPattern,
  assertPlaceholders,
  COMMAND_PLACEHOLDERS,
  PLACEHOLDERS,
  type Placeholder,
} from "./placeholder-names.ts";
import { ALL_SETTINGS } from "./settings.ts";

/** Concurrent requests to one host, by all accounts together. */
export const DEFAULT_HOST_REQUESTS = 8;

/** Names that are safe as names of folders, everywhere. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/i;

/** What is said of keys that have settings below them. */
const GROUPS: Readonly<Record<string, string>> = {
  keep: "What is kept of calls, and how long.",
  publish: "The ClickHouse cluster that the facts are published to.",
};

/** Returns the keys of the settings that this part of the file may have. */
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

const account = z
  .strictObject(settingKeys("account", undefined))
  .meta({ description: "One account of the service: a warehouse, token, zone and rules of its own." });

/** The name of an account or a report. */
export const nameSchema = z
  .string()
  .regex(NAME, "must be letters, digits, - and _, at most 64, the first a letter or digit");
const file = z.string().superRefine(by(parseFilePath));
const flag = (help: string) => z.boolean().meta({ description: help }).optional();

/** A text in which words in braces are replaced. */
const pattern = (known: readonly Placeholder[]) =>
  z
    .string()
    .min(1)
    .superRefine(by((text) => assertPlaceholders(text, known)));

function parseFolderPattern(text: string): void {
  assertFolderPattern(parsePath(text));
}

const address = z
  .string()
  .refine(isMailAddress, "must be one plain mail address, such as marketing@acme.example");

const delivery = z
  .strictObject({
    email: z
      .strictObject({
        to: z
          .array(address)
          .min(1)
          .meta({ description: "Who gets it.", examples: [["marketing@acme.example"]] }),
        from: address
          .meta({
            description: "The sender; by default the user of the SMTP address.",
            examples: ["reports@agency.example"],
          })
          .optional(),
        subject: pattern(PLACEHOLDERS)
          .meta({ description: "Subject of the mail.", examples: ["Calls, {period}"] })
          .optional(),
      })
      .meta({
        description:
          "Mail by the server in smtp_url_file. Files are attached in their order as long as they fit into 10 MB together; the others are named.",
      })
      .optional(),
    webhook: z
      .strictObject({
        url_file: file.meta({
          description: "File that holds the address: https, or http on this machine.",
          examples: ["secrets/slack.url"],
        }),
      })
      .meta({ description: "A JSON message that Slack and Teams show." })
      .optional(),
    command: z
      .array(pattern(COMMAND_PLACEHOLDERS))
      .min(1)
      .meta({
        description: "A program and its arguments, without a shell.",
        examples: [["rclone", "copy", "{folder}", "remote:calls/{account}"]],
      })
      .optional(),
  })
  .superRefine((value, context) => {
    if (Object.keys(value).length !== 1) context.addIssue("must have one of email, webhook and command");
  })
  .meta({ description: "One recipient: email, webhook or command.", minProperties: 1, maxProperties: 1 });

const report = z
  .strictObject({
    accounts: z
      .array(z.string())
      .min(1)
      .meta({ description: "Which accounts; all by default.", examples: [["acme"]] })
      .optional(),
    ...REQUEST_KEYS,
    folder: z
      .string()
      .superRefine(by(parseFolderPattern))
      .meta({
        description: `Where the files go; ${PLACEHOLDERS.map((word) => `{${word}}`).join(", ")} are replaced, {period} by the whole range: 2026-W47, 2026-11 or 2026-Q4 where it is one week, month or quarter, else 2026-10-26 to 2026-11-22. Default: reports/{account}/{report}.`,
        examples: ["reports/{account}/weekly"],
      })
      .optional(),
    cron: z
      .string()
      .min(1)
      .meta({
        description: "When the schedule makes it, in the account's time zone; by hand alone by default.",
        examples: ["0 7 * * 1"],
      })
      .optional(),
    fresh: z
      .string()
      .superRefine(by(parseAge))
      .meta({
        description: "How old the last good sync may be: else the schedule waits for one, or starts it.",
        examples: ["2h"],
      })
      .optional(),
    require: z
      .enum(["verified"])
      .meta({
        description:
          "Deliver it only if the last sync read every call, proven: exact or verified. The schedule makes a full pass first where it did not.",
        examples: ["verified"],
      })
      .optional(),
    engine: z
      .string()
      .superRefine(by(parseClusterUrl))
      .meta({
        description:
          "ClickHouse cluster that computes the figures, of the account as it was last published there. The user of the address, or of publish, may read it.",
        examples: ["clickhouse://analyst@ch1.example.com,ch2.example.com/calls"],
      })
      .optional(),
    personal_data: flag(
      `Let e-mail and commands deliver files with a row for each call, caller or conversion: ${LISTS.join(", ")}.`,
    ),
    deliver: z.array(delivery).min(1).meta({ description: "Who gets it." }).optional(),
    on_restatement: z
      .enum(["deliver"])
      .meta({
        description:
          "Make it again after a sync, of the days of its last slot, where figures that it gave out have changed since; and deliver it.",
        examples: ["deliver"],
      })
      .optional(),
  })
  .superRefine((content, context) => {
    if (content.on_restatement !== undefined && (content.cron === undefined || content.deliver === undefined))
      context.addIssue(
        "on_restatement needs cron and deliver: it delivers again what was due and has changed",
      );
    if (content.require !== undefined && content.deliver === undefined)
      context.addIssue("require needs deliver: it says what is delivered");
    if (
      content.on_restatement !== undefined &&
      (content.raw ||
        content.top !== undefined ||
        content.min_cell !== undefined ||
        content.filter?.include_gone)
    )
      context.addIssue(
        "on_restatement cannot go with raw, top, min_cell or include_gone: their figures are not compared",
      );
    if (content.on_restatement !== undefined && content.engine !== undefined)
      context.addIssue(
        "on_restatement cannot go with engine: the warehouse alone remembers what was exported",
      );
  })
  .meta({ description: "Figures that are made again and again: whatever `export` and `report` take." });

/** What `calltally.yaml` may hold. */
export const fileSchema = z
  .strictObject({
    ...settingKeys("program", undefined),
    host_requests: z
      .int()
      .min(1)
      .max(256)
      .meta({
        description: `Requests to one host at once, by all accounts together. Default: ${DEFAULT_HOST_REQUESTS}.`,
        examples: [8],
      })
      .optional(),
    smtp_url_file: file
      .meta({
        description:
          "File that holds the address of the mail server, such as smtps://user:password@mail.example.com.",
        examples: ["secrets/smtp.url"],
      })
      .optional(),
    doorbell: z
      .strictObject({
        secret_file: file.meta({
          description:
            "File that holds the secret of the deliveries: at least 16 printable ASCII characters.",
          examples: ["secrets/doorbell"],
        }),
        account: z
          .string()
          .meta({
            description:
              "The one account that is synced, at /doorbell as well; without it, each at /doorbell/<account>.",
            examples: ["acme"],
          })
          .optional(),
        min_seconds: z
          .int()
          .min(1)
          .max(86_400)
          .meta({
            description: "Seconds from the start of one sync of an account to that of the next. Default: 60.",
            examples: [60],
          })
          .optional(),
      })
      .meta({ description: "Starts a sync when the platform delivers an event to `schedule --listen`." })
      .optional(),
    accounts: z.record(nameSchema, account).meta({ description: "The accounts, by name." }).optional(),
    reports: z.record(nameSchema, report).meta({ description: "The reports, by name." }).optional(),
  })
  .meta({
    title: "calltally.yaml",
    description: "Accounts and reports of calltally. What stands at the top holds for all accounts.",
  });

export type FileContent = z.infer<typeof fileSchema>;
export type ReportContent = z.infer<typeof report>;
