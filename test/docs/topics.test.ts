import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { attributeCall } from "../../src/attribution/attribute-call.ts";
import { DEFAULT_RULES } from "../../src/attribution/attribution-rules.ts";
import { readTopics } from "../../src/config/files/topics-file.ts";
import { makeCall } from "../support/calls.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const PAGE = readFileSync("docs/topics.md", "utf8");
/** The files of topics, each with the table of calls that follows. */
const EXAMPLES = [...PAGE.matchAll(/^```csv (\S+)\n(.*?)^```\n(.*?)(?=^```|^## )/gms)].map(
  ([, file = "", content = "", rest = ""]) => ({
    file,
    content,
    rows: [...rest.matchAll(/^\| (.+) \| (\d+) \| (.*?) ?\| (yes|no) \| (.*?) ?\|$/gm)],
  }),
);

describe("examples of docs/topics.md", () => {
  it("are a plumber's file and five calls", () => {
    expect(EXAMPLES.map(({ file, rows }) => [file, rows.length])).toEqual([["topics.csv", 5]]);
  });

  it.each(EXAMPLES)("$file finds the topics of the table", ({ file, content, rows }) => {
    using folder = makeTempFolder();
    const path = join(folder.path, file);
    writeFileSync(path, content);
    const topics = readTopics(path);
    const found = rows.map(([, text, seconds]) => {
      const details = JSON.stringify([{ channel: "caller", time: "00:00", text }]);
      const call = makeCall({
        disposition: "answered",
        duration: Number(seconds),
        transcription_details: details,
      });
      const { topic, is_qualified } = attributeCall(call, { ...DEFAULT_RULES, topics });
      const value = topics.find((line) => line.topic === topic)?.value;
      return [text, topic ?? "", is_qualified ? "yes" : "no", value ?? ""];
    });
    expect(found).toEqual(rows.map(([, text, , ...rest]) => [text, ...rest]));
  });
});
