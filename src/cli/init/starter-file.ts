import { stringify } from "yaml";
import type { Answers } from "./answers.ts";

/** The first report in the file. */
export const STARTER_REPORT = "weekly";

type Starter = Omit<Answers, "token"> & { tokenFile: string };

/** Returns the initial `calltally.yaml`. Each line that begins with `#` and no space is an example, valid by itself. */
export function toStarterYaml(starter: Starter): string {
  return [settingsPart(starter), accountsPart(starter), REPORTS_PART].join("\n");
}

const settingsPart = ({
  timezone,
}: Starter) => `# Accounts and reports of calltally. Lines such as #currency: are examples: remove the #.
# After a change: calltally config check
# All keys: calltally config schema --reference

timezone: ${scalar(timezone)}  # of the days in figures, and of the schedule

# When the schedule syncs, and when it exports CSV files:
#sync_cron: "7 * * * *"
#export_cron: "30 5 * * *"

# Which calls are answered, missed and qualified:
#answered: [answered, transferred]
#missed: [no answer, busy, failed, voicemail, abandoned]
#qualified_seconds: 60

# Opening hours, to count the calls missed in them:
#hours: Mon-Fri 08:00-18:00

# Other names for tags, in a CSV file with the header raw,value,of, and your own channels, with
# the header channel,source,medium,campaign,referrer:
#aliases: aliases.csv
#channels: channels.csv

# What calls are about, by what was said: in a CSV file with lines such as
# emergency,burst pipe,caller,yes,250 below the header topic,phrase,speaker,qualifies,value
#topics: topics.csv

# How long personal data is kept; by default always:
#keep: { transcripts: 90d, caller_numbers: 90d, recording_urls: never }

# Currency of the ads:
#currency: USD

# The mail server, in a file: smtps://user:password@mail.northwind.example, or on this machine
# smtp://127.0.0.1:25?from=calls@northwind.example
#smtp_url_file: secrets/smtp.url

# A ClickHouse cluster to publish the facts to after each sync:
#publish: { to: "clickhouse://ch1.northwind.example/calls", password_file: secrets/ch.password }
`;

const accountsPart = ({ baseUrl, account, tokenFile }: Starter) => `accounts:
  ${scalar(account)}:
    base_url: ${scalar(baseUrl.href.replace(/\/$/, ""))}
    token_file: ${scalar(tokenFile)}  # never the token itself
    # Whose calls they are, on pages and in mails:
    #title: Northwind Dental
    # Who gets its reports that say deliver: [{ to: account }]
    #recipients: [{ email: { to: [owner@northwind.example] } }]
    # Only the calls of one organization unit:
    #org_unit_id: "17"
    # Insights whose details the schedule keeps:
    #insight_ids: [101, 102]
    # A monitor to ping after each sync, in a file with its address:
    #heartbeat_url_file: secrets/heartbeat.url
  # Another account, with a warehouse of its own:
  #${account}-2: { base_url: "https://api.example.com", token_file: secrets/${account}-2.token }
`;

const REPORTS_PART = `reports:
  ${STARTER_REPORT}:
    contents: [channel, source, campaign]  # a sheet each
    range: { last: 4w }                    # complete weeks
    compare: previous                      # with the four weeks before
    total: true                            # a row of totals on each sheet
    columns:                               # each with its change; without this line, all figures
      [calls, answered_calls, missed_calls, answer_rate, unique_callers, first_time_callers,
       qualified_calls, total_duration_seconds, average_duration_seconds]
    format: xlsx
    cron: "0 7 * * 1"                      # Mondays at 7:00
    fresh: 2h                              # sync first if the last one is older
    folder: reports/{account}/${STARTER_REPORT}
    # Only some of the calls:
    #filter: { channel: [Paid Search], min_duration_seconds: 30 }
    # Who gets it by e-mail, with smtp_url_file above:
    #deliver: [{ email: { to: [marketing@northwind.example] } }]
    # With several accounts, if they may get the figures of all of them:
    #accounts: all
  # A page of charts for a browser:
  #page: { range: { last: 4w }, compare: previous, format: html, cron: "0 7 * * 1", fresh: 2h }
  # Rows for each day:
  #daily: { contents: [channel], range: { last: 30d }, grain: day, cron: "0 6 * * *", fresh: 2h }
`;

/** Quoted if YAML would read it as something else. */
function scalar(text: string): string {
  return stringify(text, { lineWidth: 0 }).trimEnd();
}
