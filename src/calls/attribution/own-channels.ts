import { toCaseless } from "./call-text.ts";
import { type Channel, type Traffic, toChannel } from "./channel-rules.ts";
import { remember } from "./remember.ts";

export const CHANNEL_FIELDS = ["source", "medium", "campaign", "referrer"] as const;
type Field = (typeof CHANNEL_FIELDS)[number];

/** A line of the file of channels. Empty patterns match everything; `*` stands for any part of a value. */
export interface ChannelLine extends Readonly<Record<Field, string>> {
  channel: string;
  /** In the file; the first line is the header. */
  line?: number | undefined;
}

/** Empty text means no value. */
export type ChannelValues = Traffic & Readonly<Record<"referrer", string>>;

/** Matches no value, as files show it. */
const NO_VALUE = "(not set)";

/** Returns what finds the channel of a visit: that of the first line whose patterns all match, or GA4's. */
export function compileChannels(lines: readonly ChannelLine[]) {
  const tests = lines.map((line) =>
    CHANNEL_FIELDS.flatMap((field, place) =>
      line[field] === "" ? [] : [{ place, matches: toMatcher(toCaseless(line[field])) }],
    ),
  );
  const indexOf = remember((json) => {
    const parsed: unknown = JSON.parse(json);
    const values = Array.isArray(parsed) ? parsed.map((value) => toCaseless(String(value))) : [];
    return tests.findIndex((test) => test.every(({ place, matches }) => matches(values[place] ?? "")));
  });
  /** Returns the index of the line that decides; -1 if GA4's rules do. */
  const lineOf = ({ source, medium, campaign, referrer }: ChannelValues): number =>
    lines.length === 0 ? -1 : indexOf(JSON.stringify([source, medium, campaign, referrer]));
  const channelOf = (values: ChannelValues): Channel => lines[lineOf(values)]?.channel ?? toChannel(values);
  return { lineOf, channelOf };
}

/** Takes time in proportion to the text, however many stars the pattern has. */
function toMatcher(pattern: string): (text: string) => boolean {
  if (pattern === NO_VALUE) return (text) => text === "";
  const [start = "", ...others] = pattern.split("*");
  const end = others.pop();
  if (end === undefined) return (text) => text === pattern;
  return (text) => {
    if (text === "" || !text.startsWith(start)) return false;
    let at = start.length;
    for (const part of others) {
      const start = text.indexOf(part, at);
      if (start === -1) return false;
      at = start + part.length;
    }
    return text.length - end.length >= at && text.endsWith(end);
  };
}
