import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { attributeCall } from "../../src/calls/attribution/attribute-call.ts";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { readAliases } from "../../src/config/files/aliases-file.ts";
import { readChannels } from "../../src/config/files/channels-file.ts";
import { readTopics } from "../../src/config/files/topics-file.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCall } from "../support/warehouses/calls.ts";
import { readBlocks } from "./pages.ts";

const TAGS = readFileSync("docs/tags.md", "utf8");
const TOPICS = readFileSync("docs/topics.md", "utf8");

/** Writes the file of a page with this name, and returns what reads it. */
function readFile<Read>(page: string, name: string, read: (path: string) => Read): Read {
  const [block] = readBlocks(page).filter(({ file }) => file === name);
  using folder = makeTempFolder();
  const path = join(folder.path, name);
  writeFileSync(path, block?.content ?? "");
  return read(path);
}

test("the aliases of docs/tags.md rename as its table says", () => {
  const rules = { ...DEFAULT_RULES, ...readFile(TAGS, "aliases.csv", readAliases) };
  const rows = [...TAGS.matchAll(/^\| (\w+)=(.+) \| (\w+) (.+) \|$/gm)];
  const found = rows.map(([, member = "", given, field = ""]) => {
    const facts = attributeCall(makeCall({ [member]: given }), rules);
    return new Map(Object.entries(facts)).get(field.startsWith("utm_") ? `${field}_folded` : field);
  });
  expect(found).toHaveLength(5);
  expect(found).toEqual(rows.map(([, , , , value]) => value?.replace("\\|", "|")));
});

test("the channels of docs/tags.md give the channels that its table has", () => {
  const channels = readFile(TAGS, "channels.csv", readChannels);
  const rows = [...TAGS.matchAll(/^\|(.*)\|(.*)\|(.*)\|(.*)\| (.+) \|$/gm)].slice(1);
  const found = rows.map((row) => {
    const [utm_source = null, utm_medium = null, utm_campaign = null, referring_url = null] = row
      .slice(1, 5)
      .map((cell) => cell.trim() || null);
    const call = makeCall({ utm_source, utm_medium, utm_campaign, referring_url });
    return attributeCall(call, { ...DEFAULT_RULES, channels }).channel;
  });
  expect(found).toHaveLength(6);
  expect(found).toEqual(rows.map(([, , , , , channel]) => channel));
});

test("the topics of docs/topics.md give calls the topics that its table has", () => {
  const topics = readFile(TOPICS, "topics.csv", readTopics);
  const rows = [...TOPICS.matchAll(/^\| (.+) \| (\d+) \| (.*?) ?\| (yes|no) \| (.*?) ?\|$/gm)];
  const found = rows.map(([, text, seconds]) => {
    const transcription_details = JSON.stringify([{ channel: "caller", time: "00:00", text }]);
    const call = makeCall({ disposition: "answered", duration: Number(seconds), transcription_details });
    const { topic, is_qualified } = attributeCall(call, { ...DEFAULT_RULES, topics });
    const value = topics.find((line) => line.topic === topic)?.value;
    return [text, topic ?? "", is_qualified ? "yes" : "no", value ?? ""];
  });
  expect(found).toHaveLength(5);
  expect(found).toEqual(rows.map(([, text, , ...rest]) => [text, ...rest]));
});
