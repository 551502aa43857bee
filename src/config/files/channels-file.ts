import { recordOf } from "../../base/records.ts";
import { presentText, toCaseless } from "../../calls/attribution/call-text.ts";
import { CHANNELS } from "../../calls/attribution/channel-rules.ts";
import { CHANNEL_FIELDS, type ChannelLine } from "../../calls/attribution/own-channels.ts";
import { readCsvTable } from "./csv-file.ts";

const HINT =
  "Write a CSV file with the header channel,source,medium,campaign,referrer and lines such as Partners,partner-*,,,; only channel is required, and * stands for any text.";

/** @throws UsageError that names the file, the line and the column */
export function readChannels(file: string): ChannelLine[] {
  const { rows, complain } = readCsvTable(file, `the channels in ${file}`, {
    columns: ["channel", ...CHANNEL_FIELDS],
    required: ["channel"],
    hint: HINT,
  });
  const names = new Map(CHANNELS.map((name) => [toCaseless(name), { name, place: "Google Analytics" }]));
  return rows.map(({ line, textOf }) => {
    const channel = presentText(textOf("channel"));
    if (channel === null) throw complain(line, "channel", "is empty, or a text that counts as not set");
    // Files would have two rows that look the same, and filters would mean both.
    const same = names.get(toCaseless(channel));
    if (same !== undefined && same.name !== channel)
      throw complain(line, "channel", `differs only in case from ${same.name} of ${same.place}`);
    names.set(toCaseless(channel), { name: channel, place: same?.place ?? `line ${line}` });
    const patterns = recordOf(CHANNEL_FIELDS, (field) => textOf(field).trim());
    if (CHANNEL_FIELDS.every((field) => patterns[field] === ""))
      throw complain(
        line,
        "channel",
        "has no source, medium, campaign or referrer: it would be that of every call",
      );
    return { channel, ...patterns, line };
  });
}
